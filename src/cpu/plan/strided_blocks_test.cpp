// Blocks of dense arrays: each item once, in order, whatever the shape and the size of a block.
#include "cpu/plan/strided_blocks.h"

#include <numeric>
#include <vector>

#include "../../../tests/cpp/catch.h"

namespace serrate::cpu {
namespace {

using graph::StridedItems;
using Numbers = std::vector<int64_t>;

StridedItems items_of(const Numbers& memory, const Numbers& sizes, const Numbers& strides,
                      int64_t first = 0) {
  StridedItems of;
  of.items = reinterpret_cast<const std::byte*>(memory.data() + first);
  of.itemsize = 8;
  of.dimensions = static_cast<int>(sizes.size());
  std::ranges::copy(sizes, of.sizes.begin());
  std::ranges::copy(strides, of.strides.begin());
  return of;
}

/// Block by block.
Numbers copied(const StridedItems& of, const StridedItems& shape, int64_t items) {
  Numbers out;
  StridedBlocks blocks(shape, items);
  while (blocks.next()) {
    CHECK(blocks.first_item() == std::ssize(out));
    CHECK(blocks.items() <= blocks.most_items());
    CHECK(blocks.items() <= items);
    out.resize(out.size() + static_cast<size_t>(blocks.items()));
    const StridedItems part = blocks.of(of);
    copy_box(box_of(part), out.data() + blocks.first_item());
  }
  return out;
}

/// All at once, by hand.
Numbers expected(const StridedItems& of) {
  Numbers out;
  const auto* from = reinterpret_cast<const int64_t*>(of.items);
  const auto walk = [&](auto&& self, size_t d, int64_t at) -> void {
    if (d == static_cast<size_t>(of.dimensions)) {
      out.push_back(from[at]);
      return;
    }
    for (int64_t i = 0; i < of.sizes[d]; i++)
      self(self, d + 1,
           at + (of.table_dimension == static_cast<int>(d) ? of.table[i] : i * of.strides[d]));
  };
  walk(walk, 0, 0);
  return out;
}

TEST_CASE("strided blocks have each item once, in order") {
  Numbers memory(4000);
  std::iota(memory.begin(), memory.end(), 0);
  const Numbers table = {3, 0, 0, 7, 1};
  for (const Numbers& sizes : std::vector<Numbers>{
           {7}, {1, 1}, {3, 5}, {5, 3}, {4, 1, 5}, {2, 3, 5}, {5, 4, 3}, {3, 2, 2, 5}, {1, 6, 1}}) {
    Numbers side_by_side(sizes.size(), 1);
    for (size_t d = sizes.size() - 1; d > 0; d--) side_by_side[d - 1] = side_by_side[d] * sizes[d];
    const StridedItems shape = items_of(memory, sizes, side_by_side);
    std::vector<StridedItems> operands = {shape};
    for (size_t d = 0; d < sizes.size(); d++) {
      Numbers strides = side_by_side;
      strides[d] = 0;  // repeated
      operands.push_back(items_of(memory, sizes, strides));
      strides[d] = -2 * side_by_side[d];
      operands.push_back(items_of(memory, sizes, strides, 2000));
      if (sizes[d] > std::ssize(table)) continue;
      strides[d] = 0;
      operands.push_back(items_of(memory, sizes, strides));
      operands.back().table_dimension = static_cast<int>(d);
      operands.back().table = table.data();
    }
    operands.push_back(items_of(memory, sizes, Numbers(sizes.size(), 0)));
    for (const StridedItems& of : operands) {
      const Numbers want = expected(of);
      for (const int64_t items : {1, 2, 3, 4, 5, 6, 9, 10, 15, 16, 100})
        CHECK(copied(of, shape, items) == want);
      Numbers whole(want.size());
      copy_box(box_of(merged(of)), whole.data());
      CHECK(whole == want);
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
