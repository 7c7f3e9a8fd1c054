// Lists that point to items where these are stored, as those of x[mask] do: what Arrow calls list
// views, and Awkward Array ListArrays.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// What is to be computed of a tree over unit whose lists are, or have in them, such lists: it with
/// their starts and stops, as a pair of columns, in their places. Null where it has none.
NodeRef without_items(const NodeRef& n);

/// The stored form of without_items(n), with the lists of n, now between stored starts and stops,
/// in their places: a view (graph/known.h) of what n is computed from.
NodeRef with_items(const NodeRef& n, const NodeRef& stored);

}  // namespace serrate::graph
