// Categoricals whose categories change.
#pragma once

#include "ops/tree/input.h"

namespace serrate::ops {

/// As map_leaves, but categoricals stay so: f is applied to their categories, now.
graph::NodeRef map_categories(const graph::SpaceRef& space, const graph::NodeRef& n,
                              const NodeMap& f);

/// The categorical n over `space` with other categories, which are evaluated; where they are
/// missing, its items are.
graph::NodeRef with_categories(const graph::SpaceRef& space, const graph::NodeRef& n,
                               const graph::NodeRef& made);

}  // namespace serrate::ops
