// Element-wise operations on numbers.
#pragma once

#include <span>

#include "graph/ir.h"

namespace serrate::ops {

/// An operand where all are numbers: a leaf, or a number of Python.
struct Leaf {
  const graph::Node* node;  ///< has the unit of times, and parameters
  graph::ColumnRef column;  ///< its values, seen from where the result is
};

/// `counts`: where the results are looked at, or null.
graph::NodeRef apply_leaves(Op op, std::span<const Leaf> leaves, const graph::ColumnRef& counts);

}  // namespace serrate::ops
