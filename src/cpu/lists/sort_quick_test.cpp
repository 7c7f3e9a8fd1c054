// Quicksort by registers and their networks, beside std::sort.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "catch.h"
#include "cpu/lists/lists.h"
#include "cpu/lists/sort_kernels.h"

namespace serrate::cpu {
namespace {

/// Numbers of which some orders and equal ones are hard to sort.
template <class T>
std::vector<std::vector<T>> hard_lists(int64_t n) {
  std::mt19937_64 random(static_cast<uint64_t>(n));
  std::vector<std::vector<T>> lists(11, std::vector<T>(static_cast<size_t>(n)));
  for (size_t i = 0; i < static_cast<size_t>(n); i++) {
    lists[0][i] = static_cast<T>(random());
    lists[1][i] = static_cast<T>(random() % 3) - 1;
    lists[2][i] = static_cast<T>(i);
    lists[3][i] = static_cast<T>(n - static_cast<int64_t>(i));
    lists[4][i] = std::numeric_limits<T>::min();
    lists[5][i] = std::numeric_limits<T>::max();
    lists[6][i] = random() % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    lists[7][i] = static_cast<T>(i % 37 == 0 ? random() : i / 100);
    // Around zero, and around what doubles end with.
    lists[9][i] = static_cast<T>(random() % 5) - 2;
    lists[10][i] = static_cast<T>((random() % 2 == 0 ? 0x7ff0000000000000 : -0x7ff0000000000000) +
                                  static_cast<int64_t>(random() % 5) - 2);
    lists[8][i] =
        static_cast<T>(std::min<int64_t>(static_cast<int64_t>(i), n - 1 - static_cast<int64_t>(i)));
  }
  return lists;
}

/// The same as floating numbers, the ends as infinities, some so small that they have few bits.
template <class F, class T>
std::vector<std::vector<F>> hard_floats(int64_t n) {
  std::vector<std::vector<F>> all;
  for (const std::vector<T>& list : hard_lists<T>(n)) {
    std::vector<F>& floats = all.emplace_back();
    for (const T x : list) floats.push_back(static_cast<F>(x));
    for (size_t i = 0; i < list.size(); i++) {
      if (list[i] == std::numeric_limits<T>::max()) floats[i] = std::numeric_limits<F>::infinity();
      if (list[i] == std::numeric_limits<T>::min()) floats[i] = -std::numeric_limits<F>::infinity();
      if (all.size() == 10) floats[i] = 0 + floats[i] * std::numeric_limits<F>::denorm_min();
    }
  }
  return all;
}
template <>
std::vector<std::vector<float>> hard_lists(int64_t n) {
  return hard_floats<float, int32_t>(n);
}
template <>
std::vector<std::vector<double>> hard_lists(int64_t n) {
  return hard_floats<double, int64_t>(n);
}

/// Around some places, and moved apart by pivots first.
template <class T>
void expect_selected(const SortItems<T>& kernels, const std::vector<T>& list,
                     const std::vector<T>& sorted) {
  const auto n = static_cast<int64_t>(list.size());
  const auto is_split = [&](const std::vector<T>& items, int64_t at) {
    const auto middle = items.begin() + at;
    return std::all_of(items.begin(), middle, [&](T x) { return x <= *middle; }) &&
           std::all_of(middle, items.end(), [&](T x) { return x >= *middle; });
  };
  for (const int64_t k : {int64_t{0}, n / 3, n / 2, n - 1}) {
    const T pivot = sorted[static_cast<size_t>(k)];
    std::vector<T> items = list, room(list.size()), apart(list.size(), T(7));
    const bool found = kernels.select(items.data(), n, k, room.data());
    if (found) REQUIRE(items[static_cast<size_t>(k)] == pivot);
    if (found) REQUIRE(is_split(items, k));
    std::ranges::sort(items);
    REQUIRE(items == sorted);
    T *low = apart.data(), *high = low + n;
    for (int64_t i = 0; i < n; i += 100)  // some at a time
      kernels.split(list.data() + i, std::min<int64_t>(100, n - i), pivot, &low, &high);
    REQUIRE(low == high);
    REQUIRE(std::all_of(apart.data(), low, [&](T x) { return x <= pivot; }));
    REQUIRE(std::all_of(low, apart.data() + n, [&](T x) { return x > pivot; }));
    std::ranges::sort(apart);
    REQUIRE(apart == sorted);
  }
}

template <class T>
void expect_sorted(const SortItems<T>& kernels) {
  std::vector<int64_t> sizes;
  for (int64_t n = 0; n < 300; n++) sizes.push_back(n);
  for (const int64_t n : {511, 512, 513, 1000, 2047, 2048, 2049, 5000, 100'000}) sizes.push_back(n);
  for (const int64_t n : sizes) {
    for (const std::vector<T>& list : hard_lists<T>(n)) {
      std::vector<T> expected = list;
      std::ranges::sort(expected);
      // What lies around the list stays.
      std::vector<T> items{7}, room(static_cast<size_t>(n));
      items.insert(items.end(), list.begin(), list.end());
      items.push_back(7);
      const std::vector<int64_t> offsets{0, n};
      kernels.sort(items.data() + 1, room.data(), offsets.data(), nullptr, 1, 0);
      REQUIRE(std::equal(expected.begin(), expected.end(), items.begin() + 1));
      REQUIRE(items.front() == 7);
      REQUIRE(items.back() == 7);
      if (kernels.quick == nullptr) continue;
      std::ranges::copy(list, items.begin() + 1);
      if (!kernels.quick(items.data() + 1, n, items.data() + 1, room.data(), n))
        std::sort(items.begin() + 1, items.end() - 1);  // still the same items
      REQUIRE(std::equal(expected.begin(), expected.end(), items.begin() + 1));
      REQUIRE(items.front() == 7);
      REQUIRE(items.back() == 7);
      std::ranges::fill(items, T(7));
      if (kernels.quick(list.data(), n, items.data() + 1, room.data(), n))  // of another list
        REQUIRE(std::equal(expected.begin(), expected.end(), items.begin() + 1));
      REQUIRE(items.back() == 7);
      // With room for fewer, behind which nothing is written.
      for (const int64_t most : {n / 2, n / 16, int64_t{200}}) {
        if (most < 200 || most >= n) continue;
        room.assign(static_cast<size_t>(most) + 1, T(7));
        for (const bool is_other : {false, true}) {
          std::ranges::copy(list, items.begin() + 1);
          const T* const from = is_other ? list.data() : items.data() + 1;
          if (!kernels.quick(from, n, items.data() + 1, room.data(), most)) {
            if (!is_other)
              std::sort(items.begin() + 1, items.end() - 1);
            else
              continue;
          }
          REQUIRE(std::equal(expected.begin(), expected.end(), items.begin() + 1));
          REQUIRE(items.front() == 7);
          REQUIRE(items.back() == 7);
          REQUIRE(room.back() == 7);
        }
      }
      if (n > 0 && kernels.select) expect_selected(kernels, list, expected);
    }
  }
}

TEST_CASE("lists of any order are sorted by registers, and by what else there is") {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    expect_sorted(sort_kernels(isa).narrow);
    expect_sorted(sort_kernels(isa).wide);
    if (sort_kernels(isa).shorts.sort) expect_sorted(sort_kernels(isa).shorts);
    if (sort_kernels(isa).floats.sort) expect_sorted(sort_kernels(isa).floats);
    if (sort_kernels(isa).doubles.sort) expect_sorted(sort_kernels(isa).doubles);
  }
}

#if defined(__SSE2__)
/// As what libraries that are built for fast maths set.
class SubnormalsAreZeros {
 public:
  SubnormalsAreZeros() { _mm_setcsr(before_ | 0x8040); }
  ~SubnormalsAreZeros() { _mm_setcsr(before_); }

 private:
  unsigned before_ = _mm_getcsr();
};

TEST_CASE("numbers are sorted whole where subnormal ones are read as zeros") {
  for (const int64_t n : {7, 20, 100, 500, 5000, 100'000}) {
    std::vector<int64_t> small(static_cast<size_t>(n));
    std::iota(small.begin(), small.end(), -n / 2);
    const std::vector<int64_t> expected = small;
    std::ranges::shuffle(small, std::mt19937_64(5));
    std::vector<int64_t> positive(small);  // the bits of subnormal numbers
    for (int64_t& x : positive) x += n;
    std::vector<int64_t> positive_expected = positive;
    std::ranges::sort(positive_expected);
    const std::vector<int64_t> ends{0, n};
    const SubnormalsAreZeros here;
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      if (!isa_available(isa)) continue;
      std::vector<int64_t> items = small, room(small);
      sort_kernels(isa).wide.sort(items.data(), room.data(), ends.data(), nullptr, 1, 0);
      REQUIRE(items == expected);
    }
    const Lists one{ends.data(), 1};
    std::vector<int64_t> out(small), order(small);
    sort_lists(DType::int64, small.data(), nullptr, one, false, out.data());
    REQUIRE(out == expected);
    argsort_lists(DType::int64, small.data(), nullptr, one, false, order.data());
    for (size_t i = 0; i < out.size(); i++)
      REQUIRE(small[static_cast<size_t>(order[i])] == expected[i]);
    sort_lists(DType::float64, positive.data(), nullptr, one, false, out.data());
    REQUIRE(out == positive_expected);
  }
}
#endif

template <class T>
void expect_distinct(const SortKernels& kernels, DType t) {
  std::mt19937_64 random(3);
  for (int64_t n = 0; n < 150; n++) {
    for (const uint64_t values : {1, 3, 100, 100'000}) {
      std::vector<T> list(static_cast<size_t>(n));
      for (T& x : list)
        x = static_cast<T>(static_cast<int64_t>(random() % values) -
                           static_cast<int64_t>(values / 2));
      std::ranges::sort(list);
      std::vector<T> expected = list;
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      if constexpr (std::is_floating_point_v<T>)
        for (T& x : list) x = x == 0 && random() % 2 == 0 ? -x : x;
      list.push_back(7);  // what lies behind the list stays
      const int64_t left = kernels.drop_repeats(t, list.data(), n);
      REQUIRE(left == static_cast<int64_t>(expected.size()));
      REQUIRE(std::equal(expected.begin(), expected.end(), list.begin()));
      REQUIRE(list.back() == 7);
    }
  }
}

TEST_CASE("of equal neighbours the first one is kept") {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    expect_distinct<int32_t>(sort_kernels(isa), DType::int32);
    expect_distinct<int64_t>(sort_kernels(isa), DType::int64);
    expect_distinct<float>(sort_kernels(isa), DType::float32);
    expect_distinct<double>(sort_kernels(isa), DType::float64);
  }
}

TEST_CASE("floating numbers are copied unless one is NaN or -0.0") {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    const auto copies = [&]<class F>(std::vector<F> list) {
      std::vector<F> copy(list.size());
      const DType t = sizeof(F) == 8 ? DType::float64 : DType::float32;
      const auto n = static_cast<int64_t>(list.size());
      const bool copied = sort_kernels(isa).copy_numbers(t, list.data(), n, false, copy.data());
      REQUIRE(copied == sort_kernels(isa).copy_numbers(t, list.data(), n, false, nullptr));
      if (copied) REQUIRE(copy == list);
      return copied;
    };
    const auto check = [&]<class F>(F) {
      constexpr F kInfinity = std::numeric_limits<F>::infinity();
      for (const size_t n : {1u, 7u, 64u, 4096u, 10'000u}) {
        std::vector<F> list(n, F(-2.5));
        list[n / 2] = kInfinity;
        list[n / 3] = -kInfinity;
        list[0] = 0;
        CHECK(copies(list));
        for (const F other : {std::numeric_limits<F>::quiet_NaN(), F(-0.0), -F(NAN)}) {
          std::vector<F> with = list;
          with[n - 1] = other;
          CHECK_FALSE(copies(with));
        }
      }
    };
    check(float{});
    check(double{});
  }
}

TEST_CASE("a quicksort ends where its pivots divide badly") {
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    const SortItems<int32_t>& kernels = sort_kernels(isa).narrow;
    // Samples are the items at equal distances: these are the smallest ones.
    constexpr int64_t kItems = 1 << 16;
    std::vector<int32_t> items(kItems), room(kItems);
    for (int64_t i = 0; i < kItems; i++)
      items[static_cast<size_t>(i)] = i % 1024 == 0 ? -1 : static_cast<int32_t>(i);
    std::vector<int32_t> expected = items;
    std::ranges::sort(expected);
    const std::vector<int64_t> offsets{0, kItems};
    kernels.quick(items.data(), kItems, items.data(), room.data(), kItems);
    kernels.sort(items.data(), room.data(), offsets.data(), nullptr, 1, 0);
    CHECK(items == expected);
  }
}

/// Each sample, of so many items, is the smallest ones: they are split off, what is left keeps its
/// order.
template <class T>
std::vector<T> list_of_bad_pivots(int64_t n, size_t sample) {
  std::vector<T> list(static_cast<size_t>(n), T(1000));
  std::vector<size_t> left(list.size());
  std::iota(left.begin(), left.end(), size_t{0});
  for (int round = 0; round < 100; round++) {
    std::vector<size_t> others;
    const size_t size = left.size();
    size_t next = 0;
    for (size_t i = 0; i < size; i++) {
      const bool sampled = next < sample && i == next * size / sample;
      if (sampled) list[left[i]] = T(round);
      if (!sampled) others.push_back(left[i]);
      next += sampled;
    }
    left = std::move(others);
  }
  for (size_t i = 0; i < left.size(); i++) list[left[i]] = static_cast<T>(1000 + i * 7919 % 100);
  return list;
}

TEST_CASE("lists whose pivots all divide badly are sorted another way") {
  const auto check = []<class T>(const SortItems<T>& kernels, size_t sample) {
    constexpr int64_t kItems = 1 << 16;
    const std::vector<T> list = list_of_bad_pivots<T>(kItems, sample);
    std::vector<T> expected = list, items = list, room(kItems);
    std::ranges::sort(expected);
    REQUIRE_FALSE(kernels.quick(list.data(), kItems, items.data(), room.data(), kItems));
    std::ranges::sort(items);  // still the same ones
    CHECK(items == expected);
    items = list;
    const std::vector<int64_t> offsets{0, kItems};
    kernels.sort(items.data(), room.data(), offsets.data(), nullptr, 1, 0);
    CHECK(items == expected);
  };
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (!isa_available(isa)) continue;
    const size_t sample = isa == Isa::avx2 ? 32 : 64;
    check(sort_kernels(isa).narrow, sample);
    check(sort_kernels(isa).wide, sample);
    check(sort_kernels(isa).floats, sample);
    check(sort_kernels(isa).doubles, sample);
  }
}

}  // namespace
}  // namespace serrate::cpu
