// From a loop nest to a CPU plan: columns become values of vector programs, and steps of kernels between them.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "cpu/plan.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

using graph::Column;
using graph::ColumnKind;
using graph::ColumnRef;
using graph::Frame;
using graph::Nest;
using graph::SpaceKind;
using graph::SpaceRef;

alignas(64) constexpr std::byte kNothing[64] = {};  // what loads of empty buffers see

/// Buffers without a byte may still be looked at where a guard is false.
const std::byte* address(const Buffer& b) { return b.bytes() == 0 ? kNothing : b.data(); }

/// When and where a column's value is to be had in one frame.
struct Entry {
  const Column* column = nullptr;
  int frame = 0;
  DType dtype = DType::int64;
  uint8_t time = 0, stage = 0;
  bool scalar = false;  // slot holds one value
  int segment = -1;     // where `value` lives
  int value = -1;
  int slot = -1;
};

struct Segment {
  int frame;
  uint8_t time, stage;
  ProgramBuilder builder;
};

struct TimedStep {
  uint8_t time, stage, order;  // order: 0 kernels, 1 program, 2 walks
  Step step;
};

class Emitter {
 public:
  explicit Emitter(Nest& nest) : nest_(nest) {
    plan_.nest = &nest;
    plan_.frames.resize(nest.frames().size());
    steps_.resize(nest.frames().size());
  }

  CpuPlan run() {
    const int n = static_cast<int>(nest_.frames().size());
    for (int f = 0; f < n; f++) set_consecutive(f);
    for (int f = 0; f < n; f++) prepare(f);
    for (int f = 0; f < n; f++) {
      const Frame& fr = nest_.frames()[static_cast<size_t>(f)];
      for (int c : fr.children) steps_[f].push_back({static_cast<uint8_t>(nest_.frames()[c].time), 255, 2, {Step::child, c}});
      if (fr.inside >= 0 && fr.space->kind == SpaceKind::select) cpu(f).predicate = slot_of(get(fr.space->predicate, fr.inside));
      for (const auto& fold : fr.folds) get(find(fold), fold.into);
    }
    emit_outputs();
    emit_ends();
    finish();
    return std::move(plan_);
  }

 private:
  CpuFrame& cpu(int f) { return plan_.frames[static_cast<size_t>(f)]; }
  const Frame& frame(int f) const { return nest_.frames()[static_cast<size_t>(f)]; }

  ColumnRef find(const graph::Fold& fold) { return ColumnRef(fold.column); }

  // -- slots ----------------------------------------------------------------------------------------------------------
  int slot(Slot::Kind kind, DType t, int f, int index = 0, const std::byte* data = nullptr) {
    Slot s;
    s.kind = kind;
    s.dtype = t;
    s.frame = f;
    s.index = index;
    s.data = data;
    plan_.slots.push_back(s);
    const int id = static_cast<int>(plan_.slots.size()) - 1;
    if (kind != Slot::constant && kind != Slot::base && kind != Slot::first) cpu(f).bound.push_back(id);
    return id;
  }

  int find_slot(Slot::Kind kind, int f, const std::byte* data, int index = 0) const {
    for (size_t i = 0; i < plan_.slots.size(); i++) {
      const Slot& s = plan_.slots[i];
      if (s.kind == kind && s.frame == f && s.data == data && s.index == index) return static_cast<int>(i);
    }
    return -1;
  }

  int base_slot(const Buffer& b, DType t) {
    const int found = find_slot(Slot::base, 0, address(b));
    return found >= 0 ? found : slot(Slot::base, t, 0, 0, address(b));
  }
  int direct_slot(const Buffer& b, DType t, int f) {
    const int found = find_slot(Slot::direct, f, address(b), itemsize(t));
    return found >= 0 ? found : slot(Slot::direct, t, f, itemsize(t), address(b));
  }
  int first_slot(int f) {
    const int found = find_slot(Slot::first, f, nullptr);
    return found >= 0 ? found : slot(Slot::first, DType::int64, f);
  }
  int link_slot(int f, int k) {
    CpuFrame& c = cpu(f);
    while (static_cast<int>(c.links.size()) <= k)
      c.links.push_back(slot(Slot::link, DType::int32, f, static_cast<int>(c.links.size())));
    return c.links[static_cast<size_t>(k)];
  }
  int offsets_slot(int f) {
    CpuFrame& c = cpu(f);
    c.needs_offsets = true;
    if (c.offsets_slot < 0) c.offsets_slot = slot(Slot::offsets, DType::int32, f);
    return c.offsets_slot;
  }

