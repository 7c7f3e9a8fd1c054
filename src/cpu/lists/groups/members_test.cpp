// Members of sets beside binary searches.
#include "cpu/lists/groups/members.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "cpu/lists/groups/member_table.h"

namespace serrate::cpu {
namespace {

/// Each third of the items is in a set of so many values, and those at the ends of their type are.
template <class T>
void check_members(DType t, int64_t size) {
  std::vector<T> set(static_cast<size_t>(size)), items;
  std::mt19937_64 random(9);
  for (auto& x : set) x = static_cast<T>(3 * static_cast<int64_t>(random() % 1'000'000'000));
  for (int64_t i = 0; i < 3 * size; i++)
    items.push_back(
        static_cast<T>(set[static_cast<size_t>(i) % set.size()] + static_cast<T>(i % 3)));
  set.push_back(std::numeric_limits<T>::max());
  items.insert(items.end(), {std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()});
  if constexpr (std::is_floating_point_v<T>) {
    set.insert(set.end(), {std::numeric_limits<T>::quiet_NaN(), -T(0)});
    items.insert(items.end(), {std::numeric_limits<T>::quiet_NaN(), T(0)});
  }
  std::vector<uint8_t> found(items.size(), 7);
  find_members({t, items.data()}, static_cast<int64_t>(items.size()), {t, set.data()},
               static_cast<int64_t>(set.size()), found.data());
  std::vector<T> sorted;
  std::ranges::copy_if(set, std::back_inserter(sorted), [](T x) { return x == x; });
  std::ranges::sort(sorted);
  int64_t wrong = 0;
  for (size_t i = 0; i < items.size(); i++)
    wrong +=
        found[i] != uint8_t{items[i] == items[i] && std::ranges::binary_search(sorted, items[i])};
  CHECK(wrong == 0);
}

TEST_CASE("members of sets of any size are found") {
  for (const int64_t size : {1, 170, 8'000, 9'000, 400'000}) {
    check_members<int64_t>(DType::int64, size);
    check_members<int32_t>(DType::int32, size);
    check_members<uint64_t>(DType::uint64, size);
    check_members<double>(DType::float64, size);
    check_members<float>(DType::float32, size);
  }
}

/// Items of one type, a set of another that they are compared as.
template <class I, class S>
void check_converted(DType items_type, DType set_type) {
  std::mt19937_64 random(3);
  for (const int64_t step : {1, 1'001}) {
    std::vector<I> items(5'003);
    std::vector<S> set(300);
    for (auto& x : items) x = static_cast<I>(static_cast<int64_t>(random() % 1'000) * step);
    for (auto& x : set) x = static_cast<S>(static_cast<int64_t>(random() % 1'000) * step);
    std::vector<uint8_t> found(items.size(), 7);
    find_members({items_type, items.data()}, std::ssize(items), {set_type, set.data()},
                 std::ssize(set), found.data());
    std::ranges::sort(set);
    int64_t wrong = 0;
    for (size_t i = 0; i < items.size(); i++)
      wrong += found[i] != uint8_t{std::ranges::binary_search(set, static_cast<S>(items[i]))};
    CAPTURE(name(items_type), name(set_type), step);
    CHECK(wrong == 0);
  }
}

TEST_CASE("items are compared as the set's type") {
  check_converted<int8_t, int64_t>(DType::int8, DType::int64);
  check_converted<int16_t, int64_t>(DType::int16, DType::int64);
  check_converted<uint32_t, int64_t>(DType::uint32, DType::int64);
  check_converted<uint16_t, uint64_t>(DType::uint16, DType::uint64);
  check_converted<float, double>(DType::float32, DType::float64);
  check_converted<int64_t, double>(DType::int64, DType::float64);
  check_converted<int16_t, float>(DType::int16, DType::float32);
}

template <class T>
void check_table(DType t, Isa isa) {
  using Limits = std::numeric_limits<T>;
  // Beyond the ends of the type it goes on at the other one.
  const auto plus = [](T x, int k) {
    return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(k));
  };
  for (const T lowest : {Limits::min(), T(0), static_cast<T>(Limits::max() - 99)}) {
    std::vector<T> set;
    for (int k = 0; k < 100; k += 3) set.push_back(plus(lowest, k));
    const auto table = member_table(t, set.data(), std::ssize(set));
    REQUIRE(table);
    CHECK(table->size == 100);
    // Around the ends, and far away for some groups of items.
    std::vector<T> items{Limits::max(), Limits::min(), T(0)};
    for (int k = -30; k < 130; k++) items.push_back(plus(lowest, k));
    items.insert(items.end(), 37, plus(lowest, 101));
    for (size_t from = 0; from < 3; from++) {
      std::vector<uint8_t> found(items.size() + 1, 7);
      const auto n = std::ssize(items) - static_cast<int64_t>(from);
      look_up_members(isa)(t, items.data() + from, n, table->lowest, table->size,
                           table->bits.data(), found.data());
      int64_t wrong = 0;
      for (int64_t i = 0; i < n; i++)
        wrong += found[static_cast<size_t>(i)] !=
                 uint8_t{std::ranges::binary_search(set, items[static_cast<size_t>(i) + from])};
      CAPTURE(name(t), name(isa), from);
      CHECK(wrong == 0);
      CHECK(found[static_cast<size_t>(n)] == 7);
    }
  }
}

TEST_CASE("integers are looked up in a table of bits") {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    check_table<int8_t>(DType::int8, isa);
    check_table<uint8_t>(DType::uint8, isa);
    check_table<int16_t>(DType::int16, isa);
    check_table<uint16_t>(DType::uint16, isa);
    check_table<int32_t>(DType::int32, isa);
    check_table<uint32_t>(DType::uint32, isa);
    check_table<int64_t>(DType::int64, isa);
    check_table<uint64_t>(DType::uint64, isa);
  }
  const std::vector<int64_t> ends{INT64_MIN, INT64_MAX}, far{0, 2'000};
  CHECK_FALSE(member_table(DType::int64, ends.data(), 2));
  CHECK_FALSE(member_table(DType::int64, far.data(), 2));
  CHECK_FALSE(member_table(DType::int64, nullptr, 0));
}

}  // namespace
}  // namespace serrate::cpu
