// The groups of equal items of lists: hash aggregation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kept_allocator.h"
#include "cpu/lists/lists.h"
#include "serrate/buffer.h"

namespace serrate::cpu {

/// Items that are put into groups: numbers of a type, or strings.
struct GroupedItems {
  DType type = DType::int64;
  const void* keys = nullptr;      // numbers; or the bytes of strings, of which
  const int64_t* ends = nullptr;   // item i has those from ends[i] to ends[i + 1]
  const uint8_t* valid = nullptr;  // null: all; those that are not are one group, the last one
  bool descending = false;
};

/// Groups of lists one after the other, those of each list in the order of argsort_lists.
struct FoundGroups {
  int64_t most = 0;                    // items of all lists
  std::vector<int64_t> sizes;          // groups of each list
  KeptVector<int64_t> firsts, counts;  // of each group: its first item, and how many it has
  Buffer order;  // int64: of the items of one list, where it is known; then there are no firsts
};

/// Equal are items that sorts leave in their order: NaN is one value, as is -0.0 with 0.0.
/// `numbers` (or null) gets the group of each item in its list. Where nearly all numbers seem to be
/// different they are sorted; nothing if no numbers of groups are asked for, as values are then
/// sorted faster by themselves.
std::optional<FoundGroups> group_lists(const GroupedItems& items, const Lists& lists,
                                       int32_t* numbers);

}  // namespace serrate::cpu
