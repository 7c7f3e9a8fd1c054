// Blocks of dense arrays whose operands' items are at strides: of so many items that what is copied
// of them stays in the first cache, and is read again where the next block has the same.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/lists/flat/strided_box.h"
#include "graph/parts/strided.h"

namespace serrate::cpu {

inline StridedBox box_of(const graph::StridedItems& of) {
  return {
      of.items,          of.itemsize,        {of.sizes.data(), static_cast<size_t>(of.dimensions)},
      of.strides.data(), of.table_dimension, of.table};
}

/// One after the other, in the order of the items.
class StridedBlocks {
 public:
  /// Of arrays of the shape of this one; of about so many items, or of one along the last
  /// dimension.
  StridedBlocks(const graph::StridedItems& shape, int64_t items);
  /// Goes to the next one, first to the first; false behind the last.
  bool next();
  int64_t first_item() const { return first_; }
  int64_t items() const { return n_ * inner_; }
  int64_t most_items() const { return each_ * inner_; }
  /// An operand's items in this block, merged.
  graph::StridedItems of(const graph::StridedItems& operand) const;

 private:
  static constexpr int kMost = graph::StridedItems::kMostDimensions;

  const graph::StridedItems& shape_;
  int dimension_;  // a block has `each_` indexes along it, one of those before, all of the others
  int64_t inner_ = 1;  // items of one index
  int64_t each_ = 1, begin_ = 0, n_ = 0, first_ = 0;
  std::array<int64_t, kMost> at_{};
};

}  // namespace serrate::cpu
