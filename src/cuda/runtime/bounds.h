// Bounds of sizes that only a walk could tell.
#pragma once

#include <cstdint>

#include "graph/ir.h"

namespace serrate::cuda {

/// At most so many positions, from what is known of stored lists without a look; -1: no bound is
/// known.
int64_t most_positions(const graph::SpaceRef& s);

}  // namespace serrate::cuda
