// Sorting and scanning lists against the obvious: std::stable_sort and a loop.
#include "cpu/lists/lists.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

std::vector<int64_t> offsets_of(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> o{0};
  for (const int64_t n : lengths) o.push_back(o.back() + n);
  return o;
}

/// Lists of every length that is treated differently, and one that all threads share.
std::vector<int64_t> shapes(bool giant) {
  std::vector<int64_t> lengths;
  for (int64_t n = 0; n < 70; n++) lengths.push_back(n);
  for (int64_t n : {0, 100, 127, 128, 129, 1000, 1536, 1537, 5000, 0, 70'000}) lengths.push_back(n);
  if (giant) lengths.push_back((1 << 20) + 12'345);
  lengths.push_back(3);
  return offsets_of(lengths);
}

template <class T>
bool is_last(T v) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(v);
  return false;
}

template <class T>
std::vector<int64_t> order_of(const std::vector<T>& x, const std::vector<uint8_t>& valid,
                              const std::vector<int64_t>& offsets, bool descending) {
  std::vector<int64_t> order(x.size());
  for (size_t l = 0; l + 1 < offsets.size(); l++) {
    auto* begin = order.data() + offsets[l];
    const auto n = offsets[l + 1] - offsets[l];
    std::iota(begin, begin + n, 0);
    const auto rank = [&](int64_t i) {
      const auto k = static_cast<size_t>(offsets[l] + i);
      return !valid.empty() && !valid[k] ? 2 : is_last(x[k]) ? 1 : 0;
    };
    std::stable_sort(begin, begin + n, [&](int64_t i, int64_t j) {
      if (rank(i) != rank(j) || rank(i) > 0) return rank(i) < rank(j);
      const T a = x[static_cast<size_t>(offsets[l] + i)],
              b = x[static_cast<size_t>(offsets[l] + j)];
      return descending ? b < a : a < b;
    });
  }
  return order;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return memcmp(&a, &b, sizeof a) == 0 || (is_last(a) && is_last(b));
}

template <class T>
void check_sorts(DType t, const std::vector<T>& x, const std::vector<int64_t>& offsets) {
  std::mt19937 g(7);
  std::vector<uint8_t> some(x.size());
  for (auto& v : some) v = g() % 4 != 0;
  const Lists lists{offsets.data(), static_cast<int64_t>(offsets.size()) - 1};
  for (const bool descending : {false, true}) {
    for (const auto& valid : {std::vector<uint8_t>{}, some}) {
      const uint8_t* mask = valid.empty() ? nullptr : valid.data();
      const auto expected = order_of(x, valid, offsets, descending);
      std::vector<int64_t> order(x.size());
      argsort_lists(t, x.data(), mask, lists, descending, order.data());
      REQUIRE(order == expected);
      std::vector<T> sorted(x.size());
      sort_lists(t, x.data(), mask, lists, descending, sorted.data());
      size_t wrong = 0;
      for (size_t l = 0; l + 1 < offsets.size(); l++) {
        for (int64_t i = offsets[l]; i < offsets[l + 1]; i++) {
          const T want = x[static_cast<size_t>(offsets[l] + expected[static_cast<size_t>(i)])];
          wrong += !same_bits(sorted[static_cast<size_t>(i)], want);
        }
      }
      REQUIRE(wrong == 0);
    }
  }
}

template <class T>
std::vector<T> numbers(int64_t n, bool few) {
  std::mt19937_64 g(3);
  std::vector<T> x(static_cast<size_t>(n));
  for (auto& v : x) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.5};
      v = static_cast<T>(g() % 8 == 0 ? special[g() % 6]
                         : few        ? static_cast<double>(g() % 5) - 2
                                      : std::normal_distribution<double>()(g));
    } else {
      v = static_cast<T>(few ? g() % 5 : g());
    }
  }
  return x;
}

template <class T>
void check_type(DType t) {
  const auto offsets = shapes(sizeof(T) == 8);
  for (const bool few : {false, true}) check_sorts(t, numbers<T>(offsets.back(), few), offsets);
}

TEST_CASE("lists are sorted, stably, for every type") {
  const int threads = GENERATE(0, 1);
  set_num_threads(threads);
  check_type<int8_t>(DType::int8);
  check_type<uint8_t>(DType::uint8);
  check_type<int16_t>(DType::int16);
  check_type<uint16_t>(DType::uint16);
  check_type<int32_t>(DType::int32);
  check_type<uint32_t>(DType::uint32);
  check_type<int64_t>(DType::int64);
  check_type<uint64_t>(DType::uint64);
  check_type<float>(DType::float32);
  check_type<double>(DType::float64);
  set_num_threads(0);
}

