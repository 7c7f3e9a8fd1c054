// Making and comparing columns. Constructors simplify what costs nothing to simplify.
#include <algorithm>
#include <array>

#include "core/host.h"
#include "core/types/reducer_info.h"
#include "core/where.h"
#include "graph/evaluate.h"
#include "graph/extremes.h"
#include "graph/ir.h"
#include "graph/known.h"
#include "graph/operation.h"
#include "graph/scatter.h"
#include "graph/selection.h"
#include "graph/store.h"
#include "serrate/error.h"
#include "serrate/function.h"

namespace serrate::graph {
namespace {

/// The one list of a whole array is reduced once, whoever asks.
bool is_reduced_often(const Column& c) {
  return c.kind == ColumnKind::reduce && c.space->kind != SpaceKind::unit;
}

/// What a column adds to the height: each call is a stage of a plan, of which there are 255.
int step_of(const Column& c) { return c.kind == ColumnKind::call ? 4 : 1; }

struct Maker {
  Column* c = new Column;
  Maker(ColumnKind kind, DType t, const SpaceRef& space) {
    c->kind = kind;
    c->dtype = t;
    c->space = space;
    c->walks = space ? space->walks : 0;
    c->reduces = space && space->reduces;
  }
  Maker& arg(int i, ColumnRef a) {
    if (a) {
      c->height = std::max<uint16_t>(c->height, a->height + step_of(*c));
      add_below(*c, *a);
    }
    c->args[i] = std::move(a);
    return *this;
  }
  Maker& over(const SpaceRef& s) {
    if (s) add_below(*c, *s);
    c->over = s;
    return *this;
  }
  ColumnRef done_after_all() {
    add_walk(*c, kWalkAfter);
    return done();
  }
  ColumnRef done() {
    c->reduces |= is_reduced_often(*c);
    return ColumnRef(c);
  }
};

bool is_constant(const ColumnRef& c, int64_t v) {
  return c->kind == ColumnKind::constant && !is_floating(c->dtype) && !is_complex(c->dtype) &&
         c->scalar.i == v;
}

/// uint64 holds no negative and int64 no large value, and a double would round both: where the
/// signed one is negative the order is known, elsewhere both are compared as uint64.
ColumnRef compare_signed(Op op, const ColumnRef& a, const ColumnRef& b) {
  const bool a_signed = is_signed_integer(a->dtype);
  const ColumnRef negative = apply(Op::less, {a_signed ? a : b, constant(0)});
  const ColumnRef c = apply(op, {cast(a, DType::uint64), cast(b, DType::uint64)});
  const bool a_below = op == Op::less || op == Op::less_equal;
  const bool if_negative = op == Op::not_equal || (op != Op::equal && a_below == a_signed);
  if (if_negative) return apply(Op::logical_or, {negative, c});
  return apply(Op::logical_and, {apply(Op::logical_not, {negative}), c});
}

ColumnRef check_over(const SpaceRef& space, ColumnRef value, ColumnRef ok, ColumnRef guard,
                     std::shared_ptr<const CheckInfo> info) {
  Maker m(ColumnKind::check, value->dtype, space);
  m.c->check = std::move(info);
  ColumnRef made = m.arg(0, std::move(value)).arg(1, std::move(ok)).arg(2, std::move(guard)).done();
  Operation::note(made);
  return made;
}

}  // namespace

void add_parts(Column& c) {
  c.height = 0;
  c.walks = c.space ? c.space->walks : 0;
  c.reduces = (c.space && c.space->reduces) || is_reduced_often(c);
  c.copied.set(0);
  if (c.over) add_below(c, *c.over);
  for (const ColumnRef& a : c.args) {
    if (!a) continue;
    c.height = std::max<uint16_t>(c.height, a->height + step_of(c));
    add_below(c, *a);
  }
  const bool is_derived_pick = c.kind == ColumnKind::pick && !c.over->bases.empty();
  if (is_derived_pick) add_walk(c, kWalkInside);
  // Owners may be known after a walk over all items; then these are walked again.
  if (c.kind == ColumnKind::parent || c.kind == ColumnKind::histogram ||
      c.kind == ColumnKind::barrier)
    add_walk(c, kWalkAfter);
}

ColumnRef constant(Scalar s, bool weak) {
  Maker m(ColumnKind::constant, s.dtype, {});
  m.c->scalar = s;
  m.c->weak = weak;
  return m.done();
}

ColumnRef constant(int64_t v) { return constant(Scalar::of(v)); }

ColumnRef load(const Buffer& b, DType t, ColumnRef index) {
  const Column& i = *index;
  // position + constant is the buffer from there on: slices stay plain loads.
  if (i.kind == ColumnKind::op && i.op == Op::add && i.args[0]->kind == ColumnKind::position &&
      i.args[1]->kind == ColumnKind::constant) {
    const int64_t bytes = i.args[1]->scalar.i * itemsize(t);
    if (bytes >= 0 && bytes <= b.bytes()) return load(b.slice(bytes), t, i.args[0]);
  }
  Maker m(ColumnKind::load, t, i.space);
  // A guarded gather reads item 0 where there is none, which an empty buffer does not have.
  static const Buffer& zeros = *new Buffer(Buffer::copy_of(std::string(16, '\0').data(), 16));
  const bool gathers = i.kind != ColumnKind::position;
  m.c->buffer = gathers && b.bytes() < itemsize(t) && on_host(b) ? zeros : b;
  return m.arg(0, std::move(index)).done();
}

ColumnRef position(const SpaceRef& s) {
  // Derived spaces have no domain: lists made of their positions all begin at 0.
  if (!s->bases.empty()) return constant(0);
  return Maker(ColumnKind::position, DType::int64, s).done();
}

ColumnRef local(const SpaceRef& s, int link) {
  if (link < 0 && s->kind == SpaceKind::rows) return position(s);
  Maker m(ColumnKind::local, DType::int64, s);
  m.c->link = static_cast<int16_t>(link);
  return m.done();
}

namespace {

/// The angle of a real number: that of a complex one without imaginary part.
ColumnRef angle_of_real(const ColumnRef& x) {
  const auto number = [&](double d) { return constant(Scalar::of(d, x->dtype)); };
  const ColumnRef angle = apply(Op::where, {apply(Op::signbit, {x}), number(M_PI), number(0)});
  return apply(Op::where, {apply(Op::isnan, {x}), x, angle});
}

/// What is an operation on the parts of complex numbers, for which there are vectors, or a product.
/// Null: neither.
ColumnRef by_parts(Op op, const ColumnRef* args, size_t n) {
  if (args[0]->kind == ColumnKind::constant || !is_complex(args[0]->dtype)) return {};
  if (n == 1 && (op == Op::absolute || op == Op::angle)) {
    const ColumnRef re = apply(Op::real, {args[0]}), im = apply(Op::imag, {args[0]});
    return op == Op::angle ? apply(Op::arctan2, {im, re}) : apply(Op::hypot, {re, im});
  }
  const bool squares = op == Op::power && args[1]->kind == ColumnKind::constant &&
                       args[1]->scalar.f == 2 && args[1]->scalar.im == 0;
  return squares ? apply(Op::multiply, {args[0], args[0]}) : ColumnRef();
}

}  // namespace

ColumnRef apply(Op op, Operands operands) {
  auto& args = operands.columns;
  const size_t n = operands.size;
  DType types[3];
  bool any_strong = false;
  for (size_t i = 0; i < n; i++) {
    any_strong |= !args[i]->weak;
    types[i] = args[i]->dtype;
  }
  if (any_strong && n > 1) {
    // A weak constant takes the type of the strong operands, unless its kind is higher (NEP 50).
    const size_t first = op == Op::where ? 1 : 0;
    for (size_t i = first; i < n; i++) {
      if (!args[i]->weak) continue;
      for (size_t j = first; j < n; j++) {
        if (!args[j]->weak) types[i] = promote_weak(args[j]->dtype, args[i]->dtype);
      }
    }
  }
  if (n == 2 && (info(op).flags & kCompares)) {
    const bool swapped = types[0] == DType::uint64;
    if ((swapped || types[1] == DType::uint64) && is_signed_integer(types[swapped ? 1 : 0]))
      return compare_signed(op, args[0], args[1]);
  }
  const OpTypes r = resolve(op, std::span<const DType>(types, n));
  if (const auto known = test_of_integers(op, types[0])) return constant(Scalar::boolean(*known));
  for (size_t i = 0; i < n; i++) args[i] = cast(std::move(args[i]), r.compute[i]);
  if (n == 1 && keeps(op, r.compute[0]) && r.result == r.compute[0]) return args[0];
  if (op == Op::angle && is_floating(args[0]->dtype) && args[0]->kind != ColumnKind::constant)
    return angle_of_real(args[0]);
  if (ColumnRef c = known_condition(op, args, n)) return c;
  if (ColumnRef c = by_parts(op, args, n)) return c;
  const SpaceRef* space = &args[0]->space;
  for (size_t i = 1; i < n; i++) {
    if (args[i]->space) space = &args[i]->space;
  }
  if (n == 2 && op == Op::add && is_integer(r.result) && is_constant(args[1], 0)) return args[0];
  if (n == 2 && op == Op::add && args[1]->kind == ColumnKind::constant &&
      args[0]->kind == ColumnKind::op && args[0]->op == Op::add && r.result == DType::int64 &&
      args[0]->args[1]->kind == ColumnKind::constant) {
    return apply(Op::add,
                 {args[0]->args[0], constant(args[0]->args[1]->scalar.i + args[1]->scalar.i)});
  }
  if (n == 2 && op == Op::multiply && is_integer(r.result) && is_constant(args[1], 1))
    return args[0];
  Maker m(ColumnKind::op, r.result, *space);
  m.c->op = op;
  for (size_t i = 0; i < n; i++) m.arg(static_cast<int>(i), std::move(args[i]));
  return m.done();
}

ColumnRef cast(ColumnRef c, DType t) {
  if (c->dtype == t) {
    return c;
  }
  if (c->kind == ColumnKind::constant) return constant(c->scalar.as(t));
  Maker m(ColumnKind::cast, t, c->space);
  return m.arg(0, std::move(c)).done();
}

ColumnRef parent(const SpaceRef& child, ColumnRef c) {
  if (c->kind == ColumnKind::constant) return c;
  Maker m(ColumnKind::parent, c->dtype, child);
  return m.arg(0, std::move(c)).done_after_all();
}

ColumnRef lift(ColumnRef c, const SpaceRef& from, const SpaceRef& to) {
  if (c->kind == ColumnKind::constant || to->depth <= from->depth) return c;
  return parent(to, lift(std::move(c), from, to->parent));
}

ColumnRef at(const SpaceRef& derived, int link, ColumnRef c) {
  if (c->kind == ColumnKind::constant) return c;
  // The owner of a position and of its base position is the same list (but for flat).
  if (c->kind == ColumnKind::parent && derived->kind != SpaceKind::flat)
    return parent(derived, c->args[0]);
  if (derived->kind == SpaceKind::aligned && c->kind == ColumnKind::local && c->link < 0)
    return local(derived);
  Maker m(ColumnKind::at, c->dtype, derived);
  m.c->link = static_cast<int16_t>(link);
  return m.arg(0, std::move(c)).done();
}

namespace {

/// Known without a look at the data: no number below 0, and no -0.0.
bool is_never_negative(const Column& c, int deepest = 8) {
  if (c.kind != ColumnKind::op || deepest == 0) return false;
  const auto is = [&](int i) { return is_never_negative(*c.args[i], deepest - 1); };
  switch (c.op) {
    case Op::square:
    case Op::absolute:
      return is_floating(c.dtype);
    case Op::multiply:
      return (c.args[0] == c.args[1] && is_floating(c.dtype)) || (is(0) && is(1));
    case Op::add:
    case Op::maximum:
    case Op::minimum:
      return is(0) && is(1);
    case Op::sqrt:
      return is(0);
    default:
      return false;
  }
}

bool is_op(const Column& c, Op op) { return c.kind == ColumnKind::op && c.op == op; }

/// x of copysign(sqrt(absolute(x)), x), else null.
ColumnRef below_signed_root(const Column& c) {
  if (!is_op(c, Op::copysign) || !is_op(*c.args[0], Op::sqrt)) return {};
  const Column& size = *c.args[0]->args[0];
  return is_op(size, Op::absolute) && size.args[0] == c.args[1] ? c.args[1] : ColumnRef();
}

/// The smallest root is the root of the smallest number, and so on: f(x) is as large as x is, so f
/// is needed once for each list. Null where the value is no such f.
ColumnRef reduced_below(Reducer r, const SpaceRef& over, const Column& value,
                        const ColumnRef& take_part) {
  if ((r != Reducer::min && r != Reducer::max) || !is_floating(value.dtype)) return {};
  if (const ColumnRef x = below_signed_root(value)) {
    const ColumnRef best = reduce(r, over, x, take_part);
    return apply(Op::copysign, {apply(Op::sqrt, {apply(Op::absolute, {best})}), best});
  }
  // Of no items max is -inf, which has no root.
  if (r == Reducer::min && is_op(value, Op::sqrt) && is_never_negative(*value.args[0]))
    return apply(Op::sqrt, {reduce(r, over, value.args[0], take_part)});
  return {};
}

}  // namespace

ColumnRef reduce(Reducer r, const SpaceRef& over, ColumnRef value, ColumnRef take_part) {
  if (value) {
    if (ColumnRef known = reduced_below(r, over, *value, take_part)) return known;
  }
  // Items that take part are counted by summing the condition.
  if (r == Reducer::count)
    return take_part ? reduce(Reducer::sum, over, cast(std::move(take_part), DType::boolean))
                     : count(over);
  const DType t = result_type(r, value->dtype);
  check<TypeError>(is_defined(r, value->dtype), "{}: not defined for {}", info(r).name,
                   name(value->dtype));
  Maker m(ColumnKind::reduce, t, over->parent);
  m.c->reducer = r;
  // A constant has no space of its own; the list it is reduced over is named by `over`.
  return m.over(over).arg(0, std::move(value)).arg(1, std::move(take_part)).done();
}

ColumnRef count(const SpaceRef& over) {
  switch (over->kind) {
    case SpaceKind::rows:
    case SpaceKind::fixed:
      return constant(over->size);
    case SpaceKind::list: {
      if (is_constant(over->starts, 0)) return cast(over->stops, DType::int64);
      if (ColumnRef n = length_of_slice(over->starts, over->stops)) return n;
      return apply(Op::subtract,
                   {cast(over->stops, DType::int64), cast(over->starts, DType::int64)});
    }
    default: {
      if (const SpaceRef* items = joined_items(*over)) {
        if (const int64_t size = size_at_hand(*items); size >= 0) return constant(size);
      }
      Maker m(ColumnKind::reduce, DType::int64, over->parent);
      m.c->reducer = Reducer::count;
      return m.over(over).done();
    }
  }
}

void CheckInfo::raise(const std::string& filled) const {
  if (family == Family::index) throw IndexError(filled);
  if (family == Family::overflow) throw OverflowError(filled);
  if (family == Family::function) throw FunctionError(filled, replay);
  throw ValueError(filled);
}

ColumnRef check_column(ColumnRef value, ColumnRef ok, ColumnRef guard,
                       std::shared_ptr<const CheckInfo> info) {
  if (!ok) return value;
  // Constants have no space: it is where it is asked whether to look, then.
  const SpaceRef space = value->space          ? value->space
                         : ok->space || !guard ? ok->space
                                               : guard->space;
  return check_over(space, std::move(value), std::move(ok), std::move(guard), std::move(info));
}

ColumnRef checked_index(const SpaceRef& space, const SpaceRef& over, ColumnRef index,
                        ColumnRef guard, std::string where) {
  ColumnRef n = lift(count(over), over->parent, space);
  index = cast(std::move(index), DType::int64);
  if (is_index_of_extreme(*index, over, guard) || is_index_in_order(*index, over)) return index;
  auto info = std::make_shared<CheckInfo>();
  info->family = CheckInfo::Family::index;
  // An index that is data is known when it fails, counted from the front.
  info->text = index->kind == ColumnKind::constant ? fmt::format("index {} is", index->scalar.i)
                                                   : std::string("index {index} is");
  info->text += " out of range for the list at position {position}";
  if (n->kind == ColumnKind::constant && index->kind == ColumnKind::constant) {
    const int64_t i = index->scalar.i, size = n->scalar.i;
    // Elsewhere than over the unit space there may be no position that asks.
    check<IndexError>((i >= -size && i < size) || guard || space->kind != SpaceKind::unit,
                      "{}: index {} is out of range for size {}", where, i, size);
    if (i >= -size && i < size) return constant(i < 0 ? i + size : i);
  }
  info->where = current_where(std::move(where));
  ColumnRef wrapped, ok;
  if (index->kind == ColumnKind::constant) {
    // Which end it counts from is known, and so is one of its bounds.
    const int64_t i = index->scalar.i;
    wrapped = i < 0 ? apply(Op::add, {n, index}) : index;
    const int64_t least = i == INT64_MIN ? INT64_MAX : -i;  // no list has as many
    ok = i < 0 ? apply(Op::greater_equal, {n, constant(least)}) : apply(Op::greater, {n, index});
  } else {
    wrapped = apply(Op::where,
                    {apply(Op::less, {index, constant(0)}), apply(Op::add, {index, n}), index});
    ok = apply(Op::logical_and,
               {apply(Op::greater_equal, {wrapped, constant(0)}), apply(Op::less, {wrapped, n})});
  }
  if (guard && implies(guard, ok)) return wrapped;
  if (holds_after_filter(space, ok)) return wrapped;
  // Constants have no space of their own, but something must ask.
  return check_over(space, std::move(wrapped), std::move(ok), std::move(guard), std::move(info));
}

ColumnRef histogram(const SpaceRef& over, ColumnRef cell, ColumnRef weight, int64_t n) {
  if (weight) {
    const DType t = weight->dtype;
    const bool exact = is_integer(t) || t == DType::boolean;
    weight = cast(std::move(weight), exact ? DType::int64 : DType::float64);
  }
  if (cell->dtype != DType::int32) cell = cast(std::move(cell), DType::int64);
  return scatter(Reducer::sum, over, std::move(cell), std::move(weight), n);
}

ColumnRef scatter(Reducer r, const SpaceRef& over, ColumnRef cell, ColumnRef value, int64_t n) {
  Maker m(ColumnKind::histogram, value ? value->dtype : DType::int64, rows(n));
  m.c->reducer = r;
  return m.over(over).arg(0, std::move(cell)).arg(1, std::move(value)).done_after_all();
}

namespace {

DType barrier_type(Barrier b, Reducer r, DType key) {
  if (b == Barrier::argsort || b == Barrier::inverse) return DType::int64;
  return b == Barrier::scan ? result_type(r, key) : key;
}

ColumnRef make_barrier(Barrier b, const SpaceRef& space, const SpaceRef& over, ColumnRef key,
                       ColumnRef take_part, bool descending, Reducer r = {},
                       const Scalar& places = {}) {
  // Sorts of them are for back ends that say so (Capabilities::sorts_complex).
  const bool sorts = b == Barrier::argsort || b == Barrier::sort;
  const bool in_order = !sorts && (b != Barrier::scan || info(r).is_extreme());
  check<TypeError>(!in_order || !is_complex(key->dtype), "complex numbers have no order");
  Maker m(ColumnKind::barrier, barrier_type(b, r, key->dtype), space);
  m.c->barrier = b;
  m.c->reducer = r;
  m.c->descending = descending;
  m.c->scalar = places;
  if (take_part && ((take_part->kind == ColumnKind::constant && take_part->scalar.i) ||
                    (sorts && !is_floating(places.dtype) && !is_complex(key->dtype) &&
                     is_all_but_nan(*take_part, *key))))
    take_part = {};
  return m.over(over).arg(0, std::move(key)).arg(1, std::move(take_part)).done_after_all();
}

}  // namespace

ColumnRef barrier(Barrier b, const SpaceRef& space, ColumnRef key, ColumnRef take_part,
                  bool descending) {
  return make_barrier(b, space, {}, std::move(key), std::move(take_part), descending);
}

ColumnRef barrier_at(Barrier b, const SpaceRef& space, ColumnRef key, ColumnRef take_part,
                     bool descending, const Places& places) {
  return make_barrier(b, space, {}, std::move(key), std::move(take_part), descending, {},
                      places.said());
}

ColumnRef barrier_at(const Column& b, const Places& places) {
  return make_barrier(b.barrier, b.space, b.over, b.args[0], b.args[1], b.descending, b.reducer,
                      places.said());
}

Scalar Places::said() const {
  if (first > 0) return Scalar::of(first);
  if (at) return Scalar::of(-1 - *at);
  return part ? Scalar::of(*part) : Scalar();
}

Places Places::of(const Column& barrier) {
  const Scalar& s = barrier.scalar;
  if (is_floating(s.dtype)) return {.part = s.f};
  if (s.i < 0) return {.at = -1 - s.i};
  return {.first = s.i};
}

ColumnRef barrier_of_strings(const SpaceRef& bytes, ColumnRef key, ColumnRef take_part,
                             bool descending) {
  return make_barrier(Barrier::argsort, bytes->parent, bytes, std::move(key), std::move(take_part),
                      descending);
}

ColumnRef scan(Reducer r, const SpaceRef& space, ColumnRef key, ColumnRef take_part) {
  return make_barrier(Barrier::scan, space, {}, std::move(key), std::move(take_part), false, r);
}

ColumnRef scan_by(Op op, const SpaceRef& space, ColumnRef key) {
  const DType t = key->dtype;
  const std::array both{t, t};
  const OpTypes types = resolve(op, both);
  check<TypeError>(types.compute[0] == t && types.compute[1] == t && types.result == t,
                   "{}: {} is not the type of its results", info(op).name, name(t));
  Maker m(ColumnKind::barrier, t, space);
  m.c->barrier = Barrier::op_scan;
  m.c->op = op;
  return m.arg(0, std::move(key)).done_after_all();
}

}  // namespace serrate::graph
