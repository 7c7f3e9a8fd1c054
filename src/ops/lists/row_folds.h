// Folds of the columns of stored matrices that a back end makes row by row, at once.
#pragma once

#include <vector>

#include "graph/backend.h"
#include "ops/lists/columns.h"

namespace serrate::ops {

/// Each is made when it is first asked for. Values are stored numbers over the columns' items, or
/// these as float64; `take_part` is null or says that they are not NaN. All others, and what a back
/// end has no loop for, are null.
class RowFolds {
 public:
  explicit RowFolds(Columns columns) : columns_(std::move(columns)) {}
  /// Over columns().cells().
  graph::ColumnRef reduce(Reducer r, const graph::ColumnRef& value,
                          const graph::ColumnRef& take_part);
  /// How many items take part; null of all of a matrix.
  graph::ColumnRef count(const graph::ColumnRef& take_part);
  /// Whether an item does.
  graph::ColumnRef any(const graph::ColumnRef& take_part);
  /// Sums of the squares of what items differ from the mean of those that take part.
  graph::ColumnRef squares(const graph::ColumnRef& value, const graph::ColumnRef& take_part);

 private:
  struct Made {
    graph::ColumnFold fold;
    graph::ColumnRef load, result;
  };
  /// Of those that are not NaN, where `take_part` says so of stored numbers.
  graph::ColumnRef but_nan(Reducer r, const graph::ColumnRef& take_part);
  graph::ColumnRef made(graph::ColumnFold fold, const graph::ColumnRef& load,
                        const graph::ColumnRef& take_part);
  Columns columns_;
  std::vector<Made> made_;
  graph::ColumnRef counts_;
};

}  // namespace serrate::ops
