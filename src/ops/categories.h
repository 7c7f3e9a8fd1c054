// Categoricals whose categories change.
#pragma once

#include "ops/input.h"

namespace serrate::ops {

/// As map_leaves, but categoricals stay so: f is applied to their categories, now.
graph::NodeRef map_categories(const graph::SpaceRef& space, const graph::NodeRef& n,
                              const LeafMap& f);

}  // namespace serrate::ops
