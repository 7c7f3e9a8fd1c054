// Indexes that are known to be those of items, and what is picked at them.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// Is it argmin or argmax of the very lists that it looks into (or the same seen from below), where
/// the guard says that an item took part? Then it is in range wherever the guard holds.
bool is_index_of_extreme(const Column& index, const SpaceRef& over, const ColumnRef& guard);

/// Is it the order of the very lists that it looks into, or its inverse? Each has all their
/// indexes.
bool is_index_in_order(const Column& index, const SpaceRef& over);

/// The argmin or argmax (a column over the owners of the lists) whose item a pick from derived
/// lists takes, if a fold can carry that item's value along with its index: a value that fails
/// nowhere, and is known in the walk that the fold is. Null otherwise. What is picked where no item
/// took part is not looked at.
const Column* extreme_carrying(const Column& pick);

}  // namespace serrate::graph
