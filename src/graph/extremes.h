// Indexes that are known to be those of items.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// Is it argmin or argmax of the very lists that it looks into (or the same seen from below), where
/// the guard says that an item took part? Then it is in range wherever the guard holds.
bool is_index_of_extreme(const Column& index, const SpaceRef& over, const ColumnRef& guard);

}  // namespace serrate::graph
