// Groups of integers that are close together: each value has a counter of its own.
#pragma once

#include <cstdint>

#include "cpu/lists/groups/group_lists.h"

namespace serrate::cpu {

/// The groups of the list of items begin .. end - 1, as group_lists() has them; false, with nothing
/// done, for others than integers and for those that take more values than half the items.
bool group_directly(const GroupedItems& items, int64_t begin, int64_t end, int32_t* numbers,
                    FoundGroups& out);

}  // namespace serrate::cpu
