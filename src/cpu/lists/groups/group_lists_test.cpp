// Groups against a map of what is equal.
#include "cpu/lists/groups/group_lists.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <tuple>

#include "catch.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

const std::vector<int64_t> kOffsets{0, 0, 1, 70, 70, 5'000, 1'800'000};
const Lists kLists{kOffsets.data(), static_cast<int64_t>(kOffsets.size()) - 1};

/// What sorting each list stably by `order` and cutting it where `same` ends gives.
void check_groups(const GroupedItems& items, bool numbered) {
  std::vector<int64_t> order(static_cast<size_t>(kLists.items()));
  if (items.ends) {
    argsort_strings(static_cast<const uint8_t*>(items.keys), items.ends, items.valid, kLists,
                    items.descending, order.data());
  } else {
    argsort_lists(items.type, items.keys, items.valid, kLists, items.descending, order.data());
  }
  std::vector<int32_t> numbers(order.size(), -7);
  const auto found = group_lists(items, kLists, numbered ? numbers.data() : nullptr);
  REQUIRE(found);
  REQUIRE(found->sizes.size() == static_cast<size_t>(kLists.count));
  size_t group = 0;
  int64_t wrong = 0;
  for (int64_t l = 0; l < kLists.count; l++) {
    int64_t place = kOffsets[l];
    for (int64_t g = 0; g < found->sizes[l]; g++, group++) {
      wrong += found->firsts[group] != order[place];
      for (int64_t k = 0; k < found->counts[group]; k++, place++)
        wrong += numbered && numbers[kOffsets[l] + order[place]] != g;
    }
    CHECK(place == kOffsets[l + 1]);
  }
  CHECK(wrong == 0);
  CHECK(group == found->firsts.size());
}

template <class T>
std::vector<T> values(uint32_t different, T step) {
  std::mt19937 random(different);
  std::vector<T> v(static_cast<size_t>(kLists.items()));
  for (auto& x : v) x = static_cast<T>(static_cast<T>(random() % different) * step);
  if constexpr (std::is_floating_point_v<T>) {
    for (size_t i = 3; i < v.size(); i += 97) v[i] = std::numeric_limits<T>::quiet_NaN();
    for (size_t i = 1; i < v.size(); i += 89) v[i] = i % 2 == 0 ? T(0) : -T(0);
  }
  return v;
}

template <class T>
void check_type(DType t, uint32_t different, T step) {
  const std::vector<T> keys = values<T>(different, step);
  std::vector<uint8_t> valid(keys.size());
  for (size_t i = 0; i < valid.size(); i++) valid[i] = i % 7 != 2;
  for (const bool masked : {false, true})
    for (const bool descending : {false, true})
      check_groups({t, keys.data(), nullptr, masked ? valid.data() : nullptr, descending}, masked);
}

TEST_CASE("equal items of lists are found, for any number of threads") {
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    check_type<int64_t>(DType::int64, 900, 1);
    check_type<int64_t>(DType::int64, 900, 1'000'003);
    check_type<uint64_t>(DType::uint64, 5'000, uint64_t{1} << 50);
    check_type<int8_t>(DType::int8, 200, 1);
    check_type<int32_t>(DType::int32, 3'000, 700'000);
    check_type<float>(DType::float32, 3'000, 0.25F);
    check_type<double>(DType::float64, 3'000, -0.25);
  }
  set_num_threads(0);
}

TEST_CASE("equal strings of lists are found") {
  std::string text;
  std::vector<int64_t> ends{0};
  std::mt19937 random(5);
  for (int64_t i = 0; i < kLists.items(); i++) {
    // Of each length, different in any one place.
    std::string word(random() % 40, 'a');
    if (!word.empty() && random() % 2) word[random() % word.size()] = 'b';
    text.insert(text.end(), word.begin(), word.end());
    ends.push_back(static_cast<int64_t>(text.size()));
  }
  std::vector<uint8_t> valid(ends.size());
  for (size_t i = 0; i < valid.size(); i++) valid[i] = i % 5 != 2;
  for (const bool numbered : {false, true})
    for (const bool masked : {false, true})
      check_groups({DType::uint8, text.data(), ends.data(), masked ? valid.data() : nullptr, false},
                   numbered);
}

TEST_CASE("items of which nearly all are different are left to sorts") {
  std::vector<double> x(20'000);
  for (size_t i = 0; i < x.size(); i++) x[i] = std::sin(static_cast<double>(i));
  const std::vector<int64_t> ends{0, 20'000};
  std::vector<int32_t> numbers(x.size());
  const GroupedItems items{DType::float64, x.data()};
  CHECK_FALSE(group_lists(items, {ends.data(), 1}, nullptr));
  const auto found = group_lists(items, {ends.data(), 1}, numbers.data());
  CHECK(found->counts == KeptVector<int64_t>(x.size(), 1));
  CHECK(found->firsts.empty());  // the order tells
  REQUIRE(found->order.bytes() == 8 * 20'000);
  const auto* order = found->order.as<int64_t>();
  for (size_t i = 0; i < x.size(); i++)
    CHECK(numbers[static_cast<size_t>(order[i])] == static_cast<int32_t>(i));
  // Of few short lists, too; not because of one among others.
  const std::vector<int64_t> thirds{0, 3'000, 6'000}, one{0, 100, 20'000};
  CHECK_FALSE(group_lists(items, {thirds.data(), 2}, nullptr));
  for (size_t i = 100; i < x.size(); i++) x[i] = static_cast<double>(i % 50);
  CHECK(group_lists(items, {one.data(), 2}, nullptr)->sizes == std::vector<int64_t>{100, 50});
  for (size_t i = 0; i < x.size(); i++) x[i] = std::sin(static_cast<double>(i));
  // Of several lists first items are told.
  const std::vector<int64_t> halves{0, 10'000, 20'000};
  const auto both = group_lists(items, {halves.data(), 2}, numbers.data());
  CHECK(both->firsts.size() == x.size());
  CHECK(both->sizes == std::vector<int64_t>{10'000, 10'000});
}

template <class T>
void check_different(DType t, T step) {
  const std::vector<T> keys = values<T>(4'000'000'000U, step);
  std::vector<uint8_t> valid(keys.size());
  for (size_t i = 0; i < valid.size(); i++) valid[i] = i % 7 != 2;
  for (const bool masked : {false, true})
    for (const bool descending : {false, true})
      check_groups({t, keys.data(), nullptr, masked ? valid.data() : nullptr, descending}, true);
}

TEST_CASE("items of which nearly all are different are grouped by their order") {
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    check_different<int64_t>(DType::int64, 1'000'003);
    check_different<double>(DType::float64, -0.25);
    check_different<float>(DType::float32, 0.25F);
    check_different<int32_t>(DType::int32, 1);
  }
  set_num_threads(0);
}

}  // namespace
}  // namespace serrate::cpu
