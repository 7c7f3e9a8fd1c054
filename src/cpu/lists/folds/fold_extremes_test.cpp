// Extremes with what they tell beside, against RaggedKernels::fold and a plain loop.
#include "cpu/lists/folds/fold_extremes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"

namespace serrate::cpu {
namespace {

constexpr Isa kIsas[] = {Isa::baseline, Isa::avx2, Isa::avx512};

/// Lists of these lengths, folded into accumulators that have begun.
template <class T>
void compare(Isa isa, Reducer r, const std::vector<T>& values, const std::vector<int32_t>& begins,
             const std::vector<int32_t>& ends, bool end_to_end = false) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const DType t = sizeof(T) == 4 ? DType::float32 : DType::float64;
  std::vector<int32_t> off = begins, stops = ends;
  off.push_back(ends.empty() ? 0 : ends.back());
  off.resize(off.size() + 16);
  stops.resize(stops.size() + 16);
  const size_t lists = begins.size();
  const T before = r == Reducer::max ? T(-2) : T(2);
  std::vector<T> expected(lists, before);
  FoldArgs x;
  x.values = values.data();
  x.off = off.data();
  if (!end_to_end) x.ends = stops.data();
  x.lists = static_cast<int64_t>(lists);
  x.acc = expected.data();
  ragged(isa).fold(r, t)(x);
  for (const Beside beside : {Beside::nan, Beside::number}) {
    std::vector<T> acc(lists, before);
    std::vector<uint8_t> found(lists, 0);
    if (lists > 1) found[1] = 1;
    x.acc = acc.data();
    fold_extreme(r, t, beside, isa)(x, found.data());
    for (size_t p = 0; p < lists; p++) {
      const auto is = [&](T v) { return std::isnan(v) == (beside == Beside::nan); };
      const bool some = std::any_of(values.begin() + begins[p], values.begin() + ends[p], is);
      INFO(name(isa) << " list " << p << " of " << ends[p] - begins[p]);
      REQUIRE(std::bit_cast<Bits>(acc[p]) == std::bit_cast<Bits>(expected[p]));
      REQUIRE(int(found[p]) == int(some || p == 1));
    }
  }
}

/// Long ones, and short ones with a few longer than a tile among them: both sides of what is folded
/// list by list.
std::vector<int> lengths(bool are_short) {
  if (!are_short)
    return {0,   1,   2,   3,   7,   8,   15,  16,   17,   63,   64,    65,    127,
            128, 129, 255, 256, 257, 511, 513, 4095, 4096, 4097, 16384, 16391, 33000};
  std::vector<int> out;
  for (int i = 0; i < 2000; i++) out.push_back(i % 700 == 650 ? 4095 + i / 700 : i * i % 11 % 6);
  return out;
}

template <class T>
void compare_all(Isa isa, bool are_short, bool end_to_end) {
  std::mt19937 random(3);
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const int percent : {0, 1, 100}) {
    // -infinity and NaN among them; each list's last item is NaN in some.
    for (const bool zeros : {false, true}) {
      std::vector<T> values;
      std::vector<int32_t> begins, ends;
      for (const int n : lengths(are_short)) {
        if (!end_to_end) values.push_back(infinity);  // between lists
        begins.push_back(static_cast<int32_t>(values.size()));
        for (int i = 0; i < n; i++) {
          const auto k = static_cast<int>(random() % 2000) - 1000;
          T v = zeros ? (k % 2 != 0 ? T(-0.0) : T(0.0)) : static_cast<T>(k);
          if (k % 50 == 7 && !zeros) v = -infinity;
          if (static_cast<int>(random() % 100) < percent) v = nan;
          values.push_back(v);
        }
        if (n % 2 != 0 && percent == 1) values.back() = nan;
        ends.push_back(static_cast<int32_t>(values.size()));
      }
      compare(isa, Reducer::max, values, begins, ends, end_to_end);
      compare(isa, Reducer::min, values, begins, ends, end_to_end);
    }
  }
  // One NaN anywhere, and nothing but infinities.
  for (int at = 0; at < 700; at += 13) {
    std::vector<T> values(700, -infinity);
    compare(isa, Reducer::max, values, {0}, {700});
    values[static_cast<size_t>(at)] = nan;
    compare(isa, Reducer::max, values, {0}, {700});
    compare(isa, Reducer::min, values, {0}, {700});
  }
}

TEST_CASE("extremes tell whether NaN or a number is among the items", "[extremes]") {
  for (const Isa isa : kIsas) {
    if (!isa_available(isa)) continue;
    for (const bool are_short : {false, true}) {
      for (const bool end_to_end : {false, true}) {
        compare_all<float>(isa, are_short, end_to_end);
        compare_all<double>(isa, are_short, end_to_end);
      }
    }
  }
}

}  // namespace
}  // namespace serrate::cpu
