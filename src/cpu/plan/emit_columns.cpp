// Columns of a nest as values of vector programs and steps of kernels between them.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/seams.h"
#include "cpu/plan/emit.h"
#include "graph/known.h"
#include "serrate/error.h"

namespace serrate::cpu {

// The graph's reducers are handed to the kernels by number.

int Emitter::get(const ColumnRef& c, int f) {
  for (size_t i = 0; i < entries_.size(); i++) {
    if (entries_[i].column == c.get() && entries_[i].frame == f) return static_cast<int>(i);
  }
  if (const auto [of_lists, lists] = nest_.repeated(c, f); of_lists)
    return get_repeated(c, f, of_lists, lists);
  switch (c->kind) {
    case ColumnKind::constant:
      return add(c, f, 0, 0, constant_slot(*c), true);
    case ColumnKind::load:
      return get_load(c, f);
    case ColumnKind::position: {
      if (cpu(f).consecutive) {
        const int s = segment(f, 0, 0);
        return add_value(c, f, s, segments_[static_cast<size_t>(s)].builder.iota(first_slot(f)));
      }
      const int out = slot(Slot::vector, DType::int64, f);
      cpu(f).needs_offsets = true;
      block_ops_[f].push_back({0, 0, 0, {BlockOp::positions, 0, out}});
      return add(c, f, 0, 0, out);
    }
    case ColumnKind::local:
      return get_local(c, f);
    case ColumnKind::op:
    case ColumnKind::cast:
      return get_op(c, f);
    case ColumnKind::call:
      return get_call(c, f);
    case ColumnKind::parent:
      return get_parent(c, f);
    case ColumnKind::at:
      return get_at(c, f, nest_.base_frame(f, c->link, c->args[0]), c->args[0]);
    case ColumnKind::pick:
      return get_pick(c, f);
    case ColumnKind::reduce:
      return get_reduce(c, f);
    case ColumnKind::check:
      return get_check(c, f);
    case ColumnKind::operands:
    case ColumnKind::histogram:
    case ColumnKind::barrier:
      break;
  }
  throw ValueError("cpu: histograms and barriers must be filled before");
}

void Emitter::assert_bounds(int f, uint8_t time, uint8_t stage, Bounds bounds) {
  if (!asserting()) return;
  plan_.bounds.push_back(bounds);
  block_ops_[f].push_back(
      {time, stage, 0, {BlockOp::bounds, static_cast<int>(plan_.bounds.size()) - 1, 0}});
}

int Emitter::get_local(const ColumnRef& c, int f) {
  if (c->link >= 0) {
    const SpaceRef& s = c->space;
    const SpaceRef& base =
        s->bases[s->kind == SpaceKind::combinations ? 0 : static_cast<size_t>(c->link)];
    const ColumnRef inner = graph::local(base);
    keep_.push_back(inner);
    return get_at(c, f, nest_.base_frame(f, c->link, {}), inner);
  }
  const int out = slot(Slot::vector, DType::int64, f);
  if (frame(f).space->kind == SpaceKind::fixed && cpu(f).starts < 0) {
    block_ops_[f].push_back({0, 0, 0, {BlockOp::cycle, 0, out}});
    return add(c, f, 0, 0, out);
  }
  cpu(f).needs_offsets = true;
  cpu(f).needs_local = true;
  block_ops_[f].push_back({0, 0, 0, {BlockOp::local, 0, out}});
  return add(c, f, 0, 0, out);
}

int Emitter::get_op(const ColumnRef& c, int f) {
  int args[3] = {-1, -1, -1};
  const int n = c->arity();
  for (int i = 0; i < n; i++) args[i] = get(c->args[i], f);
  const auto [time, stage] = known_at({args[0], args[1], args[2]});
  const int s = segment(f, time, stage);
  int values[3];
  for (int i = 0; i < n; i++) values[i] = in_segment(args[i], s);
  ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
  const int v = c->kind == ColumnKind::cast
                    ? b.cast(values[0], c->dtype)
                    : b.op(c->op, c->args[c->op == Op::where ? 1 : 0]->dtype,
                           std::span<const int>(values, static_cast<size_t>(n)));
  return add_value(c, f, s, v);
}

int Emitter::get_parent(const ColumnRef& c, int f) {
  const int p = frame(f).parent;
  const int e = get(c->args[0], p);
  if (entries_[static_cast<size_t>(e)].scalar)
    return add(c, f, 0, 0, entries_[static_cast<size_t>(e)].slot, true);
  const int from = slot_of(e);
  if (p == 0) return add(c, f, 0, 0, from, true);  // unit has one position
  return add(c, f, 0, 0, expanded(from, c->dtype, f));
}

int Emitter::expanded(int from, DType t, int f, BlockOp::Kind kind) {
  for (const auto& s : block_ops_[f]) {
    if (s.op.kind == kind && s.op.a == from) return s.op.b;
  }
  const int out = slot(Slot::vector, t, f);
  cpu(f).needs_offsets = true;
  block_ops_[f].push_back({0, 0, 0, {kind, from, out}});
  return out;
}

int Emitter::get_repeated(const ColumnRef& c, int f, const ColumnRef& of_lists, int lists) {
  const int e = get(of_lists, lists);
  if (entries_[static_cast<size_t>(e)].scalar)
    return add(c, f, 0, 0, entries_[static_cast<size_t>(e)].slot, true);
  return add(c, f, 0, 0, expanded(slot_of(e), c->dtype, f, BlockOp::repeat));
}

int Emitter::get_at(const ColumnRef& c, int f, int base, const ColumnRef& inner) {
  const int e = get(inner, base);
  if (entries_[static_cast<size_t>(e)].scalar)
    return add(c, f, 0, 0, entries_[static_cast<size_t>(e)].slot, true);
  const int from = slot_of(e);
  const SpaceKind kind = frame(f).space->kind;
  if (kind == SpaceKind::flat || kind == SpaceKind::aligned) return add(c, f, 0, 0, from);
  const int link = link_slot(f, kind == SpaceKind::select ? 0 : c->link);
  cpu(f).needs_link = true;
  const int s = segment(f, 0, 0);
  return add_value(
      c, f, s,
      segments_[static_cast<size_t>(s)].builder.gather(c->dtype, from, link, DType::int32));
}

int Emitter::get_pick(const ColumnRef& c, int f) {
  looks_up_[static_cast<size_t>(f)] = true;
  const int base = nest_.pick_frame(f, *c);
  const int e = get(c->args[0], base);
  if (entries_[static_cast<size_t>(e)].scalar) {
    // The same wherever it is picked from, but the index is checked, and nothing is known before
    // the walk that it comes from.
    const int index = get(c->args[1], f), guard = c->args[2] ? get(c->args[2], f) : -1;
    auto [time, stage] = known_at({index, guard});
    if (f == 0) time = std::max(time, static_cast<uint8_t>(top_time(base, 0) + 1));
    return add(c, f, time, stage, entries_[static_cast<size_t>(e)].slot, true);
  }
  const int from = slot_of(e);
  // Where the owner's list begins in the block of the base, seen from here.
  std::vector<int> chain;
  int owner = f;
  while (frame(owner).space->depth >= c->over->depth) {
    chain.push_back(owner);
    owner = frame(owner).parent;
  }
  int begin = offsets_slot(base);
  std::pair<uint8_t, uint8_t> begun{0, 0};
  if (chain.empty()) begun.first = static_cast<uint8_t>(top_time(base, owner) + 1);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it)
    begin = expanded(begin, DType::int32, *it);
  const int i = get(c->args[1], f);
  const int g = c->args[2] ? get(c->args[2], f) : -1;
  const auto [time, stage] = std::max(begun, known_at({i, g}));
  const int s = segment(f, time, stage);
  const int index = slot(Slot::vector, DType::int64, f);
  {
    const int iv = in_segment(i, s);
    const int gv = g >= 0 ? in_segment(g, s) : -1;
    const int zero = constant_slot(Scalar::of(int64_t{0}));
    ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
    const int sum[] = {b.cast(b.load(DType::int32, begin), DType::int64), b.cast(iv, DType::int64)};
    int v = b.op(Op::add, DType::int64, sum);
    if (gv >= 0) {
      const int choice[] = {gv, v, b.scalar(DType::int64, zero)};
      v = b.op(Op::where, DType::int64, choice);
    }
    b.store(v, index);
  }
  const int s2 = segment(f, time, static_cast<uint8_t>(stage + 1));
  assert_bounds(f, time, static_cast<uint8_t>(stage + 1), {index, DType::int64, -1, base});
  const bool may_be_index = is_integer(c->dtype);
  const int gv = g >= 0 && may_be_index ? in_segment(g, s2) : -1;
  ProgramBuilder& b = segments_[static_cast<size_t>(s2)].builder;
  int v = b.gather(c->dtype, from, index, DType::int64);
  if (gv >= 0) {
    // What somebody may look something up with is a place that there is, even where nothing is.
    const int choice[] = {gv, v,
                          b.scalar(c->dtype, constant_slot(Scalar::of(int64_t{0}, c->dtype)))};
    v = b.op(Op::where, c->dtype, choice);
  }
  return add_value(c, f, s2, v);
}

