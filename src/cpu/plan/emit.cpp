// From a loop nest to a CPU plan: frames, outputs and the order of what is done on a block.
#include "cpu/plan/emit.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "graph/store.h"
#include "serrate/error.h"

namespace serrate::cpu {

NewPlan Emitter::run() {
  set_frames();
  const int n = static_cast<int>(nest_.frames().size());
  for (int f = 0; f < n; f++) set_consecutive(f);
  for (int f = 0; f < n; f++) prepare(f);
  for (int f = 0; f < n; f++) {
    const Frame& fr = nest_.frames()[static_cast<size_t>(f)];
    for (int c : fr.children)
      block_ops_[f].push_back(
          {static_cast<uint8_t>(nest_.frames()[c].time), 255, 2, {BlockOp::child, c}});
    if (fr.inside >= 0 && fr.space->kind == SpaceKind::select && !is_dissolved(f))
      cpu(f).predicate = vector_of(get(fr.space->predicate, fr.inside));
    for (const auto& fold : fr.folds) get(find(fold), fold.into);
  }
  emit_outputs();
  emit_ends();
  finish();
  set_ways();
  return {std::move(plan_), std::move(objects_)};
}

void Emitter::set_frames() {
  for (size_t f = 0; f < plan_.frames.size(); f++) {
    const Frame& from = nest_.frames()[f];
    CpuFrame& c = plan_.frames[f];
    c.kind = from.space->kind;
    c.space = object(from.space.get());
    c.depth = from.space->depth;
    c.parent = from.parent;
    c.inside = from.inside;
    c.whole = from.whole;
    // Objects are those of the expression, which has the lists of made frames nowhere by
    // themselves.
    c.stored = graph::is_stored(from.space) && nest_.original(from.space.get()) == from.space.get();
    c.repeats = from.repeats;
    c.counted = c.kind == SpaceKind::fixed && !graph::is_stored(from.space) && c.repeats < 0 &&
                has_known_size(c.parent);
    c.bases = from.bases;
    c.children = from.children;
  }
}

void Emitter::set_consecutive(int f) {
  const graph::Space& s = *frame(f).space;
  // Lists that follow each other in their domain do so here only if their owners do.
  cpu(f).consecutive = s.kind == SpaceKind::unit || s.kind == SpaceKind::rows ||
                       (s.contiguous && cpu(frame(f).parent).consecutive) ||
                       (s.kind == SpaceKind::flat && cpu(frame(f).inside).consecutive);
}

void Emitter::prepare(int f) {
  const Frame& fr = frame(f);
  const graph::Space& s = *fr.space;
  if (fr.repeats >= 0) {
    cpu(fr.parent).needs_offsets = true;
  } else if (s.kind == SpaceKind::list) {
    const bool plain =
        graph::is_plain_list(s) && cpu(fr.parent).consecutive && s.starts->dtype == s.stops->dtype;
    if (plain) {
      const DType t = s.starts->dtype;
      cpu(f).offsets_type = t == DType::int32    ? IndexType::i32
                            : t == DType::uint32 ? IndexType::u32
                                                 : IndexType::i64;
      if (nest_.original(&s) != &s) cpu(f).offsets = object(s.starts.get());
    } else {
      const int starts = vector_of(get(wide_starts(f), fr.parent));
      const ColumnRef stops = graph::cast(s.stops, DType::int64);
      keep_.push_back(stops);
      cpu(f).stops = vector_of(get(stops, fr.parent));
      cpu(f).starts = starts;
    }
  } else if (s.kind == SpaceKind::fixed) {
    // Under consecutive positions a regular list begins at position * size.
    if (!(graph::is_stored(fr.space) && cpu(fr.parent).consecutive)) {
      const int starts = vector_of(get(wide_starts(f), fr.parent));
      cpu(f).starts = starts;
    }
  } else if (s.kind == SpaceKind::select) {
    link_slot(f, 0);
  } else if (s.kind == SpaceKind::combinations || s.kind == SpaceKind::cartesian) {
    for (int k = 0; k < s.k; k++) link_slot(f, k);
  }
  if (s.kind == SpaceKind::flat) return;  // only if somebody asks for its own
  for (int b : fr.bases) cpu(b).needs_offsets = true;
}

ColumnRef Emitter::wide_starts(int f) {
  ColumnRef& starts = starts_[static_cast<size_t>(f)];
  if (!starts) starts = graph::cast(frame(f).space->starts, DType::int64);
  return starts;
}

void Emitter::emit_outputs() {
  for (const auto& o : nest_.outputs()) {
    if (o.histogram) {
      plan_.outputs.push_back({o.column->dtype, o.frame, false, true});
      continue;
    }
    const bool known = has_known_size(o.frame);
    const int number = static_cast<int>(plan_.outputs.size());
    plan_.outputs.push_back({o.column->dtype, o.frame, !known, false});
    if (!known) cpu(o.frame).appends = true;
    if (!known && store_kept(o, number)) continue;
    const int e = get(o.column, o.frame);
    const Entry x = entries_[static_cast<size_t>(e)];
    if (x.segment < 0 && x.frame == o.frame && !x.scalar) {
      // The accumulators are the output itself.
      Slot& from = plan_.slots[static_cast<size_t>(x.slot)];
      if (known && from.kind == Slot::accum && from.sink < 0 && from.dtype == o.column->dtype) {
        from.sink = number;
        continue;
      }
      // So are strided loads and indexes: whoever else looks at them reads it there.
      if (is_made_in_place(x)) {
        from.kind = Slot::output;
        from.index = number;
        continue;
      }
    }
    const int out = slot(Slot::output, o.column->dtype, o.frame, number);
    const int s = x.segment >= 0 ? x.segment : segment(o.frame, x.time, x.stage);
    const int v = in_segment(e, s);
    segments_[static_cast<size_t>(s)].builder.store(v, out);
  }
}

/// Items of its base that a filter leaves, as they are: without a look at where they are.
bool Emitter::store_kept(const graph::Nest::Output& o, int number) {
  const Frame& fr = frame(o.frame);
  if (fr.space->kind != SpaceKind::select || o.column->kind != ColumnKind::at) return false;
  const ColumnRef& inner = o.column->args[0];
  const int e = get(inner, nest_.base_frame(o.frame, 0, inner));
  if (entries_[static_cast<size_t>(e)].scalar) return false;
  const int from = slot_of(e), out = slot(Slot::output, o.column->dtype, o.frame, number);
  block_ops_[static_cast<size_t>(o.frame)].push_back({0, 0, 0, {BlockOp::compress, from, out}});
  return true;
}

bool Emitter::is_made_in_place(const Entry& e) const {
  return plan_.slots[static_cast<size_t>(e.slot)].kind == Slot::vector &&
         std::ranges::any_of(block_ops_[static_cast<size_t>(e.frame)], [&](const TimedBlockOp& s) {
           const bool in_place = s.op.kind == BlockOp::strided || s.op.kind == BlockOp::lines ||
                                 s.op.kind == BlockOp::gathered || s.op.kind == BlockOp::cycle;
           return in_place && s.op.b == e.slot;
         });
}

bool Emitter::has_known_size(int f) const {
  return graph::is_stored(frame(f).space) || plan_.frames[static_cast<size_t>(f)].counted;
}

void Emitter::emit_ends() {
  ends_.resize(nest_.frames().size());
  for (size_t i = 0; i < plan_.accums.size(); i++) {
    if (plan_.accums[i].beside != Beside::nothing) continue;  // told by another fold
    ends_[static_cast<size_t>(plan_.accums[i].from)].push_back(
        {BlockOp::fold, static_cast<int>(i), 0});
  }
  for (size_t o = 0; o < nest_.outputs().size(); o++)
    if (nest_.outputs()[o].histogram) emit_histogram(static_cast<int>(o));
}

void Emitter::finish() {
  for (auto& s : segments_) {
    plan_.loops.push_back(InnerLoops::of(s.builder));
    plan_.programs.push_back(std::move(s.builder).finish());
    if (plan_.programs.back().empty()) continue;
    plan_.programs.back().fetch_only([&](int slot) {
      const Slot& x = plan_.slots[static_cast<size_t>(slot)];
      return x.kind == Slot::direct || x.kind == Slot::lists || x.kind == Slot::output ||
             (x.kind == Slot::accum && x.sink >= 0);
    });
    const auto stores_only_to = [&](auto is) {
      return plan_.programs.back().stores_only_to(
          [&](int to) { return is(plan_.slots[static_cast<size_t>(to)]); });
    };
    Outputs to = Outputs::memory;
    if (stores_only_to([](const Slot& s) { return s.kind == Slot::vector; })) to = Outputs::scratch;
    if (stores_only_to([&](const Slot& s) {
          return s.kind == Slot::output && !plan_.outputs[static_cast<size_t>(s.index)].appends;
        }))
      to = Outputs::streamed;
    block_ops_[s.frame].push_back(
        {s.time,
         s.stage,
         1,
         {BlockOp::program, static_cast<int>(plan_.programs.size()) - 1, static_cast<int>(to)}});
  }
  for (size_t f = 0; f < block_ops_.size(); f++) {
    auto& ops = block_ops_[f];
    std::stable_sort(ops.begin(), ops.end(), [](const TimedBlockOp& a, const TimedBlockOp& b) {
      return std::tie(a.time, a.stage, a.order) < std::tie(b.time, b.stage, b.order);
    });
    for (const auto& s : ops) cpu(static_cast<int>(f)).ops.push_back(s.op);
    for (const auto& s : ends_[f]) cpu(static_cast<int>(f)).ops.push_back(s);
    for (int i : frame(static_cast<int>(f)).filters)
      if (!is_dissolved(i)) cpu(static_cast<int>(f)).ops.push_back({BlockOp::filter, i, 0});
  }
  for (size_t f = 0; f < plan_.frames.size(); f++) fuse_calls(static_cast<int>(f));
  // A derived space's offsets come from its base's.
  for (size_t i = plan_.frames.size(); i-- > 1;) {
    const Frame& fr = frame(static_cast<int>(i));
    const bool flat = fr.space->kind == SpaceKind::flat;
    if (flat && fr.parent == 0) continue;  // unit owns one list
    if (fr.inside >= 0) {
      if (plan_.frames[i].needs_offsets || plan_.frames[i].needs_local) {
        cpu(fr.inside).needs_offsets = true;
        if (flat) cpu(frame(fr.inside).parent).needs_offsets = true;
      }
    }
    if (flat) continue;
    for (int b : fr.bases) cpu(b).needs_offsets = true;
  }
  for (size_t a = 0; a < plan_.accums.size(); a++) {
    // Every walk between the fold and its target works on it from inside.
    int w = plan_.accums[a].from;
    while (w > 0 && w != plan_.accums[a].into) {
      if (frame(w).inside < 0) cpu(w).outward.push_back(static_cast<int>(a));
      w = frame(w).inside >= 0 ? frame(w).inside : frame(w).parent;
    }
  }
}

bool Emitter::is_below(int f, int top) const {
  while (f > 0) {
    if (f == top) return true;
    f = frame(f).inside >= 0 ? frame(f).inside : frame(f).parent;
  }
  return false;
}

namespace {

/// Starts that their owners have in their own order, not in that of some index.
bool ascends(const Column& starts) {
  if (starts.kind == ColumnKind::pick) return false;
  if (starts.kind == ColumnKind::load && starts.args[0]->kind != ColumnKind::position) return false;
  return std::ranges::all_of(starts.args, [](const ColumnRef& c) { return !c || ascends(*c); });
}

/// These are done by counts of lists end to end, as all folds of truth values are.
bool counts(Reducer r, DType values) {
  return values == DType::boolean || r == Reducer::any || r == Reducer::all ||
         r == Reducer::count_nonzero || r == Reducer::count;
}

}  // namespace

bool Emitter::is_only_folded(int f) const {
  const Frame& fr = frame(f);
  if (fr.space->kind != SpaceKind::list || fr.whole || !fr.filters.empty() || !fr.stores.empty() ||
      !fr.histograms.empty() || !fr.checks.empty() || !fr.children.empty())
    return false;
  for (const Frame& other : nest_.frames())
    if (std::ranges::find(other.bases, f) != other.bases.end() || other.repeats == f) return false;
  return ascends(*fr.space->starts) && std::ranges::none_of(fr.folds, [](const graph::Fold& x) {
           return counts(x.column->reducer,
                         x.column->args[0] ? x.column->args[0]->dtype : DType::int64);
         });
}

bool Emitter::may_span(int f) const {
  const CpuFrame& c = plan_.frames[static_cast<size_t>(f)];
  if (c.kind != SpaceKind::list || c.starts < 0 || c.whole || c.offsets_slot >= 0 ||
      looks_up_[static_cast<size_t>(f)])
    return false;
  for (const CpuFrame& other : plan_.frames)
    if (std::ranges::find(other.bases, f) != other.bases.end() || other.repeats == f) return false;
  if (std::ranges::any_of(plan_.outputs, [f](const Output& o) { return o.frame == f; }))
    return false;
  return std::ranges::all_of(c.ops, [this](const BlockOp& s) {
    if (s.kind == BlockOp::fold) {
      const Accum& a = plan_.accums[static_cast<size_t>(s.a)];
      return !counts(a.reducer, a.dtype);
    }
    return s.kind == BlockOp::program || s.kind == BlockOp::expand ||
           s.kind == BlockOp::positions || s.kind == BlockOp::local || s.kind == BlockOp::cycle;
  });
}

void Emitter::set_ways() {
  const int n = static_cast<int>(plan_.frames.size());
  for (int f = 0; f < n; f++) {
    cpu(f).may_span = may_span(f);
    const auto of_columns = [this](const BlockOp& s) {
      return s.kind == BlockOp::histogram && plan_.histograms[static_cast<size_t>(s.a)].cell < 0;
    };
    cpu(f).only_columns = !cpu(f).ops.empty() && std::ranges::all_of(cpu(f).ops, of_columns);
    cpu(f).only_folds = std::ranges::all_of(
        cpu(f).ops, [&](const BlockOp& s) { return s.kind == BlockOp::fold || of_columns(s); });
    cpu(f).only_counts =
        !cpu(f).ops.empty() && std::ranges::all_of(cpu(f).ops, [&](const BlockOp& s) {
          if (s.kind != BlockOp::fold) return false;
          const Accum& a = plan_.accums[static_cast<size_t>(s.a)];
          return a.reducer == Reducer::count && a.valid < 0 && a.into == cpu(f).parent;
        });
    if (cpu(f).kind == SpaceKind::rows) {
      // Nothing is done per row: walk the items directly.
      int c = f;
      while (cpu(c).ops.size() == 1 && cpu(c).ops[0].kind == BlockOp::child && !cpu(c).whole) {
        c = cpu(c).ops[0].a;
        if (!cpu(c).stored || !cpu(c).consecutive || cpu(c).needs_offsets || cpu(c).whole) break;
        cpu(f).collapse = c;
      }
    }
    // Indexes in derived lists are counted from block to block.
    if (cpu(f).bases.empty() || !cpu(f).needs_local) continue;
    for (int g = 1; g < n; g++) {
      if (!is_below(f, g)) continue;
      cpu(g).can_split = false;
      // The index along axis 0 of a derived space counts over all blocks.
      if (cpu(g).kind == SpaceKind::rows && cpu(f).parent == 0) cpu(g).is_ordered = true;
    }
  }
}

NewPlan make_plan(graph::Nest& nest) { return Emitter(nest).run(); }

}  // namespace serrate::cpu
