// Sizes of the schedule for lists of any lengths: see generate_binned.cpp.
#pragma once

#include <cstdint>

#include "cuda/generate.h"

namespace serrate::cuda::binned {

inline constexpr int kBlockLists = 1024, kRows = kBlockLists / kThreads;  // rows: lists of a thread
/// Where an item asks for so few lines of text, several are done at once, and registers are left
/// for six blocks.
inline constexpr int kLight = 8, kLightBlocks = 6;
// Longest lists for one thread, 8 threads, a warp.
inline constexpr int kShort = 8, kMedium = 128, kLong = 1024;
inline constexpr int64_t kSegment = 8192;
// A block that has more items leaves its longer lists to other blocks.
inline constexpr int64_t kBlockItems = 65536, kLongInFullBlock = 256;

inline constexpr const char* kBounds =
    "const long long start = base + starts[l], stop = start + lengths[l];";

}  // namespace serrate::cuda::binned
