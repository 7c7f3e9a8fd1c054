// Folds along the outer axis against obvious loops; the same bits for every instruction set.
#include "cpu/lists/folds/fold_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "../../../../tests/cpp/catch.h"
#include "cpu/lists/ragged_testing.h"

namespace serrate::cpu {
namespace {

using namespace testing;

template <class T>
std::vector<T> identities(Reducer reducer, size_t count) {
  std::vector<T> v(count, T(0));
  if (reducer != Reducer::sum)
    fill_identity(reducer, dtype_of<T>::value, v.data(), nullptr, static_cast<int64_t>(count));
  return v;
}

// Both tables of a fold joined; counts if there are no values.
template <class T, class V = T>
std::vector<T> folded(Isa isa, Reducer reducer, const std::vector<V>* values,
                      const std::vector<int>& lengths, int64_t start, int64_t size, int tables) {
  auto off = offsets_of(lengths);
  Guarded<V> items(values ? *values : std::vector<V>{});
  const auto words = static_cast<size_t>(tables * (size + 1));
  Guarded<T> out(identities<T>(reducer, words));
  fold_columns(reducer,
               {values ? items.data() : nullptr, dtype_of<V>::value, off.data(),
                static_cast<int64_t>(lengths.size()), start, size, tables, out.data()},
               isa);
  std::vector<T> joined = out.vector(static_cast<size_t>(size));
  for (size_t i = 0; i < joined.size() && tables > 1; i++) {
    const T other = out[i + static_cast<size_t>(size) + 1];
    if (reducer == Reducer::sum) joined[i] += other;
    if (reducer == Reducer::min) joined[i] = std::min(joined[i], other);
    if (reducer == Reducer::max) joined[i] = std::max(joined[i], other);
  }
  return joined;
}

std::pair<int64_t, int64_t> items_and_longest(const std::vector<int>& lengths) {
  int64_t items = 0, longest = 0;
  for (const int n : lengths) {
    items += n;
    longest = std::max<int64_t>(longest, n);
  }
  return {items, longest};
}

template <class T>
void check_all(std::mt19937& random) {
  for (const auto& lengths : length_patterns(random, 3000)) {
    const auto [items, longest] = items_and_longest(lengths);
    std::vector<T> values(static_cast<size_t>(items));
    for (T& v : values) v = static_cast<T>(static_cast<int>(random() % 2001) - 1000) / 4;
    for (const int64_t start : {0, 5}) {
      const int64_t size = longest + start;
      for (const Reducer reducer : {Reducer::sum, Reducer::min, Reducer::max}) {
        std::vector<T> want = identities<T>(reducer, static_cast<size_t>(size));
        std::vector<T> counts(static_cast<size_t>(size), T(0));
        size_t k = 0;
        for (size_t p = 0; p < lengths.size(); p++)
          for (int i = 0; i < lengths[p]; i++, k++) {
            const auto at = static_cast<size_t>(i + (p == 0 ? start : 0));
            T& best = want[at];
            counts[at] += 1;
            if (reducer == Reducer::sum) best += values[k];
            if (reducer == Reducer::min) best = std::min(best, values[k]);
            if (reducer == Reducer::max) best = std::max(best, values[k]);
          }
        for (const Isa isa : isas())
          for (const int tables : {1, 4}) {
            CAPTURE(name(isa), lengths.size(), items, start, tables, static_cast<int>(reducer));
            REQUIRE(folded<T>(isa, reducer, &values, lengths, start, size, tables) == want);
            if (reducer == Reducer::sum && std::is_same_v<T, int64_t>)
              REQUIRE(folded<T>(isa, reducer, static_cast<const std::vector<T>*>(nullptr), lengths,
                                start, size, tables) == counts);
          }
      }
    }
  }
}

TEST_CASE("fold_columns: sums, counts and extremes of every place") {
  std::mt19937 random(1);
  check_all<int64_t>(random);
  check_all<double>(random);
}

TEST_CASE("fold_columns: lists of one length are added in their order, in turns") {
  std::mt19937 random(3);
  for (const int length : {16, 17, 23, 24, 25, 50, 64}) {
    for (const int lists : {3, 4, 5, 8, 9, 13, 30}) {
      for (const bool odd : {false, true}) {
        std::vector<int> lengths(static_cast<size_t>(lists), length);
        if (odd) lengths[lengths.size() / 2] = length + 3;
        const auto [items, longest] = items_and_longest(lengths);
        std::vector<double> values(static_cast<size_t>(items));
        for (double& v : values) v = std::exp(static_cast<double>(random() % 1000) / 50);
        for (const int tables : {1, 2}) {
          std::vector<double> want[2];
          for (auto& w : want) w.assign(static_cast<size_t>(longest), 0.0);
          size_t k = 0;
          for (size_t p = 0; p < lengths.size(); p++)
            for (size_t c = 0; c < static_cast<size_t>(lengths[p]); c++)
              // The first eight places of a list are kept in registers, which take turns anyway.
              want[c < 8 || tables > 1 ? p % 2 : 0][c] += values[k++];
          for (size_t c = 0; c < want[0].size(); c++) want[0][c] += want[1][c];
          for (const Isa isa : isas()) {
            CAPTURE(name(isa), length, lists, odd, tables);
            REQUIRE(folded<double>(isa, Reducer::sum, &values, lengths, 0, longest, tables) ==
                    want[0]);
          }
        }
      }
    }
  }
}

TEST_CASE("fold_columns: sums of floats are the same bits for every instruction set") {
  std::mt19937 random(2);
  for (const auto& lengths : length_patterns(random, 500)) {
    const auto [items, longest] = items_and_longest(lengths);
    std::vector<double> values(static_cast<size_t>(items));
    for (double& v : values) v = std::exp(static_cast<double>(random() % 1000) / 50);
    const auto bits = [&, columns = longest](Isa isa, int tables) {
      std::vector<int64_t> b;
      for (double v : folded<double>(isa, Reducer::sum, &values, lengths, 0, columns, tables))
        b.push_back(std::bit_cast<int64_t>(v));
      return b;
    };
    for (const Isa isa : isas())
      for (const int tables : {1, 4}) REQUIRE(bits(isa, tables) == bits(Isa::baseline, tables));
  }
}

TEST_CASE("fold_columns: items of float32 are those of float64") {
  std::mt19937 random(4);
  auto patterns = length_patterns(random, 500);
  for (const int lists : {3, 4, 7, 8, 9, 12, 17}) {
    patterns.emplace_back(static_cast<size_t>(lists), 24);
    patterns.emplace_back(static_cast<size_t>(lists), 61);
  }
  for (const auto& lengths : patterns) {
    const auto [items, longest] = items_and_longest(lengths);
    std::vector<float> values(static_cast<size_t>(items));
    for (float& v : values) v = std::exp(static_cast<float>(random() % 1000) / 50);
    const std::vector<double> wide(values.begin(), values.end());
    for (const Reducer reducer : {Reducer::sum, Reducer::min, Reducer::max})
      for (const Isa isa : isas())
        for (const int tables : {1, 2})
          REQUIRE(folded<double>(isa, reducer, &values, lengths, 0, longest, tables) ==
                  folded<double>(isa, reducer, &wide, lengths, 0, longest, tables));
  }
}

TEST_CASE("fold_columns: NaN is passed over by extremes, and what is longer is left out") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {nan, 2, 7, 1, nan, 9};
  for (const Isa isa : isas()) {
    REQUIRE(folded<double>(isa, Reducer::max, &values, {3, 3}, 0, 2, 1) ==
            std::vector<double>{1, 2});
    REQUIRE(folded<double>(isa, Reducer::min, &values, {3, 3}, 0, 3, 1) ==
            std::vector<double>{1, 2, 7});
  }
}

}  // namespace
}  // namespace serrate::cpu