TEST_CASE("upper halves of keys that are equal in runs of any length") {
  set_num_threads(1);
  std::mt19937_64 g(5);
  for (const uint64_t upper : {1u, 2u, 40u, 30'000u}) {
    std::vector<int64_t> x(120'000);
    for (auto& v : x) {
      const uint64_t skewed = g() % 3 == 0 ? 0 : g() % upper;
      v = static_cast<int64_t>((skewed - upper / 2) << 32 | (g() & 0xf000000f));
    }
    check_sorts(DType::int64, x, {0, 70'000, 70'000, 120'000});
    check_sorts(DType::timedelta64, x, {0, 120'000});
  }
  set_num_threads(0);
}

TEST_CASE("float16 and times are sorted with NaN and NaT last") {
  const std::vector<int64_t> offsets{0, 6};
  const Lists one{offsets.data(), 1};
  std::vector<int64_t> order(6);
  // 1, NaN, -inf, -0, 0, -NaN
  const std::vector<uint16_t> halves{0x3c00, 0x7e00, 0xfc00, 0x8000, 0x0000, 0xfe01};
  argsort_lists(DType::float16, halves.data(), nullptr, one, false, order.data());
  CHECK(order == std::vector<int64_t>{2, 3, 4, 0, 1, 5});
  argsort_lists(DType::float16, halves.data(), nullptr, one, true, order.data());
  CHECK(order == std::vector<int64_t>{0, 3, 4, 2, 1, 5});
  const std::vector<int64_t> times{5, INT64_MIN, INT64_MIN + 1, INT64_MAX, 0, -1};
  argsort_lists(DType::datetime64, times.data(), nullptr, one, false, order.data());
  CHECK(order == std::vector<int64_t>{2, 5, 4, 0, 3, 1});
  argsort_lists(DType::datetime64, times.data(), nullptr, one, true, order.data());
  CHECK(order == std::vector<int64_t>{3, 0, 4, 5, 2, 1});
  std::vector<int64_t> sorted(6);
  sort_lists(DType::datetime64, times.data(), nullptr, one, true, sorted.data());
  CHECK(sorted == std::vector<int64_t>{INT64_MAX, 5, 0, -1, INT64_MIN + 1, INT64_MIN});
}

TEST_CASE("every instruction set sorts alike") {
  for (int k = 0; k < kIsaCount; k++) {
    const auto isa = static_cast<Isa>(k);
    if (!isa_available(isa)) continue;
    const auto offsets = shapes(false);
    auto keys = numbers<int64_t>(offsets.back(), true);
    std::vector<KeyAt> pairs;
    for (size_t i = 0; i < keys.size(); i++) pairs.push_back({keys[i], static_cast<int64_t>(i)});
    std::vector<int64_t> room(keys.size());
    std::vector<KeyAt> pair_room(keys.size());
    const auto lists = static_cast<int64_t>(offsets.size()) - 1;
    sort_kernels(isa).wide.sort(keys.data(), room.data(), offsets.data(), nullptr, lists, 0);
    sort_kernels(isa).pairs.sort(pairs.data(), pair_room.data(), offsets.data(), nullptr, lists, 0);
    bool sorted = true, stable = true;
    for (size_t l = 0; l + 1 < offsets.size(); l++) {
      for (auto i = static_cast<size_t>(offsets[l]); i + 1 < static_cast<size_t>(offsets[l + 1]);
           i++) {
        sorted = sorted && keys[i] <= keys[i + 1] && pairs[i].key == keys[i];
        stable = stable &&
                 (pairs[i].key < pairs[i + 1].key || pairs[i].position < pairs[i + 1].position);
      }
    }
    CHECK(sorted);
    CHECK(stable);
  }
}

TEST_CASE("strings are sorted by their bytes") {
  std::mt19937 g(5);
  std::vector<std::string> words;
  const std::vector<std::string> stems{"",          "a",        std::string("a\0", 2), "electron",
                                       "electrons", "\xc3\xa9", "electronvolt"};
  for (int i = 0; i < 300'000; i++)
    words.push_back(stems[g() % stems.size()] + (g() % 2 ? "" : "x"));
  std::string bytes;
  std::vector<int64_t> ends{0};
  for (const auto& w : words) {
    bytes += w;
    ends.push_back(static_cast<int64_t>(bytes.size()));
  }
  const std::vector<int64_t> offsets{0, 0, 3, 40, 5000, 300'000};
  const Lists lists{offsets.data(), 5};
  for (const bool descending : {false, true}) {
    std::vector<int64_t> order(words.size());
    argsort_strings(reinterpret_cast<const uint8_t*>(bytes.data()), ends.data(), nullptr, lists,
                    descending, order.data());
    for (size_t l = 0; l < 5; l++) {
      std::vector<int64_t> want(static_cast<size_t>(offsets[l + 1] - offsets[l]));
      std::iota(want.begin(), want.end(), 0);
      std::stable_sort(want.begin(), want.end(), [&](int64_t i, int64_t j) {
        const auto &a = words[static_cast<size_t>(offsets[l] + i)],
                   &b = words[static_cast<size_t>(offsets[l] + j)];
        return descending ? b < a : a < b;
      });
      CHECK(std::equal(want.begin(), want.end(), order.begin() + offsets[l]));
    }
  }
}

template <class T, class Out, class F>
void check_scan(Reducer s, DType t, Out start, F&& f) {
  const auto offsets = shapes(true);
  const Lists lists{offsets.data(), static_cast<int64_t>(offsets.size()) - 1};
  std::vector<T> x(static_cast<size_t>(offsets.back()));
  std::mt19937 g(11);
  for (auto& v : x) v = static_cast<T>(static_cast<int>(g() % 200) - 100);
  std::vector<uint8_t> some(x.size());
  for (auto& v : some) v = g() % 4 != 0;
  for (const uint8_t* valid : {static_cast<const uint8_t*>(nullptr), std::as_const(some).data()}) {
    std::vector<Out> out(x.size());
    scan_lists(s, t, x.data(), valid, lists, out.data());
    size_t wrong = 0;
    for (size_t l = 0; l + 1 < offsets.size(); l++) {
      Out acc = start;
      for (auto i = static_cast<size_t>(offsets[l]); i < static_cast<size_t>(offsets[l + 1]); i++) {
        if (!valid || valid[i]) acc = f(acc, static_cast<Out>(x[i]));
        wrong += out[i] != acc;
      }
    }
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("scans add up list by list") {
  const auto add = [](auto a, auto b) { return a + b; };
  const auto smaller = [](auto a, auto b) { return std::min(a, b); };
  const auto larger = [](auto a, auto b) { return std::max(a, b); };
  check_scan<int32_t, int64_t>(Reducer::sum, DType::int32, 0, add);
  check_scan<uint8_t, uint64_t>(Reducer::sum, DType::uint8, 0, add);
  check_scan<double, double>(Reducer::sum, DType::float64, 0, add);  // of integers, so exact
  check_scan<uint64_t, uint64_t>(Reducer::prod, DType::uint64, 1,
                                 [](auto a, auto b) { return a * b; });
  check_scan<int16_t, int16_t>(Reducer::min, DType::int16, 32767, smaller);
  check_scan<float, float>(Reducer::max, DType::float32, -INFINITY, larger);
}

TEST_CASE("NaN and NaT stay in scans") {
  const std::vector<int64_t> offsets{0, 4};
  const Lists one{offsets.data(), 1};
  const std::vector<double> x{2, NAN, 1, 5};
  std::vector<double> out(4);
  for (const Reducer s : {Reducer::sum, Reducer::prod, Reducer::min, Reducer::max}) {
    scan_lists(s, DType::float64, x.data(), nullptr, one, out.data());
    CHECK(out[0] == 2);
    CHECK((std::isnan(out[1]) && std::isnan(out[2]) && std::isnan(out[3])));
  }
  const std::vector<int64_t> times{2, INT64_MIN, 1, 5};
  std::vector<int64_t> sums(4);
  scan_lists(Reducer::sum, DType::timedelta64, times.data(), nullptr, one, sums.data());
  CHECK(sums == std::vector<int64_t>{2, INT64_MIN, INT64_MIN, INT64_MIN});
}

TEST_CASE("sums are the same for any number of threads") {
  const auto offsets = shapes(true);
  const Lists lists{offsets.data(), static_cast<int64_t>(offsets.size()) - 1};
  auto x = numbers<double>(offsets.back(), false);
  for (auto& v : x) v = std::isfinite(v) ? v : 0.5;
  std::vector<double> one(x.size()), many(x.size());
  set_num_threads(1);
  scan_lists(Reducer::sum, DType::float64, x.data(), nullptr, lists, one.data());
  set_num_threads(3);
  scan_lists(Reducer::sum, DType::float64, x.data(), nullptr, lists, many.data());
  set_num_threads(0);
  CHECK(one == many);
}

TEST_CASE("permutations are inverted") {
  const std::vector<int64_t> offsets{0, 3, 3, 5}, order{2, 0, 1, 1, 0};
  std::vector<int64_t> out(5);
  invert_lists(order.data(), {offsets.data(), 3}, out.data());
  CHECK(out == std::vector<int64_t>{1, 2, 0, 1, 0});
}

}  // namespace
}  // namespace serrate::cpu