  int constant_slot(const Scalar& s) {
    Slot c;
    c.kind = Slot::constant;
    c.dtype = s.dtype;
    std::memset(c.value, 0, sizeof(c.value));
    store_scalar(s, c.value);
    plan_.slots.push_back(c);
    return static_cast<int>(plan_.slots.size()) - 1;
  }

  static void store_scalar(const Scalar& s, std::byte* out) {
    switch (s.dtype) {
      case DType::float32: {
        const auto v = static_cast<float>(s.f);
        std::memcpy(out, &v, 4);
        break;
      }
      case DType::complex64: {
        const float v[2] = {static_cast<float>(s.f), static_cast<float>(s.im)};
        std::memcpy(out, v, 8);
        break;
      }
      case DType::complex128: {
        const double v[2] = {s.f, s.im};
        std::memcpy(out, v, 16);
        break;
      }
      case DType::float16: {
        double v = s.f;
        ProgramBuilder b;
        b.store(b.cast(b.load(DType::float64, 0), DType::float16), 1);
        void* slots[] = {&v, out};
        std::move(b).finish().run(slots, 1);
        break;
      }
      default:
        std::memcpy(out, &s.i, 8);  // little-endian: the low bytes are the narrow integer; float64 shares the bits
    }
  }

  // -- segments and entries ---------------------------------------------------------------------------------------------
  int segment(int f, uint8_t time, uint8_t stage) {
    for (size_t i = 0; i < segments_.size(); i++) {
      const Segment& s = segments_[i];
      if (s.frame == f && s.time == time && s.stage == stage) return static_cast<int>(i);
    }
    segments_.push_back({f, time, stage, {}});
    return static_cast<int>(segments_.size()) - 1;
  }

  /// The entry's value inside segment s (no earlier than the entry).
  int in_segment(int e, int s) {
    Entry& x = entries_[static_cast<size_t>(e)];
    if (x.segment == s && x.value >= 0) return x.value;
    if (x.slot < 0) slot_of(e);
    Entry& y = entries_[static_cast<size_t>(e)];
    ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
    return y.scalar ? b.scalar(y.dtype, y.slot) : b.load(y.dtype, y.slot);
  }

  /// A slot with the entry's values, one per item (or one value, if it is a scalar).
  int slot_of(int e) {
    Entry& x = entries_[static_cast<size_t>(e)];
    if (x.slot < 0) {
      x.slot = slot(Slot::vector, x.dtype, x.frame);
      segments_[static_cast<size_t>(x.segment)].builder.store(x.value, entries_[static_cast<size_t>(e)].slot);
    }
    return entries_[static_cast<size_t>(e)].slot;
  }

  /// A slot with one value per item, also of scalars.
  int vector_of(int e) {
    const Entry x = entries_[static_cast<size_t>(e)];
    if (!x.scalar) return slot_of(e);
    const int out = slot(Slot::vector, x.dtype, x.frame);
    const int s = segment(x.frame, x.time, x.stage);
    ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
    b.store(b.scalar(x.dtype, x.slot), out);
    return out;
  }

  int add(const ColumnRef& c, int f, uint8_t time, uint8_t stage, int slot, bool scalar = false) {
    entries_.push_back({c.get(), f, c->dtype, time, stage, scalar, -1, -1, slot});
    return static_cast<int>(entries_.size()) - 1;
  }
  int add_value(const ColumnRef& c, int f, int s, int value) {
    const Segment& seg = segments_[static_cast<size_t>(s)];
    entries_.push_back({c.get(), f, c->dtype, seg.time, seg.stage, false, s, value, -1});
    return static_cast<int>(entries_.size()) - 1;
  }

