// Barriers from sorts of plain numbers and passes over the data: see barriers.h.
#include <algorithm>
#include <limits>

#include "core/types/reducer_info.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/lengths.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

/// Sorted by `first` where `order` says no other: stable sorts, the most important key last.
ColumnRef then_by(const SpaceRef& s, const ColumnRef& order, const ColumnRef& key,
                  bool descending) {
  if (!order) return barrier(Barrier::argsort, s, key, {}, descending);
  const ColumnRef next = barrier(Barrier::argsort, s, pick(s, s, key, order), {}, descending);
  return stored_over(s, pick(s, s, order, next));
}

/// Items that take no part have equal keys, so that they stay in order.
ColumnRef where_part(const ColumnRef& take_part, const ColumnRef& key) {
  if (!take_part) return key;
  return apply(Op::where, {take_part, key, constant(Scalar::of(int64_t{0}, key->dtype))});
}

/// Eight bytes at a time, from the last ones. Shorter strings are filled up with zeros, so their
/// lengths come before: in the place of the last byte, if they fit there.
ColumnRef order_of_strings(const Column& c, const SpaceRef& space, const Node& key,
                           const ColumnRef& take_part) {
  const SpaceRef& bytes = key.space;
  const ColumnRef& byte = key.contents[0]->column;
  const int64_t most = look_for_longest(bytes);
  const bool has_length = most < 256;
  const ColumnRef size = cast(count(bytes), DType::int64);
  ColumnRef order;
  if (!has_length) order = then_by(space, {}, where_part(take_part, size), c.descending);
  const int64_t last = (most - (has_length ? 0 : 1)) / 8 * 8;
  for (int64_t from = last; from >= 0; from -= 8) {
    const SpaceRef eight = fixed(space, constant(0), 8);
    const ColumnRef i = local(eight);
    const ColumnRef at = apply(Op::add, {i, constant(from)});
    const ColumnRef length = parent(eight, size);
    const ColumnRef has = apply(Op::less, {at, length});
    ColumnRef value = pick(eight, bytes, byte, at, has);
    ColumnRef some = has;
    if (has_length && from == last) {
      const ColumnRef is_length = apply(Op::equal, {i, constant(7)});
      value = apply(Op::where, {is_length, length, value});
      some = apply(Op::logical_or, {has, is_length});
    }
    value = cast(value, DType::uint64);
    const ColumnRef bits = cast(
        apply(Op::multiply, {apply(Op::subtract, {constant(7), i}), constant(8)}), DType::uint64);
    const ColumnRef none = constant(Scalar::of(int64_t{0}, DType::uint64));
    const ColumnRef part = apply(Op::where, {some, apply(Op::left_shift, {value, bits}), none});
    const ColumnRef chunk = where_part(take_part, reduce(Reducer::sum, eight, part));
    order = then_by(space, order, stored_over(space, chunk), c.descending);
  }
  return order;
}

/// What nothing comes behind.
Scalar last_in_order(DType t, bool descending) {
  if (is_floating(t)) return Scalar::of(std::numeric_limits<double>::quiet_NaN()).as(t);
  if (is_time(t)) return Scalar::of(std::numeric_limits<int64_t>::min(), t);
  return identity(descending ? Reducer::max : Reducer::min, t);
}

/// a times the product of some items. Behind a zero finite ones give zeros, though their own
/// product is too large.
ColumnRef product(const ColumnRef& a, const ColumnRef& b, const ColumnRef& all_finite) {
  const ColumnRef zero = constant(Scalar::of(0.0).as(a->dtype));
  const ColumnRef is_large = apply(Op::logical_not, {apply(Op::isfinite, {b})});
  const ColumnRef stays =
      apply(Op::logical_and,
            {all_finite, apply(Op::logical_and, {apply(Op::equal, {a, zero}), is_large})});
  const ColumnRef negative = apply(Op::signbit, {b});
  return apply(Op::where, {stays, apply(Op::where, {negative, apply(Op::negative, {a}), a}),
                           apply(Op::multiply, {a, b})});
}

/// Adds to each item what stands 1, 2, 4 ... places before it (Hillis and Steele, 1986).
ColumnRef scan(const Column& c, const SpaceRef& space, const ColumnRef& key,
               const ColumnRef& take_part) {
  const Op op = info(c.reducer).running;
  check<TypeError>(!(is_time(c.dtype) && c.reducer == Reducer::prod),
                   "scan: times have no product");
  ColumnRef v = cast(key, c.dtype);
  // Items that take no part are given the value that changes nothing.
  if (take_part) v = apply(Op::where, {take_part, v, constant(identity(c.reducer, c.dtype))});
  const int64_t size = look_for_longest(space);
  const ColumnRef i = local(space);
  ColumnRef finite;  // all that v is made of
  if (op == Op::multiply && is_floating(c.dtype)) finite = apply(Op::isfinite, {v});
  for (int64_t step = 1; step < size; step *= 2) {
    const ColumnRef has = apply(Op::greater_equal, {i, constant(step)});
    const auto before = [&](const ColumnRef& of) {
      return pick(space, space, of, apply(Op::subtract, {i, constant(step)}), has);
    };
    const ColumnRef more = finite ? product(before(v), v, finite) : apply(op, {before(v), v});
    if (finite)
      finite = stored_over(
          space, apply(Op::where, {has, apply(Op::logical_and, {before(finite), finite}), finite}));
    v = stored_over(space, apply(Op::where, {has, more, v}));
  }
  return v;
}

/// Steps of 1, 2, 4 ... places where the order does not matter; else one place after the other,
/// which is for short lists.
ColumnRef scan_by_passes(Op op, const SpaceRef& space, ColumnRef v) {
  const int64_t size = look_for_longest(space);
  const ColumnRef i = local(space);
  const bool doubles = (info(op).flags & kAssociative) != 0;
  for (int64_t step = 1; step < size; step = doubles ? 2 * step : step + 1) {
    const ColumnRef back = constant(doubles ? step : 1);
    const ColumnRef has = apply(doubles ? Op::greater_equal : Op::equal, {i, constant(step)});
    const ColumnRef before = pick(space, space, v, apply(Op::subtract, {i, back}), has);
    v = stored_over(space, apply(Op::where, {has, apply(op, {before, v}), v}));
  }
  return v;
}

}  // namespace

ColumnRef sort_key(const Column& c) {
  return apply(Op::where,
               {c.args[1], c.args[0], constant(last_in_order(c.args[0]->dtype, c.descending))});
}

ColumnRef lower_barrier(const Column& c, const SpaceRef& space, const NodeRef& key,
                        const ColumnRef& take_part) {
  switch (c.barrier) {
    case Barrier::argsort: {
      if (!c.over && !take_part) return {};
      ColumnRef order = c.over
                            ? order_of_strings(c, space, *key, take_part)
                            : then_by(space, {}, where_part(take_part, key->column), c.descending);
      if (take_part) order = then_by(space, order, apply(Op::logical_not, {take_part}), false);
      return order;
    }
    case Barrier::sort:
    case Barrier::inverse:
      return {};
    case Barrier::op_scan:
      return scan_by_passes(c.op, space, key->column);
    default:
      return scan(c, space, key->column, take_part);
  }
}

}  // namespace serrate::graph
