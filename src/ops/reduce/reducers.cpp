// sum, prod, min, max, any, all, count, count_nonzero, argmin, argmax: one number per list.
#include <cmath>
#include <limits>

#include "core/types/reducer_info.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/fold.h"
#include "ops/lists/list_items.h"
#include "ops/order/sorting.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

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
  const ColumnRef order = order_at(over, take_part ? option_node(take_part, value) : value,
                                   !info(r).is_least(), {.first = 1});
  const ColumnRef first = pick(over->parent, over, order, constant(0), some);
  if (!info(r).has_index()) return rebase_pick(value, over->parent, over, first, some);
  return leaf(apply(Op::where, {some, lists.row_at(first, some), constant(-1)}));
}

/// Strings and unions; null for reducers that are only for numbers.
NodeRef reduce_values(Reducer r, const FoldedLists& lists, const NodeRef& value,
                      const ColumnRef& take_part, const ColumnRef& some) {
  if (r == Reducer::count) return leaf(lists.count(take_part));
  if (info(r).is_extreme()) return first_in_order(r, lists, value, take_part, some);
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
  const ReducerInfo& row = info(r);
  const bool none_for_empty = o.mask_identity.value_or(row.is_extreme());
  const bool is_extreme = row.is_extreme() && !row.has_index();
  check<ValueError>(!o.initial || row.item == ReducerInfo::Item::value,
                    "{}: initial is for sum, prod, min and max only", name);
  const FoldOptions options{.name = name,
                            .axis = o.axis,
                            .keepdims = o.keepdims,
                            .positions = row.has_index(),
                            .any_value = !row.is_arithmetic(),
                            .cells = row.cells == ReducerInfo::Cells::scattered,
                            .reducer = r};
  const Fold fold = [&](const FoldedLists& lists, const NodeRef& value,
                        const ColumnRef& take_part) -> NodeRef {
    if (value->kind != NodeKind::leaf) {
      check<TypeError>(!o.initial, "{}: initial is for numbers only", name);
      const ColumnRef some = apply(Op::greater, {lists.count(take_part), constant(0)});
      const NodeRef result = reduce_values(r, lists, value, take_part, some);
      return none_for_empty ? option_node(some, result) : result;
    }
    check_times(name, r, *value);
    // Extremes pass over NaN by themselves.
    const bool all_but_nan =
        is_extreme && take_part && graph::is_all_but_nan(*take_part, *value->column);
    ColumnRef c = r == Reducer::count
                      ? lists.count(take_part)
                      : lists.reduce(r, value->column, all_but_nan ? ColumnRef() : take_part);
    std::optional<Scalar> nothing;
    if (row.has_index()) nothing = Scalar::of(int64_t{-1});
    if (is_extreme)  // of complex numbers without an imaginary part, as in NumPy
      nothing =
          is_complex(c->dtype) ? identity(r, DType::float64).as(c->dtype) : identity(r, c->dtype);
    if (o.initial) {
      const Scalar initial = o.initial->as(c->dtype);
      c = apply(row.running, {c, constant(initial)});
      if (is_extreme) nothing = initial;
    }
    if (is_extreme && !all_but_nan && lists.is_whole() && !is_integer(c->dtype) &&
        c->dtype != DType::boolean) {
      // As NumPy does: of all items, NaN (NaT) wins. In lists of an array it is passed over, as in
      // Awkward.
      const ColumnRef nan =
          lists.reduce(Reducer::any, apply(Op::isnan, {value->column}), take_part);
      c = apply(Op::where, {nan, constant(not_a_number(c->dtype)), c});
    }
    ColumnRef some;  // sums of nothing need no such look
    if (nothing || none_for_empty)
      some = all_but_nan ? lists.reduce(Reducer::any, take_part, {})
                         : apply(Op::greater, {lists.count(take_part), constant(0)});
    if (nothing && !none_for_empty) c = apply(Op::where, {some, c, constant(*nothing)});
    const NodeRef result = leaf(c, is_time(c->dtype) ? value->unit : "");
    return none_for_empty ? option_node(some, result) : result;
  };
  if (row.has_index()) store_to_tell_indexes(x);
  return Array(fold_axis(input(x), options, fold));
}

}  // namespace

#define SERRATE_REDUCER(name, ...) \
  Array name(const Array& x, ReduceOptions o) { return reduce_array(#name, Reducer::name, x, o); }
#include "core/types/reducers.def"

}  // namespace serrate
