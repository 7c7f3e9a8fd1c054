// Sorting by counting against std::stable_sort.
#include "cpu/lists/sort_counting.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "catch.h"

namespace serrate::cpu {
namespace {

template <class T>
void check_counting(DType t, T least, uint32_t values, bool descending, bool masked) {
  constexpr int64_t n = 300'000;
  std::mt19937 random(3);
  std::vector<T> keys(n);
  std::vector<uint8_t> valid(n);
  for (auto& k : keys) k = static_cast<T>(least + static_cast<T>(random() % values));
  for (auto& v : valid) v = random() % 5 != 0;
  std::vector<int64_t> expected(n), order(n);
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](int64_t i, int64_t j) {
    if (masked && (!valid[i] || !valid[j])) return valid[i] > valid[j];
    return descending ? keys[j] < keys[i] : keys[i] < keys[j];
  });
  const uint8_t* mask = masked ? valid.data() : nullptr;
  REQUIRE(sort_by_counting({t, keys.data(), mask, n, descending, order.data(), nullptr}));
  CHECK(order == expected);
  std::vector<T> sorted(n), expected_keys;
  for (const int64_t i : expected) expected_keys.push_back(keys[i]);
  REQUIRE(sort_by_counting({t, keys.data(), mask, n, descending, nullptr, sorted.data()}));
  CHECK(sorted == expected_keys);
}

TEST_CASE("integers that take few values are counted") {
  for (const bool descending : {false, true})
    for (const bool masked : {false, true}) {
      check_counting<int8_t>(DType::int8, -128, 256, descending, masked);
      check_counting<uint16_t>(DType::uint16, 7, 3, descending, masked);
      // Runs shorter than what is written at a time.
      check_counting<uint16_t>(DType::uint16, 100, 60'000, descending, masked);
      check_counting<int16_t>(DType::int16, -30'000, 60'000, descending, masked);
      check_counting<int32_t>(DType::int32, -9, 65'000, descending, masked);
      check_counting<int64_t>(DType::int64, INT64_MIN, 1000, descending, masked);
      check_counting<uint64_t>(DType::uint64, UINT64_MAX - 999, 1000, descending, masked);
    }
}

TEST_CASE("integers far apart and floating-point numbers are not counted") {
  const std::vector<int64_t> keys{0, int64_t{1} << 40, 5};
  std::vector<int64_t> order(3);
  CHECK(!sort_by_counting({DType::int64, keys.data(), nullptr, 3, false, order.data(), nullptr}));
  CHECK(!sort_by_counting({DType::float64, keys.data(), nullptr, 3, false, order.data(), nullptr}));
}

}  // namespace
}  // namespace serrate::cpu