  // -- columns ------------------------------------------------------------------------------------------------------------
  int get(const ColumnRef& c, int f) {
    for (size_t i = 0; i < entries_.size(); i++) {
      if (entries_[i].column == c.get() && entries_[i].frame == f) return static_cast<int>(i);
    }
    switch (c->kind) {
      case ColumnKind::constant:
        return add(c, f, 0, 0, constant_slot(c->scalar), true);
      case ColumnKind::load:
        return get_load(c, f);
      case ColumnKind::position: {
        if (cpu(f).consecutive) {
          const int s = segment(f, 0, 0);
          return add_value(c, f, s, segments_[static_cast<size_t>(s)].builder.iota(first_slot(f)));
        }
        const int out = slot(Slot::vector, DType::int64, f);
        cpu(f).needs_offsets = true;
        steps_[f].push_back({0, 0, 0, {Step::positions, 0, out}});
        return add(c, f, 0, 0, out);
      }
      case ColumnKind::local:
        return get_local(c, f);
      case ColumnKind::op:
      case ColumnKind::cast:
        return get_op(c, f);
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
      case ColumnKind::histogram:
        break;
    }
    throw ValueError("histogram: a fill can only be looked at by itself");
  }

  int get_load(const ColumnRef& c, int f) {
    const ColumnRef& index = c->args[0];
    if (index->kind == ColumnKind::position && cpu(f).consecutive) return add(c, f, 0, 0, direct_slot(c->buffer, c->dtype, f));
    const int i = get(index, f);
    const Entry& x = entries_[static_cast<size_t>(i)];
    const bool narrow = x.dtype == DType::int32;
    int index_slot;
    uint8_t time = x.time, stage = x.stage;
    if (x.scalar) {
      index_slot = vector_of(i);
      stage++;
    } else {
      const bool computed = x.slot < 0 || x.segment >= 0;
      index_slot = slot_of(i);
      if (computed) stage++;
    }
    const int s = segment(f, time, stage);
    return add_value(c, f, s,
                     segments_[static_cast<size_t>(s)].builder.gather(c->dtype, base_slot(c->buffer, c->dtype), index_slot,
                                                                      narrow ? DType::int32 : DType::int64));
  }

  int get_local(const ColumnRef& c, int f) {
    if (c->link >= 0) {
      const SpaceRef& s = c->space;
      const SpaceRef& base = s->bases[s->kind == SpaceKind::combinations ? 0 : static_cast<size_t>(c->link)];
      const ColumnRef inner = graph::local(base);
      keep_.push_back(inner);
      return get_at(c, f, nest_.base_frame(f, c->link, {}), inner);
    }
    const int out = slot(Slot::vector, DType::int64, f);
    cpu(f).needs_offsets = true;
    cpu(f).needs_local = true;
    steps_[f].push_back({0, 0, 0, {Step::local, 0, out}});
    return add(c, f, 0, 0, out);
  }

  int get_op(const ColumnRef& c, int f) {
    int args[3];
    uint8_t time = 0, stage = 0;
    const int n = c->arity();
    for (int i = 0; i < n; i++) {
      args[i] = get(c->args[i], f);
      const Entry& x = entries_[static_cast<size_t>(args[i])];
      if (std::tie(x.time, x.stage) > std::tie(time, stage)) {
        time = x.time;
        stage = x.stage;
      }
    }
    const int s = segment(f, time, stage);
    int values[3];
    for (int i = 0; i < n; i++) values[i] = in_segment(args[i], s);
    ProgramBuilder& b = segments_[static_cast<size_t>(s)].builder;
    const int v = c->kind == ColumnKind::cast
                      ? b.cast(values[0], c->dtype)
                      : b.op(c->op, c->args[c->op == Op::where ? 1 : 0]->dtype, std::span<const int>(values, static_cast<size_t>(n)));
    return add_value(c, f, s, v);
  }

  int get_parent(const ColumnRef& c, int f) {
    const int p = frame(f).parent;
    const int e = get(c->args[0], p);
    if (entries_[static_cast<size_t>(e)].scalar) return add(c, f, 0, 0, entries_[static_cast<size_t>(e)].slot, true);
    const int from = slot_of(e);
    if (p == 0) return add(c, f, 0, 0, from, true);  // unit has one position
    return add(c, f, 0, 0, expanded(from, c->dtype, f));
  }

