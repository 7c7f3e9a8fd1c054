// What operations give without a look at the data.
#pragma once

#include <optional>

#include "graph/ir.h"

namespace serrate::graph {

/// What a condition is, or chooses, whatever the data: c of `c and true`, or of `c and 1 > 0`, as
/// lists of one item have some; the first of two where true. Null if that is not known.
ColumnRef known_condition(Op op, const ColumnRef* args, size_t n);

/// What is true, or false, of any number of this type: integers and booleans are all finite.
std::optional<bool> test_of_integers(Op op, DType t);

}  // namespace serrate::graph
