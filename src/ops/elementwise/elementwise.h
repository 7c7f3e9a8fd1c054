// Element-wise operations on trees, for operations that are made of them.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// Any row of elementwise.def on operands over `space`, broadcast together.
graph::NodeRef elementwise_over(const graph::SpaceRef& space, Op op,
                                const std::vector<graph::NodeRef>& nodes);

/// A Python integer that no type holds: as an operand of numbers with a point its value, of others
/// larger or smaller than all of them.
graph::ColumnRef large_integer(double value);

}  // namespace serrate::ops
