// Sizes of the schedule for lists of any lengths: see generate_binned.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/seams.h"
#include "cuda/codegen/generate.h"

namespace serrate::cuda::binned {

inline constexpr int kBlockLists = 1024;
/// Where an item asks for so few lines of text, few registers do.
inline constexpr size_t kLight = 8;

// Where a block's items are brought to shared memory: its threads, how many blocks should fit a
// multiprocessor, the most lists, bytes and items of a turn, lines that an item may ask for.
inline constexpr int kStagedThreads = 128, kStagedBlocks = 14, kStagedLists = 256;
inline constexpr int kStagedBytes = 12288, kStagedItems = 1536;
inline constexpr size_t kStagedLines = 24;

/// Each segment of the lists that are cut has so many items to itself, or more: a list that is cut
/// is longer than the longest that is not.
inline int64_t items_of_segments() {
  const int64_t longest =
      std::min(seams().staged_long, std::min(seams().lists_left, seams().lists_long) + 1);
  return std::max<int64_t>(1, longest * seams().segment / (longest + seams().segment));
}

inline constexpr const char* kBounds =
    "const long long start = base + starts[l], stop = start + lengths[l];";

}  // namespace serrate::cuda::binned
