// Numbers that nobody else could see change: what is written to where it lies.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// The column of the numbers in stored lists of any depth, if the root has `holders` and each node
/// below it is held once, as expressions and other arrays would hold one, too. Null if others hold
/// some, or of other types. Handles of one array share its root: ask Array::handles() as well.
const Column* numbers_held_once(const Node& root, int holders);

}  // namespace serrate::graph
