// Sorting list by list: short lists in shared memory, longer ones together by radix sorts.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/plugin/sort_keys.h"

namespace serrate::cuda {

/// Lists that are not longer are sorted by one block.
inline constexpr int64_t kSortedInBlock = 2048;

struct SortedLists {
  KeyForm form;
  const void* in;
  const int64_t* offsets;  // offsets[0] is 0
  int64_t lists, items;
};

/// Sets *found to 1 if the sign of a NaN is set.
cudaError_t find_negative_nan(const SortedLists& l, int* found, cudaStream_t s);

/// Sorts lists of up to kSortedInBlock items, leaves others out. `out` gets the items, or indexes
/// in the lists.
cudaError_t sort_short_lists(const SortedLists& l, bool order, void* out, cudaStream_t s);

/// A longer list, among all of these one behind the other.
struct LongList {
  int64_t start, begin;  // of its items, here and in the array
};
/// How many there are is in the lower 24 bits, the items of all in the others.
using LongLists = unsigned long long;
inline constexpr int kLongListsShift = 24;
/// As many as there may be, and one more.
inline constexpr int64_t most_long_lists(int64_t items) { return items / kSortedInBlock + 1; }

/// `found`: 0 at first.
cudaError_t find_long_lists(const SortedLists& l, LongList* longs, LongLists* found,
                            cudaStream_t s);
/// Keys of the long lists' items, and which list each is of, or its position. `minus_zero`: is set
/// to 1 if there is one.
cudaError_t gather_long_lists(const SortedLists& l, const LongList* longs, int64_t count, int64_t n,
                              bool positions, void* keys, uint32_t* values, int* minus_zero,
                              cudaStream_t s);
/// which[i]: the list that position i is of.
cudaError_t lists_of_positions(const LongList* longs, int64_t count, int64_t n, const uint32_t* at,
                               uint32_t* which, cudaStream_t s);
/// Sorted keys or positions become items, or positions indexes in the lists.
cudaError_t scatter_keys(const SortedLists& l, const LongList* longs, int64_t count, int64_t n,
                         const void* keys, void* out, cudaStream_t s);
cudaError_t scatter_items(const SortedLists& l, const LongList* longs, int64_t count, int64_t n,
                          const uint32_t* positions, void* out, cudaStream_t s);
cudaError_t scatter_positions(const LongList* longs, int64_t count, int64_t n,
                              const uint32_t* positions, int64_t* out, cudaStream_t s);

}  // namespace serrate::cuda
