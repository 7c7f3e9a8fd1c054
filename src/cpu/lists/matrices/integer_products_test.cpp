// Products of integers and booleans by every instruction set, against plain loops.
#include "cpu/lists/matrices/integer_products.h"

#include <array>
#include <random>
#include <vector>

#include "catch.h"
#include "cpu/lists/ragged_testing.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

using namespace testing;

template <class T>
void check_products(DType type, int64_t rows, int64_t inner, int64_t columns,
                    std::mt19937& random) {
  const bool is_test = type == DType::boolean;
  const auto made = [&](int64_t n) {
    std::vector<T> x(static_cast<size_t>(n));
    for (T& v : x) v = static_cast<T>(is_test ? random() % 9 == 0 : random());
    return x;
  };
  const std::vector<T> left = made(rows * inner), right = made(inner * columns);
  const auto at = [](const std::vector<T>& x, int64_t i) { return x[static_cast<size_t>(i)]; };
  for (const Isa isa : isas()) {
    CAPTURE(name(isa), static_cast<int>(type), rows, inner, columns);
    Guarded<T> out(static_cast<size_t>(rows * columns));
    integer_product({type, left.data(), right.data(), rows, inner, columns}, out.data(), isa);
    bool is_right = true;
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < columns; c++) {
        uint64_t sum = 0;
        for (int64_t j = 0; j < inner; j++)
          sum += uint64_t{at(left, r * inner + j)} * uint64_t{at(right, j * columns + c)};
        const T want = static_cast<T>(is_test ? sum != 0 : sum);
        is_right &= out.data()[r * columns + c] == want;
      }
    CHECK(is_right);
  }
}

}  // namespace

TEST_CASE("products of matrices of integers and booleans") {
  constexpr std::array<std::array<int64_t, 3>, 8> kShapes{{{1, 1, 1},
                                                           {4, 3, 64},
                                                           {5, 513, 65},
                                                           {3, 1024, 9},
                                                           {9, 0, 7},
                                                           {0, 3, 7},
                                                           {2, 7, 513},
                                                           {130, 20, 33}}};
  std::mt19937 random(3);
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    for (const auto& [rows, inner, columns] : kShapes) {
      check_products<uint8_t>(DType::boolean, rows, inner, columns, random);
      check_products<uint8_t>(DType::int8, rows, inner, columns, random);
      check_products<uint16_t>(DType::uint16, rows, inner, columns, random);
      check_products<uint32_t>(DType::int32, rows, inner, columns, random);
      check_products<uint64_t>(DType::int64, rows, inner, columns, random);
    }
  }
  set_num_threads(0);
}

}  // namespace serrate::cpu
