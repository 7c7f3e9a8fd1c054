// Quotients and remainders together are what each is by itself.
#include <limits>
#include <vector>

#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/io.h"
#include "serrate/ops.h"

using namespace serrate;

namespace {

template <class T>
void check_pairs() {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> numbers = {Limits::min(),
                                  static_cast<T>(Limits::min() + 1),
                                  static_cast<T>(-7),
                                  static_cast<T>(-1),
                                  0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  100,
                                  static_cast<T>(Limits::max() - 1),
                                  Limits::max()};
  std::vector<T> xs, ys;
  for (const T a : numbers)
    for (const T b : numbers) xs.push_back(a), ys.push_back(b);
  const Array x = from_values(xs), y = from_values(ys);
  const auto [quotient, rest] = divmod(x, y);
  CHECK(testing::show(quotient) == testing::show(floor_divide(x, y)));
  CHECK(testing::show(rest) == testing::show(remainder(x, y)));
  for (const T b : numbers) {
    const Array one = from_values(std::vector<T>{b});
    CHECK(testing::show(divmod(x, one).second) == testing::show(remainder(x, one)));
    CHECK(testing::show(divmod(x, one).first) == testing::show(floor_divide(x, one)));
  }
}

}  // namespace

TEST_CASE("divmod of integers, of zero and of the lowest one") {
  check_pairs<int8_t>();
  check_pairs<uint8_t>();
  check_pairs<int16_t>();
  check_pairs<uint16_t>();
  check_pairs<int32_t>();
  check_pairs<uint32_t>();
  check_pairs<int64_t>();
  check_pairs<uint64_t>();
}

TEST_CASE("divmod of other numbers is the quotient and the remainder") {
  const Array x = from_values(std::vector<double>{-7.5, 0, 7.5}), y = 2.0;
  const auto [quotient, rest] = divmod(x, y);
  CHECK(testing::show(quotient) == "3 * float64 | [-4.0,0.0,3.0]");
  CHECK(testing::show(rest) == testing::show(remainder(x, y)));
}
