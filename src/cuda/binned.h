// Sizes of the schedule for lists of any lengths: see generate_binned.cpp.
#pragma once

#include <cstdint>

#include "cuda/generate.h"

namespace serrate::cuda::binned {

inline constexpr int kBlockLists = 1024;
/// Where an item asks for so few lines of text, few registers do.
inline constexpr int kLight = 8;
// Longest lists for one thread, 8 threads, a warp.
inline constexpr int kShort = 8, kMedium = 128, kLong = 1024;
inline constexpr int64_t kSegment = 2048;
// A block that has more items leaves its longer lists to other blocks.
inline constexpr int64_t kBlockItems = 65536, kLongInFullBlock = 256;

// Where a block's items are brought to shared memory: its threads, how many blocks should fit a
// multiprocessor, the most lists, bytes and items of a turn, lines that an item may ask for; the
// longest list for one thread, and for a warp.
inline constexpr int kStagedThreads = 128, kStagedBlocks = 14, kStagedLists = 256;
inline constexpr int kStagedBytes = 12288, kStagedItems = 1536, kStagedLines = 24;
inline constexpr int kAlone = 16, kStagedLong = 256;

inline constexpr const char* kBounds =
    "const long long start = base + starts[l], stop = start + lengths[l];";

}  // namespace serrate::cuda::binned
