// Comparing values of any structure, as expressions.
#pragma once

#include "graph/ir.h"

namespace serrate::ops {

/// Boolean column over `space`: a and b, both over it, are equal in all that they hold. Numbers of
/// all types compare by value; different structures are not equal.
graph::ColumnRef values_equal(const graph::SpaceRef& space, const graph::NodeRef& a,
                              const graph::NodeRef& b);

}  // namespace serrate::ops
