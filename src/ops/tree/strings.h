// Comparing strings, as expressions on their bytes.
#pragma once

#include "graph/ir.h"

namespace serrate::ops {

/// Boolean column over `space`: string a equals string b, byte by byte.
graph::ColumnRef strings_equal(const graph::SpaceRef& space, const graph::Node& a,
                               const graph::Node& b);

}  // namespace serrate::ops
