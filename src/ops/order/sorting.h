// The order of the items of lists.
#pragma once

#include <vector>

#include "graph/ir.h"
#include "graph/selection.h"
#include "serrate/ops.h"

namespace serrate::ops {

/// Indexes of the items of each list of `space` in order, missing ones last. `items` is a leaf, a
/// string, an option, or unknown; or a record, whose fields are compared one after the other; or a
/// union, of which all items of one member come before those of the next. Complex numbers are in
/// NumPy's order. TypeError for lists.
graph::ColumnRef order_of(const graph::SpaceRef& space, const graph::NodeRef& items,
                          bool descending);

/// The same, of which only some places are looked at.
graph::ColumnRef order_at(const graph::SpaceRef& space, const graph::NodeRef& items,
                          bool descending, const graph::Places& places);

/// The parts of items that have no order by themselves: complex numbers, records, unions; those
/// that order_of compares one after the other.
std::vector<graph::NodeRef> sort_keys(const graph::Node& items, bool descending);

/// The items in order; `order` is that of them.
graph::NodeRef in_order(const graph::SpaceRef& space, const graph::NodeRef& items,
                        const graph::ColumnRef& order);

/// Each list in an order in which the item at this place is that of a sort, with none behind it
/// before it; short lists are sorted. Along an axis as sort() is.
Array partition(const Array& x, int64_t place, SortOptions o);
/// The indexes of those items.
Array argpartition(const Array& x, int64_t place, SortOptions o);

/// Whether order_of takes it.
bool has_order(const graph::Node& items);

}  // namespace serrate::ops
