// Walking to one axis of a tree, counted from the outside or from the inside.
#pragma once

#include <string>

#include "graph/ir.h"
#include "ops/tree/contents.h"

namespace serrate::ops {

/// Applies f at the items of `axis` (0: of the array itself, negative: counted from the innermost
/// lists of each branch): it gets the space of the items and the node over it, which may be an
/// option, a list of deeper axes or a leaf, never a record or a union: these are passed through.
/// AxisError if there is no such axis. The lists themselves are what at_axis is for (levels.h).
graph::NodeRef map_axis(const graph::NodeRef& root, const std::string& name, int axis,
                        const NodeMap& f);

}  // namespace serrate::ops
