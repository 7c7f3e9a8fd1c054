// What a block of threads keeps in shared memory, as sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/schedule/groups.h"
#include "graph/nest.h"

namespace serrate::cuda {

/// Floats in up to so many cells are added exactly, and thus the same from run to run.
inline constexpr int64_t kMostExactCells = int64_t{1} << 20;
/// A histogram of doubles whose sums are exact, and the bytes of one of them (prelude/exact.h).
bool is_exact(const graph::Column& histogram);
inline constexpr int64_t kExactBytes = 73 * 8;

/// Bytes for one histogram.
inline constexpr int kHistogramBytes = 16384;
/// What a block counts in: words of a size, several for each cell.
struct CellWords {
  int bytes = 4, words = 1;
};
CellWords cell_words(const graph::Column& histogram);
/// Outputs of the group that a block counts in shared memory.
std::vector<size_t> histograms_in_block(const graph::Nest& nest, const Group& g);

/// Lists of a warp that shares out their tuples, and of each of its lanes.
inline constexpr int kListsPerLane = 2, kListsPerWarp = 32 * kListsPerLane;
/// Does an int count a warp's tuples?
bool counts_tuples_in_int(const graph::Space& s);
/// The lists that tuples are of, each once.
std::vector<graph::SpaceRef> tuple_bases(const graph::SpaceRef& s);
/// An array of an item of so many bytes for each of a warp's lists, behind others.
struct Extent {
  int at = 0, end = 0;
};
Extent warp_extent(int itemsize, int behind);
/// A reduction, and whether an int does for the index that it may keep.
struct Folded {
  const graph::Column* column;
  bool narrow = false;
};
/// Size of a struct of what is known of these (codegen/folds.h).
int64_t fold_bytes(const graph::Nest& nest, const std::vector<Folded>& folded);
/// Do the warps' arrays of all frames of the group fit, with its histograms, if they are there?
bool warps_fit(const graph::Nest& nest, const Group& g, bool histograms);

/// What the frames of a group inside c fold into a frame, each once.
std::vector<const graph::Column*> folds_into(const graph::Nest& nest, const Group& g, int c,
                                             int into);

}  // namespace serrate::cuda
