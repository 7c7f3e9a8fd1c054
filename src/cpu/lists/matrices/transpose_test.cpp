// Transposed matrices against their definition.
#include "cpu/lists/matrices/transpose.h"

#include <algorithm>
#include <array>
#include <complex>
#include <vector>

#include "catch.h"
#include "cpu/machine/pool.h"
#include "serrate/error.h"

namespace serrate {
namespace {

template <class T>
void check_items(const cpu::MatrixShape& s, const std::vector<T>& from, const std::vector<T>& to,
                 cpu::Isa isa) {
  bool is_right = true;
  for (int64_t m = 0; m < s.count; m++)
    for (int64_t r = 0; r < s.rows; r++)
      for (int64_t c = 0; c < s.columns; c++)
        is_right &= to[static_cast<size_t>((m * s.columns + c) * s.rows + r)] ==
                    from[static_cast<size_t>((m * s.rows + r) * s.columns + c)];
  INFO(s.count << " of " << s.rows << " x " << s.columns << ", " << sizeof(T) << " bytes, "
               << cpu::name(isa));
  CHECK(is_right);
}

template <class T>
void check_transposed(const cpu::MatrixShape& s) {
  std::vector<T> from, to;
  for (int64_t i = 0; i < s.count * s.rows * s.columns; i++) from.push_back(static_cast<T>(i * 7));
  to.resize(from.size());
  for (int i = 0; i < cpu::kIsaCount; i++) {
    const auto isa = static_cast<cpu::Isa>(i);
    if (!cpu::isa_available(isa)) continue;
    std::fill(to.begin(), to.end(), T{});
    cpu::transpose(from.data(), s, sizeof(T), to.data(), isa);
    check_items(s, from, to, isa);
  }
}

}  // namespace

TEST_CASE("matrices are transposed, for any number of threads") {
  constexpr std::array<cpu::MatrixShape, 13> kShapes{{{1, 1, 1},
                                                      {2, 16, 16},
                                                      {1, 15, 17},
                                                      {3, 8, 40},
                                                      {1, 41, 65},
                                                      {1, 31, 33},
                                                      {1, 64, 32},
                                                      {3, 5, 7},
                                                      {40, 1, 9},
                                                      {2, 100'000, 2},
                                                      {1, 3, 70'001},
                                                      {5, 0, 3},
                                                      {0, 4, 4}}};
  for (const int threads : {1, 4}) {
    cpu::set_num_threads(threads);
    for (const cpu::MatrixShape& s : kShapes) {
      check_transposed<uint8_t>(s);
      check_transposed<int16_t>(s);
      check_transposed<float>(s);
      check_transposed<int64_t>(s);
      check_transposed<std::complex<double>>(s);
    }
  }
  cpu::set_num_threads(0);
  CHECK_THROWS_AS(cpu::transpose(nullptr, {1, 1, 1}, 3, nullptr), ValueError);
}

}  // namespace serrate
