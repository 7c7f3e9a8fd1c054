// Folding the lists of one axis: where a reducer's lists are, whatever the axis.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "graph/ir.h"

namespace serrate::ops {

/// One result per list of `over`, over its parent. `value` is a leaf over `over` (a tuple of leaves
/// if FoldOptions::tuples); `take_part` (null: all) tells which of its items count.
using Fold = std::function<graph::NodeRef(const graph::SpaceRef& over, const graph::NodeRef& value,
                                          const graph::ColumnRef& take_part)>;

struct FoldOptions {
  std::string name;         ///< for messages
  std::optional<int> axis;  ///< none: everything is one list
  bool keepdims = false;
  bool tuples = false;     ///< records at the leaves are what is folded
  bool positions = false;  ///< the fold gives positions: missing lists must not count
};

/// The tree over unit with one axis folded. Lists below the axis are folded column by column: item
/// j of the result folds the j-th items of all lists that have one.
/// AxisError, TypeError for records and strings, ValueError for unions.
graph::NodeRef fold_axis(const graph::NodeRef& root, const FoldOptions& options, const Fold& fold);

/// Items of each list of `over` that take part.
graph::ColumnRef count_items(const graph::SpaceRef& over, const graph::ColumnRef& take_part);

}  // namespace serrate::ops