  int expanded(int from, DType t, int f) {
    for (const auto& s : steps_[f]) {
      if (s.step.kind == Step::expand && s.step.a == from) return s.step.b;
    }
    const int out = slot(Slot::vector, t, f);
    cpu(f).needs_offsets = true;
    steps_[f].push_back({0, 0, 0, {Step::expand, from, out}});
    return out;
  }

  int get_at(const ColumnRef& c, int f, int base, const ColumnRef& inner) {
    const int e = get(inner, base);
    if (entries_[static_cast<size_t>(e)].scalar) return add(c, f, 0, 0, entries_[static_cast<size_t>(e)].slot, true);
    const int from = slot_of(e);
    const SpaceKind kind = frame(f).space->kind;
    if (kind == SpaceKind::flat || kind == SpaceKind::aligned) return add(c, f, 0, 0, from);
    const int link = link_slot(f, kind == SpaceKind::select ? 0 : c->link);
    const int s = segment(f, 0, 0);
    return add_value(c, f, s, segments_[static_cast<size_t>(s)].builder.gather(c->dtype, from, link, DType::int32));
  }

  int get_pick(const ColumnRef& c, int f) {
    const int base = nest_.pick_frame(f, *c);
    const int e = get(c->args[0], base);
    if (entries_[static_cast<size_t>(e)].scalar) return add(c, f, 0, 0, entries_[static_cast<size_t>(e)].slot, true);
    const int from = slot_of(e);
    // Where the owner's list begins in the block of the base, seen from here.
    std::vector<int> chain;
    int owner = f;
    while (frame(owner).space->depth >= c->over->depth) {
      chain.push_back(owner);
      owner = frame(owner).parent;
    }
    int begin = offsets_slot(base);
    uint8_t time = 0, stage = 0;
    if (chain.empty()) time = static_cast<uint8_t>(top_time(base, owner) + 1);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) begin = expanded(begin, DType::int32, *it);
    const int i = get(c->args[1], f);
    const int g = c->args[2] ? get(c->args[2], f) : -1;
    for (int a : {i, g}) {
      if (a < 0) continue;
      const Entry& x = entries_[static_cast<size_t>(a)];
      if (std::tie(x.time, x.stage) > std::tie(time, stage)) {
        time = x.time;
        stage = x.stage;
      }
    }
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
    return add_value(c, f, s2, segments_[static_cast<size_t>(s2)].builder.gather(c->dtype, from, index, DType::int64));
  }

  /// The time in frame `owner` of the walk that frame f is, or is inside of.
  int top_time(int f, int owner) const {
    while (frame(f).parent != owner) f = frame(f).parent;
    return frame(f).time;
  }

  int get_reduce(const ColumnRef& c, int f) {
    const int from = nest_.fold_frame(f, c);
    Accum a;
    a.reducer = static_cast<Reducer>(c->reducer);
    a.from = from;
    a.into = f;
    a.dtype = DType::int64;
    if (c->args[0]) {
      ColumnRef v = c->args[0];
      if (v->dtype == DType::float16) keep_.push_back(v = graph::cast(v, DType::float32));
      if (graph::ColumnRef(v)->dtype == DType::datetime64 || v->dtype == DType::timedelta64) a.dtype = DType::int64;
      else a.dtype = v->dtype;
      a.value = vector_of(get(v, from));
    }
    check<TypeError>(a.value < 0 || can_fold(a.reducer, a.dtype), "{}: not defined for {}", reducer_name(c->reducer),
                     name(a.dtype));
    if (c->args[1]) a.valid = vector_of(get(c->args[1], from));
    const DType t = accumulator_dtype(a.reducer, a.dtype);
    const bool arg = a.reducer == Reducer::argmin || a.reducer == Reducer::argmax;
    const int number = static_cast<int>(plan_.accums.size());
    a.slot = slot(Slot::accum, t, f, number);
    if (arg) {
      a.index_slot = slot(Slot::accum, DType::int64, f, number);
      cpu(from).needs_local = true;
    }
    cpu(from).needs_offsets = true;
    plan_.accums.push_back(a);
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

  static const char* reducer_name(graph::Reducer r) {
    constexpr const char* names[] = {"sum", "prod", "min", "max", "any", "all", "count_nonzero", "count", "argmin", "argmax"};
    return names[static_cast<int>(r)];
  }

  int get_check(const ColumnRef& c, int f) {
    const int ok = get(c->args[1], f), value = get(c->args[0], f);
    const int guard = c->args[2] ? get(c->args[2], f) : -1;
    uint8_t time = 0, stage = 0;
    for (int a : {ok, value, guard}) {
      if (a < 0) continue;
      const Entry& x = entries_[static_cast<size_t>(a)];
      if (std::tie(x.time, x.stage) > std::tie(time, stage)) {
        time = x.time;
        stage = x.stage;
      }
    }
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
    plan_.checks.push_back({c->check.get(), c->args[0]->dtype == DType::int64 ? vector_of(value) : -1, -1});
    steps_[f].push_back({time, next, 0, {Step::check, bad, static_cast<int>(plan_.checks.size()) - 1}});
    const int from = vector_of(value);
    return add(c, f, time, next, from);
  }

  // -- frames -----------------------------------------------------------------------------------------------------------
  void set_consecutive(int f) {
    const graph::Space& s = *frame(f).space;
    // Lists that follow each other in their domain do so here only if their owners do.
    cpu(f).consecutive = s.kind == SpaceKind::unit || s.kind == SpaceKind::rows ||
                         (s.contiguous && cpu(frame(f).parent).consecutive) ||
                         (s.kind == SpaceKind::flat && cpu(frame(f).inside).consecutive);
  }

  void prepare(int f) {
    const Frame& fr = frame(f);
    const graph::Space& s = *fr.space;
    if (s.kind == SpaceKind::list) {
      const bool plain = s.contiguous && cpu(fr.parent).consecutive && is_plain_load(s.starts) &&
                         is_plain_load(s.stops) && s.starts->dtype == s.stops->dtype;
      if (plain) {
        const DType t = s.starts->dtype;
        cpu(f).offsets_type = t == DType::int32 ? IndexType::i32 : t == DType::uint32 ? IndexType::u32 : IndexType::i64;
      } else {
        const int starts = starts_slot(s.starts, fr.parent), stops = starts_slot(s.stops, fr.parent);
        cpu(f).starts = starts;
        cpu(f).stops = stops;
      }
    } else if (s.kind == SpaceKind::fixed) {
      // Under consecutive positions a regular list begins at position * size.
      if (!(graph::is_stored(fr.space) && cpu(fr.parent).consecutive)) {
        const int starts = starts_slot(s.starts, fr.parent);
        cpu(f).starts = starts;
      }
    } else if (s.kind == SpaceKind::select) {
      link_slot(f, 0);
    } else if (s.kind == SpaceKind::combinations || s.kind == SpaceKind::cartesian) {
      for (int k = 0; k < s.k; k++) link_slot(f, k);
    }
    for (int b : fr.bases) cpu(b).needs_offsets = true;
  }

  static bool is_plain_load(const ColumnRef& c) {
    return c->kind == ColumnKind::load && c->args[0]->kind == ColumnKind::position;
  }

  int starts_slot(const ColumnRef& c, int parent) {
    const ColumnRef wide = graph::cast(c, DType::int64);
    keep_.push_back(wide);
    return vector_of(get(wide, parent));
  }

  void emit_outputs() {
    for (const auto& o : nest_.outputs()) {
      if (o.histogram) {
        plan_.output_slots.push_back(-1);
        plan_.output_appends.push_back(false);
        continue;
      }
      const bool known = has_known_size(o.frame);
      const int out = slot(Slot::output, o.column->dtype, o.frame, static_cast<int>(plan_.output_slots.size()));
      plan_.output_slots.push_back(out);
      plan_.output_appends.push_back(!known);
      if (!known) cpu(o.frame).appends = true;
      const int e = get(o.column, o.frame);
      const Entry x = entries_[static_cast<size_t>(e)];
      const int s = x.segment >= 0 ? x.segment : segment(o.frame, x.time, x.stage);
      const int v = in_segment(e, s);
      segments_[static_cast<size_t>(s)].builder.store(v, out);
    }
  }

  /// Items of the space stand at known places of the output: unit, rows, and stored lists.
  bool has_known_size(int f) const {
    const SpaceRef& s = frame(f).space;
    return s->kind == SpaceKind::unit || s->kind == SpaceKind::rows || graph::is_stored(s);
  }

  void emit_ends() {
    for (size_t i = 0; i < plan_.accums.size(); i++) {
      ends_.resize(nest_.frames().size());
      ends_[static_cast<size_t>(plan_.accums[i].from)].push_back({Step::fold, static_cast<int>(i), 0});
    }
    ends_.resize(nest_.frames().size());
    for (size_t o = 0; o < nest_.outputs().size(); o++) {
      const auto& out = nest_.outputs()[o];
      if (!out.histogram) continue;
      HistogramSink h;
      h.output = static_cast<int>(o);
      ColumnRef v = out.column->args[0];
      if (v->dtype == DType::float16) keep_.push_back(v = graph::cast(v, DType::float32));
      h.value = vector_of(get(v, out.frame));
      h.value_dtype = v->dtype;
      h.weight = -1;
      h.weight_dtype = DType::float64;
      if (out.column->args[1]) {
        ColumnRef w = out.column->args[1];
        if (w->dtype != DType::float32) keep_.push_back(w = graph::cast(w, DType::float64));
        h.weight = vector_of(get(w, out.frame));
        h.weight_dtype = w->dtype;
      }
      h.axis = {out.column->axis.bins, out.column->axis.lo, out.column->axis.hi};
      plan_.histograms.push_back(h);
      ends_[static_cast<size_t>(out.frame)].push_back({Step::histogram, static_cast<int>(plan_.histograms.size()) - 1, 0});
    }
  }

  void finish() {
    for (auto& s : segments_) {
      plan_.programs.push_back(std::move(s.builder).finish());
      if (plan_.programs.back().empty()) continue;
      steps_[s.frame].push_back({s.time, s.stage, 1, {Step::program, static_cast<int>(plan_.programs.size()) - 1, 0}});
    }
    for (size_t f = 0; f < steps_.size(); f++) {
      auto& steps = steps_[f];
      std::stable_sort(steps.begin(), steps.end(), [](const TimedStep& a, const TimedStep& b) {
        return std::tie(a.time, a.stage, a.order) < std::tie(b.time, b.stage, b.order);
      });
      for (const auto& s : steps) cpu(static_cast<int>(f)).steps.push_back(s.step);
      for (const auto& s : ends_[f]) cpu(static_cast<int>(f)).steps.push_back(s);
      for (int i : frame(static_cast<int>(f)).filters) cpu(static_cast<int>(f)).steps.push_back({Step::filter, i, 0});
    }
    // A derived space's offsets come from its base's.
    for (size_t i = plan_.frames.size(); i-- > 1;) {
      const Frame& fr = frame(static_cast<int>(i));
      if (fr.inside >= 0) {
        const bool flat = fr.space->kind == SpaceKind::flat;
        if (flat && fr.parent == 0) continue;  // unit owns one list
        if (plan_.frames[i].needs_offsets || flat) cpu(fr.inside).needs_offsets = true;
        if (flat) cpu(frame(fr.inside).parent).needs_offsets = true;
        if (plan_.frames[i].needs_local) cpu(fr.inside).needs_offsets = true;
      }
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

  Nest& nest_;
  CpuPlan plan_;
  std::vector<Entry> entries_;
  std::vector<Segment> segments_;
  std::vector<std::vector<TimedStep>> steps_;
  std::vector<std::vector<Step>> ends_;
  std::vector<ColumnRef> keep_;
};

}  // namespace

CpuPlan make_plan(graph::Nest& nest) { return Emitter(nest).run(); }

}  // namespace serrate::cpu
