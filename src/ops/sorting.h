// The order of the items of lists.
#pragma once

#include "graph/ir.h"

namespace serrate::ops {

/// Indexes of the items of each list of `space` in order, missing ones last. `items` is a leaf, a
/// string, an option of one of these, or unknown.
graph::ColumnRef order_of(const graph::SpaceRef& space, const graph::NodeRef& items,
                          bool descending);

}  // namespace serrate::ops
