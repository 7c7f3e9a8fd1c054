// Lists of vectors beside other lists of vectors: distances, the nearest, overlaps; items by index.
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/vectors.h"

namespace serrate::vectors {
namespace {

int axis_of(const Array& v, int axis) {
  const auto at = ops::positive_axis(*v.node(), axis, 0);
  check<AxisError>(at.has_value(), "metric_table: axis={} is not one of the array", axis);
  return *at;
}

using namespace graph;

/// The items of lists by indexes that are known to be in them, one a list; nothing where an index
/// is missing.
NodeRef picked(const SpaceRef& space, const NodeRef& lists, const NodeRef& index,
               const ColumnRef& guard = {}) {
  if (lists->kind == NodeKind::option)
    return option_node(lists->column,
                       picked(space, lists->contents[0], index, ops::both(guard, lists->column)));
  if (index->kind == NodeKind::option)
    return option_node(index->column,
                       picked(space, lists, index->contents[0], ops::both(guard, index->column)));
  if (index->kind == NodeKind::list) {
    const SpaceRef& inner = lists->space;
    const ColumnRef below = guard ? lift(guard, space, inner) : guard;
    return list_node(inner, picked(inner, lists->contents[0], index->contents[0], below),
                     lists->size, lists->parameters);
  }
  return rebase_pick(lists->contents[0], space, lists->space, index->column, guard);
}

/// Are they lists all the way to the indexes? (Not of unions.)
bool can_be_picked(const Node& lists, const Node& index) {
  if (lists.kind == NodeKind::option) return can_be_picked(*lists.contents[0], index);
  if (index.kind == NodeKind::option) return can_be_picked(lists, *index.contents[0]);
  if (lists.kind != NodeKind::list) return false;
  if (index.kind == NodeKind::leaf) return true;
  return index.kind == NodeKind::list && same(lists.space, index.space) &&
         can_be_picked(*lists.contents[0], *index.contents[0]);
}

}  // namespace

Table metric_table(const Array& v, const Array& w, const MetricOptions& o) {
  const Array both = cartesian({v, w}, {.axis = o.axis, .nested = {0}});
  Array first = both["0"], second = both["1"];
  Array values = o.metric ? o.metric(first, second) : deltaR(first, second);
  return {std::move(values), std::move(first), std::move(second)};
}

Nearest nearest(const Array& v, const Array& w, std::optional<double> threshold,
                const MetricOptions& o) {
  const int axis = axis_of(v, o.axis) + 1;
  const Table all = metric_table(v, w, o);
  const Array place = argmin(all.values, {.axis = axis});
  const auto at_place = [&](const Array& lists) {
    const Operation operation;
    const NodeRef n = ops::input(lists), index = ops::input(place);
    if (can_be_picked(*n, *index)) return Array(picked(graph::unit(), n, index));
    const Array kept = argmin(all.values, {.axis = axis, .keepdims = true});
    return firsts(getitem(lists, {kept}), axis);
  };
  const Array value = at_place(all.values), vector = at_place(all.second);
  if (!threshold) return {vector, value};
  const Array near = fill_none(value <= *threshold, false, none);
  return {mask(vector, near), mask(value, near)};
}

Array overlaps(const Array& v, const Array& w, double radius, const MetricOptions& o) {
  return any(metric_table(v, w, o).values < radius, {.axis = axis_of(v, o.axis) + 1});
}

Array by_index(const Array& items, const Array& index) {
  const Array known = mask(index, (index >= 0) & (index < num(items, 1)));
  const int depth = ops::levels(*index.node()).max;
  check<TypeError>(depth == 2 || depth == 3,
                   "by_index: expected lists of positions, or lists of such lists, got {}",
                   graph::type_text(*index.node()));
  if (depth == 2) return getitem(items, {known});
  // From the innermost lists on: which row an empty list is in is not said by the items in it.
  const Array found = flatten(getitem(items, {flatten(known, 2)}), 1);
  return unflatten(unflatten(found, flatten(num(index, 2), 1)), num(index, 1));
}

}  // namespace serrate::vectors
