// Items of dense arrays at equal strides, as slices of matrices and boxes have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/backend.h"

namespace serrate::graph {

/// Columns of one expression that are found so, at most.
inline constexpr size_t kMostStrided = 8;

/// A column whose items are such, not side by side.
struct StridedColumn {
  const Column* load = nullptr;
  StridedItems items;
};

/// The same items of no more dimensions than needed: where one goes on where the one inside of it
/// ends, they are one.
StridedItems merged(const StridedItems& of);
/// Some of them: at one index of each of the first dimensions, at n of the next one from `begin`
/// on, all of the others.
StridedItems part_of(const StridedItems& of, std::span<const int64_t> at, int64_t begin, int64_t n);

/// Do merged ones lie side by side? Are they one, again and again?
bool is_whole(const StridedItems& of);
bool is_one(const StridedItems& of);

}  // namespace serrate::graph
