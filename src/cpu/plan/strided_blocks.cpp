// Blocks of dense arrays: see strided_blocks.h.
#include "cpu/plan/strided_blocks.h"

#include <algorithm>

namespace serrate::cpu {

StridedBlocks::StridedBlocks(const graph::StridedItems& shape, int64_t items)
    : shape_(shape), dimension_(shape.dimensions - 1) {
  const auto size = [&] { return shape.sizes[static_cast<size_t>(dimension_)]; };
  while (dimension_ > 0 && inner_ * size() <= items) {
    inner_ *= size();
    dimension_--;
  }
  each_ = std::clamp<int64_t>(items / inner_, 1, size());
}

bool StridedBlocks::next() {
  first_ += items();
  begin_ += n_;
  const int64_t size = shape_.sizes[static_cast<size_t>(dimension_)];
  if (begin_ == size) {
    begin_ = 0;
    int d = dimension_ - 1;
    while (d >= 0 && ++at_[static_cast<size_t>(d)] == shape_.sizes[static_cast<size_t>(d)])
      at_[static_cast<size_t>(d--)] = 0;
    if (d < 0) return false;
  }
  n_ = std::min(each_, size - begin_);
  return true;
}

graph::StridedItems StridedBlocks::of(const graph::StridedItems& operand) const {
  return merged(part_of(operand, {at_.data(), static_cast<size_t>(dimension_)}, begin_, n_));
}

}  // namespace serrate::cpu
