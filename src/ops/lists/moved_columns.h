// Items of lists moved to the columns that they are in, and back.
#pragma once

#include <optional>

#include "graph/backend.h"
#include "graph/evaluation/barriers.h"
#include "ops/lists/columns.h"

namespace serrate::ops {

/// Items that a back end moves to their columns, stored, with what else is told of each.
class ItemsToMove {
 public:
  /// Nothing of what is no number, and where a back end sorts items. Arguments are those of
  /// lists_of_columns().
  static std::optional<ItemsToMove> of(const Columns& columns, const graph::NodeRef& value,
                                       const graph::ColumnRef& who, bool with_row);
  /// Those of the columns from `first` on up to `end`, stored over lists over `cells`. Values are
  /// null where some are not in memory.
  ColumnLists lists_of(int64_t first, int64_t end, const graph::SpaceRef& cells) const;
  /// Columns, with where items are in them.
  const graph::ListColumns& columns() const { return columns_; }
  int64_t cells() const { return cells_; }
  graph::Backend& backend() const;

 private:
  graph::ListColumns columns_;
  graph::StoredItems stored_;  // values; if asked for who takes part; the row, if it is stored
  int64_t cells_ = 0, longest_ = 0;
  bool with_row_ = false, stores_row_ = false;
};

/// See lists_of_columns(). Nothing where items are not moved.
std::optional<ColumnLists> moved_columns(const Columns& columns, const graph::NodeRef& value,
                                         const graph::ColumnRef& who, bool with_row);
/// See back_to_items(): of lists that were moved.
graph::NodeRef moved_back(const ColumnLists& lists, const graph::NodeRef& stored,
                          const graph::SpaceRef& items);

}  // namespace serrate::ops
