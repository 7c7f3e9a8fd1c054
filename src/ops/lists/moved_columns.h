// Items of lists moved to the columns that they are in, and back.
#pragma once

#include <optional>

#include "ops/lists/columns.h"

namespace serrate::ops {

/// See lists_of_columns(). Nothing of what is no number, and where a back end sorts items.
std::optional<ColumnLists> moved_columns(const Columns& columns, const graph::NodeRef& value,
                                         const graph::ColumnRef& who, bool with_row);
/// See back_to_items(): of lists that were moved.
graph::NodeRef moved_back(const ColumnLists& lists, const graph::NodeRef& stored,
                          const graph::SpaceRef& items);

}  // namespace serrate::ops
