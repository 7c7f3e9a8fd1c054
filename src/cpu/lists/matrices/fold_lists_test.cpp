// Folds of the columns of few long lists are those of each column by itself.
#include "cpu/lists/matrices/fold_lists.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "catch.h"
#include "cpu/machine/pool.h"
#include "serrate/dtype.h"

namespace serrate::cpu {
namespace {

/// Lists of some owners with these lengths.
struct Made {
  explicit Made(const std::vector<std::vector<int64_t>>& owners) {
    for (const auto& lengths : owners) {
      lists.push_back(lists.back() + std::ssize(lengths));
      columns.push_back(columns.back() +
                        (lengths.empty() ? 0 : *std::ranges::max_element(lengths)));
      for (const int64_t n : lengths) items.push_back(items.back() + n);
    }
    std::mt19937 random(7);
    std::uniform_int_distribution<int> numbers(-50, 50);
    for (int64_t i = 0; i < items.back(); i++) {
      const int x = numbers(random);
      values.push_back(x == 7 ? std::numeric_limits<double>::quiet_NaN() : x);
    }
  }
  ListsInColumns view() const {
    ListsInColumns x;
    x.owners = std::ssize(lists) - 1;
    x.lists_of = lists.data();
    x.items_of = items.data();
    x.columns_of = columns.data();
    return x;
  }
  /// f of each column: its items, and the numbers of their lists.
  template <class F>
  void each_column(F&& f) const {
    for (size_t o = 0; o + 1 < lists.size(); o++) {
      for (int64_t c = columns[o]; c < columns[o + 1]; c++) {
        std::vector<double> found;
        std::vector<int64_t> numbers;
        for (int64_t l = lists[o]; l < lists[o + 1]; l++) {
          const auto at = static_cast<size_t>(l);
          const int64_t place = items[at] + c - columns[o];
          if (place >= items[at + 1]) continue;
          found.push_back(values[static_cast<size_t>(place)]);
          numbers.push_back(l - lists[o]);
        }
        f(static_cast<size_t>(c), found, numbers);
      }
    }
  }

  std::vector<int64_t> lists{0}, items{0}, columns{0};
  std::vector<double> values;
};

void check_all(const std::vector<std::vector<int64_t>>& owners) {
  const Made made(owners);
  const auto n = static_cast<size_t>(made.columns.back());
  RowFold fold{Reducer::max, DType::float64, made.values.data(), 1, 1, 1};
  std::vector<double> most(n), sums(n);
  std::vector<int64_t> first(n);
  fold_lists(fold, made.view(), 8, most.data());
  fold.reducer = Reducer::argmax;
  fold_lists(fold, made.view(), 8, first.data());
  fold.reducer = Reducer::sum;
  fold.but_nan = true;
  fold_lists(fold, made.view(), 8, sums.data());
  bool same = true;
  made.each_column([&](size_t c, const std::vector<double>& x, const std::vector<int64_t>& of) {
    double best = -std::numeric_limits<double>::infinity(), sum = 0;
    size_t at = 0;
    for (size_t i = 0; i < x.size(); i++) {
      if (best < x[i]) best = x[i];
      if (x[at] < x[i]) at = i;
      if (!std::isnan(x[i])) sum += x[i];
    }
    same &= most[c] == best && first[c] == of[at] && std::abs(sums[c] - sum) < 1e-9;
  });
  CHECK(same);
}

TEST_CASE("Columns of few long lists are folded in segments of those that reach them") {
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    check_all({{5}});
    check_all({{3, 0, 70'000, 69'999, 1}});
    check_all({{}, {200'000, 100'000}, {0}, {40, 3, 40}});
    check_all({{1, 2, 3, 4, 5, 6, 7, 8}, {100'000, 100'000, 100'000, 100'000, 100'000}});
  }
  set_num_threads(0);
}

}  // namespace
}  // namespace serrate::cpu
