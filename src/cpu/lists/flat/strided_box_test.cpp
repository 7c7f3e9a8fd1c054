// Copies of strided boxes against loops over their indexes.
#include "cpu/lists/flat/strided_box.h"

#include <array>
#include <cstring>
#include <vector>

#include "catch.h"

namespace serrate::cpu {
namespace {

/// The indexes of all items, the last dimension fastest.
template <class F>
void each_place(std::span<const int64_t> sizes, const int64_t* strides, int64_t place, F&& f) {
  if (sizes.empty()) return f(place);
  for (int64_t i = 0; i < sizes[0]; i++)
    each_place(sizes.subspan(1), strides + 1, place + i * strides[0], f);
}

void check_copy(int size, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  CAPTURE(size, sizes, strides);
  int64_t least = 0, most = 0, items = 1;
  for (size_t d = 0; d < sizes.size(); d++) {
    (strides[d] < 0 ? least : most) += (sizes[d] - 1) * strides[d];
    items *= sizes[d];
  }
  std::vector<std::byte> memory(static_cast<size_t>((most - least + 1) * size));
  for (size_t i = 0; i < memory.size(); i++) memory[i] = static_cast<std::byte>(i * 31 + i / 256);
  const std::byte* const first = memory.data() - least * size;
  std::vector<std::byte> out(static_cast<size_t>(items * size)), expected;
  each_place(sizes, strides.data(), 0, [&](int64_t place) {
    expected.insert(expected.end(), first + place * size, first + (place + 1) * size);
  });
  copy_box({first, size, sizes, strides.data()}, out.data());
  CHECK(out == expected);
}

/// Along one dimension where a table says, of rows of n items.
void check_table(int size, int dimension, const std::vector<int64_t>& table, int64_t n) {
  CAPTURE(size, dimension, table, n);
  std::vector<int64_t> sizes{3, 2, n}, strides{40 * n, 13 * n, 1};
  sizes[static_cast<size_t>(dimension)] = static_cast<int64_t>(table.size());
  std::vector<std::byte> memory(static_cast<size_t>(400 * n * size));
  for (size_t i = 0; i < memory.size(); i++) memory[i] = static_cast<std::byte>(i * 31 + i / 256);
  const std::byte* const first = memory.data() + 100 * n * size;
  std::vector<std::byte> out, expected;
  std::array<int64_t, 3> at{};
  for (at[0] = 0; at[0] < sizes[0]; at[0]++)
    for (at[1] = 0; at[1] < sizes[1]; at[1]++)
      for (at[2] = 0; at[2] < sizes[2]; at[2]++) {
        int64_t place = 0;
        for (size_t d = 0; d < 3; d++)
          place += static_cast<int>(d) == dimension ? table[static_cast<size_t>(at[d])]
                                                    : at[d] * strides[d];
        expected.insert(expected.end(), first + place * size, first + (place + 1) * size);
      }
  out.resize(expected.size());
  copy_box({first, size, sizes, strides.data(), dimension, table.data()}, out.data());
  CHECK(out == expected);
}

}  // namespace

TEST_CASE("Items where a table says along one dimension") {
  for (const int size : {1, 2, 4, 8, 16})
    for (const int dimension : {0, 1, 2})
      for (const int64_t n : {1, 2, 3, 15, 16, 17, 40})
        for (const auto& table : std::vector<std::vector<int64_t>>{
                 {5}, {3, 3}, {2, -4, 0}, {1, 7, 2, 2}, {9, 8, 1, 1, -3, 4}})
          check_table(size, dimension, table, n);
}

TEST_CASE("Items at equal strides along several dimensions") {
  for (const int size : {1, 2, 4, 8, 16}) {
    check_copy(size, {}, {});
    check_copy(size, {7}, {-3});
    for (const int64_t n : {1, 2, 15, 16, 17, 100}) {
      check_copy(size, {3, n}, {n + 1, 1});
      check_copy(size, {3, n}, {2 * n, -2});
      check_copy(size, {3, n}, {0, 1});
      check_copy(size, {3, n}, {1, 0});
      check_copy(size, {2, 3, n}, {-1, 3 * n, 1});
      check_copy(size, {2, 2, 3, n}, {5, 0, n, 2});
    }
  }
}

}  // namespace serrate::cpu
