// Element-wise operations on trees, for operations that are made of them.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// Any row of elementwise.def on operands over `space`, broadcast together.
graph::NodeRef elementwise_over(const graph::SpaceRef& space, Op op,
                                const std::vector<graph::NodeRef>& nodes);

}  // namespace serrate::ops
