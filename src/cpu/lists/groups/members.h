// Which items are in a set: look-ups in a table of bits or a hash table.
#pragma once

#include <cstdint>

#include "cpu/lists/groups/group_lists.h"

namespace serrate::cpu {

/// For each of n items whether it is equal to one of the `size` items of the set, which are of the
/// same type, or numbers that are compared as the set's float32, float64, int64 or uint64. NaN is
/// equal to nothing. All items take part.
void find_members(const GroupedItems& items, int64_t n, const GroupedItems& set, int64_t size,
                  uint8_t* out);

}  // namespace serrate::cpu
