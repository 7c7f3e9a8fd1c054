// Groups of equal numbers from their order: for those that are nearly all different.
#pragma once

#include "cpu/lists/groups/group_lists.h"

namespace serrate::cpu {

/// Adds the groups of items begin .. end - 1, one list, to what was found; `numbers` (or
/// null) as group_lists() has them. If it is the only list, what was found gets its order, not
/// firsts.
void group_by_order(const GroupedItems& items, int64_t begin, int64_t end, int32_t* numbers,
                    bool is_only_list, FoundGroups& out);

}  // namespace serrate::cpu