int Emitter::top_time(int f, int owner) const {
  while (frame(f).parent != owner) f = frame(f).parent;
  return frame(f).time;
}

int Emitter::get_reduce(const ColumnRef& c, int f) {
  if (const int told = get_beside(c, f); told >= 0) return told;
  int from = nest_.fold_frame(f, c), predicate = -1;
  if (is_dissolved(from)) {
    const SpaceRef& filter = frame(from).space;
    from = frame(from).inside;
    predicate = get(filter->predicate, from);
  }
  Accum a;
  a.reducer = c->reducer;
  a.from = from;
  a.into = f;
  a.dtype = DType::int64;
  if (c->args[0]) {
    ColumnRef v = c->args[0];
    if (predicate >= 0) keep_.push_back(v = over_base(v));
    if (v->dtype == DType::float16) keep_.push_back(v = graph::cast(v, DType::float32));
    if (graph::ColumnRef(v)->dtype == DType::datetime64 || v->dtype == DType::timedelta64)
      a.dtype = DType::int64;
    else
      a.dtype = v->dtype;
    a.is_wide = predicate < 0 && a.reducer == Reducer::sum && a.dtype == DType::float64 &&
                v->kind == ColumnKind::cast && v->args[0]->dtype == DType::float32;
    const ColumnRef& read = a.is_wide ? v->args[0] : v;
    a.value = predicate < 0 ? vector_of(get(read, from)) : kept_values(a, v, predicate);
  } else if (predicate >= 0) {
    a.valid = vector_of(predicate);
  }
  check<TypeError>(a.value < 0 || can_fold(a.reducer, a.dtype), "{}: not defined for {}",
                   info(c->reducer).name, name(a.dtype));
  if (c->args[1]) a.valid = vector_of(get(c->args[1], from));
  const DType t = state_type(a.reducer, a.dtype);
  const bool arg = info(a.reducer).has_index();
  const auto known = std::ranges::find_if(plan_.accums, [&](const Accum& o) {
    return o.reducer == a.reducer && o.from == a.from && o.into == a.into && o.value == a.value &&
           o.valid == a.valid && o.dtype == a.dtype && o.is_wide == a.is_wide;
  });
  if (known != plan_.accums.end()) {
    a = *known;  // the same column made twice, as the count behind a validity and num
  } else {
    const int number = static_cast<int>(plan_.accums.size());
    a.slot = slot(Slot::accum, t, f, number);
    if (arg) {
      a.index_slot = slot(Slot::accum, DType::int64, f, number);
      cpu(from).needs_local = true;
    }
    cpu(from).needs_offsets = true;
    plan_.accums.push_back(a);
  }
  const int over_time = top_time(from, f);
  const auto time = static_cast<uint8_t>(over_time + 1);
  const int result = arg ? a.index_slot : a.slot;
  if (c->dtype == DType::float16 && t == DType::float32) {
    const int s = segment(f, time, 0);
    ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
    return add_value(c, f, s, b.cast(b.load(DType::float32, result), DType::float16));
  }
  return add(c, f, time, 0, result, f == 0);
}

int Emitter::get_check(const ColumnRef& c, int f) {
  const int ok = get(c->args[1], f), value = get(c->args[0], f);
  const int guard = c->args[2] ? get(c->args[2], f) : -1;
  const auto [time, stage] = known_at({ok, value, guard});
  const int s = segment(f, time, stage);
  const int bad = slot(Slot::vector, DType::boolean, f);
  const int okv = in_segment(ok, s), gv = guard >= 0 ? in_segment(guard, s) : -1;
  ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
  const int no[] = {okv};
  int v = b.op(Op::logical_not, DType::boolean, no);
  if (gv >= 0) {
    const int both[] = {v, gv};
    v = b.op(Op::logical_and, DType::boolean, both);
  }
  b.store(v, bad);
  const auto next = static_cast<uint8_t>(stage + 1);
  plan_.checks.push_back(
      {object(c.get()), c->args[0]->dtype == DType::int64 ? vector_of(value) : -1, -1});
  block_ops_[f].push_back(
      {time, next, 0, {BlockOp::check, bad, static_cast<int>(plan_.checks.size()) - 1}});
  const int from = vector_of(value);
  return add(c, f, time, next, from);
}

}  // namespace serrate::cpu
