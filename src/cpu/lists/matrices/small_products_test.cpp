// Products of small matrices, by every instruction set, against their definition.
#include "cpu/lists/matrices/small_products.h"

#include <array>
#include <complex>
#include <random>
#include <vector>

#include "catch.h"
#include "cpu/lists/ragged_testing.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

using namespace testing;

template <class T>
std::vector<T> numbers(int64_t n, std::mt19937& random) {
  std::vector<T> out;
  for (int64_t i = 0; i < n; i++) out.push_back(static_cast<T>(static_cast<int>(random() % 9) - 4));
  return out;
}

template <class T>
void check_products(DType t, SmallProducts p, std::mt19937& random) {
  const auto left = numbers<T>(p.count * p.rows * p.inner, random);
  const auto right = numbers<T>(p.count * p.inner * p.columns, random);
  p.type = t;
  p.left = left.data();
  p.right = right.data();
  for (const Isa isa : isas()) {
    CAPTURE(name(isa), p.count, p.rows, p.inner, p.columns, static_cast<int>(t));
    std::vector<T> out(static_cast<size_t>(p.count * p.rows * p.columns));
    small_products(p, out.data(), isa);
    bool is_right = true;
    size_t at = 0;
    for (int64_t m = 0; m < p.count; m++)
      for (int64_t i = 0; i < p.rows; i++)
        for (int64_t c = 0; c < p.columns; c++, at++) {
          T sum(0);
          for (int64_t j = 0; j < p.inner; j++)
            sum += left[static_cast<size_t>((m * p.rows + i) * p.inner + j)] *
                   right[static_cast<size_t>((m * p.inner + j) * p.columns + c)];
          is_right &= out[at] == sum;
        }
    CHECK(is_right);
  }
}

}  // namespace

TEST_CASE("products of many small matrices, for any number of threads") {
  constexpr std::array<std::array<int64_t, 4>, 13> kShapes{{{1, 1, 1, 1},
                                                            {5, 2, 2, 2},
                                                            {7, 3, 3, 3},
                                                            {20'000, 3, 3, 3},
                                                            {6, 4, 4, 4},
                                                            {5, 5, 5, 5},
                                                            {5, 6, 6, 6},
                                                            {5, 3, 3, 1},
                                                            {4, 4, 4, 1},
                                                            {3, 5, 7, 9},
                                                            {2, 3, 0, 4},
                                                            {0, 3, 3, 3},
                                                            {3, 0, 2, 2}}};
  std::mt19937 random(3);
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    for (const auto& s : kShapes) {
      const SmallProducts p{.count = s[0], .rows = s[1], .inner = s[2], .columns = s[3]};
      check_products<float>(DType::float32, p, random);
      check_products<double>(DType::float64, p, random);
      check_products<std::complex<float>>(DType::complex64, p, random);
      check_products<std::complex<double>>(DType::complex128, p, random);
    }
  }
  set_num_threads(0);
}

}  // namespace serrate::cpu
