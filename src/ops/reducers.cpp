// sum, prod, min, max, any, all, count, count_nonzero, argmin, argmax: one number per list.
#include <cmath>
#include <limits>

#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/fold.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/sorting.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// What min and max of nothing give if not None.
Scalar identity(Reducer r, DType t) {
  const bool max = r == Reducer::max;
  if (t == DType::boolean) return Scalar::boolean(!max);
  if (is_floating(t) || is_complex(t)) {
    const double inf = std::numeric_limits<double>::infinity();
    return Scalar::of(max ? -inf : inf).as(t);
  }
  const int bits = 8 * itemsize(t);
  if (is_unsigned_integer(t)) {
    Scalar s = Scalar::of(int64_t{0}, t);
    if (!max) s.u = std::numeric_limits<uint64_t>::max() >> (64 - bits);
    return s;
  }
  const int64_t high = std::numeric_limits<int64_t>::max() >> (64 - bits);
  // The smallest time is NaT.
  return Scalar::of(max ? -high - (is_time(t) ? 0 : 1) : high, t);
}

bool is_extreme(Reducer r) { return r == Reducer::min || r == Reducer::max; }
bool is_position(Reducer r) { return r == Reducer::argmin || r == Reducer::argmax; }

void check_times(std::string_view name, Reducer r, const Node& value) {
  const DType t = value.column->dtype;
  if (!is_time(t)) return;
  const bool adds = r == Reducer::sum && t == DType::datetime64;
  check<ValueError>(!adds && r != Reducer::prod, "{}: not defined for {}", name, type_text(value));
}

/// Strings are true if they have a character; of a union each member by its own rule.
ColumnRef truth_of(const Node& n) {
  if (is_string(n)) return apply(Op::greater, {count(n.space), constant(0)});
  if (n.kind != NodeKind::union_) return cast(n.column, DType::boolean);
  ColumnRef any = constant(Scalar::boolean(false));
  for (size_t k = 0; k < n.contents.size(); k++)
    any = apply(Op::logical_or,
                {any, apply(Op::logical_and, {is_member(n, k), truth_of(*n.contents[k])})});
  return any;
}

/// The smallest or largest of values that are no numbers, or its position.
NodeRef first_in_order(Reducer r, const FoldedLists& lists, const NodeRef& value,
                       const ColumnRef& take_part, const ColumnRef& some) {
  const SpaceRef& over = lists.items();
  const bool descending = r == Reducer::max || r == Reducer::argmax;
  const ColumnRef order =
      order_of(over, take_part ? option_node(take_part, value) : value, descending);
  const ColumnRef first = pick(over->parent, over, order, constant(0), some);
  if (!is_position(r)) return rebase_pick(value, over->parent, over, first, some);
  return leaf(apply(Op::where, {some, lists.row_at(first, some), constant(-1)}));
}

/// Strings and unions; null for reducers that are only for numbers.
NodeRef reduce_values(Reducer r, const FoldedLists& lists, const NodeRef& value,
                      const ColumnRef& take_part, const ColumnRef& some) {
  if (r == Reducer::count) return leaf(lists.count(take_part));
  if (is_extreme(r) || is_position(r)) return first_in_order(r, lists, value, take_part, some);
  return leaf(lists.reduce(r, truth_of(*value), take_part));
}

/// NaN, or NaT of times.
Scalar not_a_number(DType t) {
  if (!is_time(t)) return Scalar::of(std::nan("")).as(t);
  Scalar s = Scalar::of(std::numeric_limits<int64_t>::min());
  s.dtype = t;
  return s;
}

Array reduce_array(std::string name, Reducer r, const Array& x, const ReduceOptions& o) {
  const graph::Operation operation;
  const bool none_for_empty = o.mask_identity.value_or(is_extreme(r) || is_position(r));
  const bool adds = r == Reducer::sum || r == Reducer::prod;
  check<ValueError>(!o.initial || is_extreme(r) || adds,
                    "{}: initial is for sum, prod, min and max only", name);
  const FoldOptions options{name,           o.axis, o.keepdims,        false,
                            is_position(r), !adds,  r != Reducer::prod};
  const Fold fold = [&](const FoldedLists& lists, const NodeRef& value,
                        const ColumnRef& take_part) -> NodeRef {
    if (value->kind != NodeKind::leaf) {
      check<TypeError>(!o.initial, "{}: initial is for numbers only", name);
      const ColumnRef some = apply(Op::greater, {lists.count(take_part), constant(0)});
      const NodeRef result = reduce_values(r, lists, value, take_part, some);
      return none_for_empty ? option_node(some, result) : result;
    }
    check_times(name, r, *value);
    ColumnRef c =
        r == Reducer::count ? lists.count(take_part) : lists.reduce(r, value->column, take_part);
    const ColumnRef some = apply(Op::greater, {lists.count(take_part), constant(0)});
    std::optional<Scalar> nothing;
    if (is_position(r)) nothing = Scalar::of(int64_t{-1});
    if (is_extreme(r)) nothing = identity(r, c->dtype);
    if (o.initial) {
      const Scalar initial = o.initial->as(c->dtype);
      const Op with = r == Reducer::sum    ? Op::add
                      : r == Reducer::prod ? Op::multiply
                      : r == Reducer::max  ? Op::maximum
                                           : Op::minimum;
      c = apply(with, {c, constant(initial)});
      if (is_extreme(r)) nothing = initial;
    }
    if (is_extreme(r) && lists.is_whole() && !is_integer(c->dtype) && c->dtype != DType::boolean) {
      // As NumPy does: of all items, NaN (NaT) wins. In lists of an array it is passed over, as in
      // Awkward.
      const ColumnRef nan =
          lists.reduce(Reducer::any, apply(Op::isnan, {value->column}), take_part);
      c = apply(Op::where, {nan, constant(not_a_number(c->dtype)), c});
    }
    if (nothing && !none_for_empty) c = apply(Op::where, {some, c, constant(*nothing)});
    const NodeRef result = leaf(c, is_time(c->dtype) ? value->unit : "");
    return none_for_empty ? option_node(some, result) : result;
  };
  return Array(fold_axis(input(x), options, fold));
}

}  // namespace

Array sum(const Array& x, ReduceOptions o) { return reduce_array("sum", Reducer::sum, x, o); }
Array prod(const Array& x, ReduceOptions o) { return reduce_array("prod", Reducer::prod, x, o); }
Array min(const Array& x, ReduceOptions o) { return reduce_array("min", Reducer::min, x, o); }
Array max(const Array& x, ReduceOptions o) { return reduce_array("max", Reducer::max, x, o); }
Array any(const Array& x, ReduceOptions o) { return reduce_array("any", Reducer::any, x, o); }
Array all(const Array& x, ReduceOptions o) { return reduce_array("all", Reducer::all, x, o); }
Array count(const Array& x, ReduceOptions o) { return reduce_array("count", Reducer::count, x, o); }
Array count_nonzero(const Array& x, ReduceOptions o) {
  return reduce_array("count_nonzero", Reducer::count_nonzero, x, o);
}
Array argmin(const Array& x, ReduceOptions o) {
  return reduce_array("argmin", Reducer::argmin, x, o);
}
Array argmax(const Array& x, ReduceOptions o) {
  return reduce_array("argmax", Reducer::argmax, x, o);
}

}  // namespace serrate
