// Walking to one axis of a tree, counted from the outside or from the inside.
#pragma once

#include <functional>
#include <string>

#include "graph/ir.h"

namespace serrate::ops {

/// Replaces the items of an axis: called with the space of its items and the node over it, which
/// may be an option, a list of deeper axes or a leaf, never a record or a union.
using AxisMap = std::function<graph::NodeRef(const graph::SpaceRef&, const graph::NodeRef&)>;

/// Applies f at the items of `axis` (0: of the array itself, negative: counted from the innermost
/// lists of each branch). Records and unions are passed through. AxisError if there is no such
/// axis.
graph::NodeRef map_axis(const graph::NodeRef& root, const std::string& name, int axis,
                        const AxisMap& f);

/// The same, but f gets the lists whose items the axis counts: for axis 0 the array itself, over
/// unit. Never an option: missing lists stay missing. `skip`: fields of records that are not deep
/// enough for a negative axis stay as they are.
graph::NodeRef map_lists(const graph::NodeRef& root, const std::string& name, int axis,
                         const AxisMap& f, bool skip = false);

}  // namespace serrate::ops
