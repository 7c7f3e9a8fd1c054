// Groups that are folded without being brought together: each item adds to the cell of its group.
#pragma once

#include <optional>

#include "ops/lists/fold.h"

namespace serrate::ops {

struct ScatteredGroups {
  FoldedLists lists;
  graph::NodeRef value;  // over the items of the array
  graph::ColumnRef take_part;
};

/// `value` (leaves or records of them) and `take_part` are over `lists`, which have a grouping.
/// Nothing where they need more of an item than the array has at its place: its index in the group.
std::optional<ScatteredGroups> scattered_groups(const graph::SpaceRef& lists,
                                                const graph::NodeRef& value,
                                                const graph::ColumnRef& take_part);

}  // namespace serrate::ops
