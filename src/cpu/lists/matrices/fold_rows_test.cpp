// Columns of matrices, folded by every instruction set, against plain loops.
#include "cpu/lists/matrices/fold_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "catch.h"
#include "cpu/lists/ragged_testing.h"
#include "cpu/machine/pool.h"

namespace serrate::cpu {
namespace {

using namespace testing;

template <class T>
using Product = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;

/// The column as a vector, by the definition.
template <class T>
std::vector<T> column(const std::vector<T>& items, const RowFold& f, int64_t matrix, int64_t c) {
  std::vector<T> out;
  for (int64_t r = 0; r < f.rows; r++)
    out.push_back(items[static_cast<size_t>((matrix * f.rows + r) * f.columns + c)]);
  return out;
}

template <class T>
int64_t first_extreme(const std::vector<T>& x, bool least) {
  size_t best = 0;
  for (size_t i = 1; i < x.size(); i++)
    if (least ? x[i] < x[best] : x[best] < x[i]) best = i;
  return static_cast<int64_t>(best);
}

template <class T>
T extreme(const std::vector<T>& x, bool least) {
  using Limits = std::numeric_limits<T>;
  const T high = Limits::has_infinity ? Limits::infinity() : Limits::max();
  const T low = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  T best = least ? high : low;
  for (const T& v : x)
    if (least ? v < best : best < v) best = v;
  return best;
}

bool is_nan(auto x) { return x != x; }

template <class T>
void check_folds(RowFold f, std::mt19937& random) {
  std::vector<T> items(static_cast<size_t>(f.count * f.rows * f.columns));
  for (T& v : items) v = static_cast<T>(static_cast<int>(random() % 9) - 3);
  if constexpr (std::is_floating_point_v<T>)
    for (size_t i = 0; i < items.size(); i += 5) items[i] = std::numeric_limits<T>::quiet_NaN();
  f.items = items.data();
  f.dtype = dtype_of<T>::value;
  const auto results = static_cast<size_t>(f.count * f.columns);
  for (const Isa isa : isas()) {
    CAPTURE(name(isa), f.count, f.rows, f.columns, static_cast<int>(f.dtype));
    bool is_right = true;
    f.reducer = Reducer::prod;
    REQUIRE(folds_rows(f));
    std::vector<Product<T>> products(results);
    fold_rows(f, products.data(), isa);
    for (size_t i = 0; i < results; i++) {
      Product<T> want(1);
      const auto n = static_cast<int64_t>(i);
      for (const T& v : column(items, f, n / f.columns, n % f.columns))
        want *= static_cast<Product<T>>(v);
      is_right &= products[i] == want || (is_nan(want) && is_nan(products[i]));
    }
    CHECK(is_right);
    f.reducer = Reducer::sum;
    REQUIRE(folds_rows(f));
    fold_rows(f, products.data(), isa);
    std::vector<uint64_t> counts(results);
    f.reducer = Reducer::count_nonzero;
    REQUIRE(folds_rows(f));
    fold_rows(f, counts.data(), isa);
    for (size_t i = 0; i < results; i++) {
      Product<T> want(0);
      uint64_t some = 0;
      const auto n = static_cast<int64_t>(i);
      for (const T& v : column(items, f, n / f.columns, n % f.columns)) {
        want += static_cast<Product<T>>(v);
        some += v != T(0);
      }
      is_right &= products[i] == want || (is_nan(want) && is_nan(products[i]));
      is_right &= counts[i] == some;
    }
    CHECK(is_right);
    for (const Reducer r : {Reducer::min, Reducer::max}) {
      f.reducer = r;
      if (!folds_rows(f)) continue;
      std::vector<T> best(results);
      fold_rows(f, best.data(), isa);
      for (size_t i = 0; i < results; i++) {
        const auto n = static_cast<int64_t>(i);
        is_right &=
            best[i] == extreme(column(items, f, n / f.columns, n % f.columns), r == Reducer::min);
      }
      CHECK(is_right);
    }
    for (const Reducer r : {Reducer::any, Reducer::all}) {
      f.reducer = r;
      if (!folds_rows(f)) continue;
      std::vector<uint8_t> found(results);
      fold_rows(f, found.data(), isa);
      for (size_t i = 0; i < results; i++) {
        const auto n = static_cast<int64_t>(i);
        const std::vector<T> x = column(items, f, n / f.columns, n % f.columns);
        const auto is = [](T v) { return v != T(0); };
        is_right &= found[i] ==
                    (r == Reducer::any ? std::ranges::any_of(x, is) : std::ranges::all_of(x, is));
      }
      CHECK(is_right);
    }
    for (const Reducer r : {Reducer::argmin, Reducer::argmax}) {
      f.reducer = r;
      if (!folds_rows(f)) continue;
      std::vector<int64_t> rows(results);
      fold_rows(f, rows.data(), isa);
      for (size_t i = 0; i < results; i++) {
        const auto n = static_cast<int64_t>(i);
        is_right &= rows[i] == first_extreme(column(items, f, n / f.columns, n % f.columns),
                                             r == Reducer::argmin);
      }
      CHECK(is_right);
    }
  }
}

}  // namespace

TEST_CASE("columns of matrices are folded by rows, for any number of threads") {
  constexpr std::array<std::array<int64_t, 3>, 9> kShapes{{{1, 1, 1},
                                                           {1, 7, 3},
                                                           {1, 6, 17},
                                                           {3, 5, 257},
                                                           {40, 2, 9},
                                                           {1, 3, 1025},
                                                           {2, 4, 2500},
                                                           {1, 40'000, 3},
                                                           {2, 0, 3}}};
  std::mt19937 random(7);
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    for (const auto& s : kShapes) {
      const RowFold f{.count = s[0], .rows = s[1], .columns = s[2]};
      check_folds<double>(f, random);
      check_folds<float>(f, random);
      check_folds<int64_t>(f, random);
      check_folds<int32_t>(f, random);
      check_folds<uint16_t>(f, random);
      check_folds<int8_t>(f, random);
    }
  }
  set_num_threads(0);
}

TEST_CASE("sums of columns in double precision, of squares, of what is not NaN") {
  std::mt19937 random(8);
  for (const auto& [rows, columns] : {std::pair{1, 3}, {6, 257}, {203, 40}, {0, 2}}) {
    std::vector<float> items(static_cast<size_t>(rows * columns));
    for (float& x : items)
      x = random() % 3 == 0 ? std::numeric_limits<float>::quiet_NaN()
                            : static_cast<float>(random() % 100);
    RowFold f{Reducer::sum, DType::float32, items.data(), 1, rows, columns};
    std::vector<double> sums(static_cast<size_t>(columns)), squares = sums, all = sums;
    std::vector<int64_t> counts(sums.size());
    std::vector<uint8_t> some(sums.size());
    for (const Isa isa : isas()) {
      CAPTURE(name(isa), rows, columns);
      f.reducer = Reducer::sum;
      f.wide = true;
      f.but_nan = f.squares = false;
      REQUIRE(folds_rows(f));
      fold_rows(f, all.data(), isa);
      f.but_nan = true;
      REQUIRE(folds_rows(f));
      fold_rows(f, sums.data(), isa);
      f.squares = true;
      REQUIRE(folds_rows(f));
      fold_rows(f, squares.data(), isa);
      f.squares = f.wide = false;
      f.reducer = Reducer::count;
      REQUIRE(folds_rows(f));
      fold_rows(f, counts.data(), isa);
      f.reducer = Reducer::any;
      REQUIRE(folds_rows(f));
      fold_rows(f, some.data(), isa);
      for (int c = 0; c < columns; c++) {
        const auto i = static_cast<size_t>(c);
        double sum = 0, whole = 0, square = 0;
        int64_t n = 0;
        for (const float x : column(items, f, 0, c)) {
          whole += static_cast<double>(x);
          if (!is_nan(x)) sum += static_cast<double>(x), n++;
        }
        for (const float x : column(items, f, 0, c)) {
          const double d = static_cast<double>(x) - sum / static_cast<double>(n);
          if (!is_nan(x)) square += d * d;
        }
        CHECK(sums[i] == sum);
        CHECK((all[i] == whole || (is_nan(whole) && is_nan(all[i]))));
        CHECK(std::abs(squares[i] - square) <= 1e-12 * square);
        CHECK(counts[i] == n);
        CHECK(some[i] == (n > 0));
      }
    }
  }
}

TEST_CASE("positions of extremes of columns, of what is not NaN") {
  std::mt19937 random(9);
  for (const auto& [rows, columns] : {std::pair{1, 3}, {2, 70}, {6, 257}, {203, 40}}) {
    std::vector<double> items(static_cast<size_t>(rows * columns));
    for (double& x : items) {
      const uint32_t some = random() % 4;
      x = some == 0   ? std::numeric_limits<double>::quiet_NaN()
          : some == 1 ? std::numeric_limits<double>::infinity() * (random() % 2 == 0 ? 1 : -1)
                      : static_cast<double>(random() % 5);
    }
    for (const Reducer r : {Reducer::argmin, Reducer::argmax}) {
      RowFold f{r, DType::float64, items.data(), 1, rows, columns};
      f.but_nan = true;
      REQUIRE(folds_rows(f));
      std::vector<int64_t> found(static_cast<size_t>(columns));
      for (const Isa isa : isas()) {
        fold_rows(f, found.data(), isa);
        int64_t wrong = 0;
        for (int c = 0; c < columns; c++) {
          const std::vector<double> x = column(items, f, 0, c);
          int64_t best = -1;
          for (int64_t i = 0; i < std::ssize(x); i++) {
            const double item = x[static_cast<size_t>(i)];
            const double least = best < 0 ? 0 : x[static_cast<size_t>(best)];
            if (is_nan(item)) continue;
            if (best < 0 || (r == Reducer::argmin ? item < least : item > least)) best = i;
          }
          wrong += best >= 0 && found[static_cast<size_t>(c)] != best;
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("folds by rows say what they are not for") {
  RowFold f{.count = 1, .rows = 2, .columns = 2};
  CHECK(folds_rows(f));
  f.reducer = Reducer::count;
  CHECK_FALSE(folds_rows(f));
  f.reducer = Reducer::argmax;
  CHECK(folds_rows(f));
  f.dtype = DType::complex128;
  CHECK(folds_rows(f));
  f.but_nan = true;
  CHECK_FALSE(folds_rows(f));
  f.dtype = DType::int64;
  CHECK_FALSE(folds_rows(f));
  f.but_nan = false;
  f.dtype = DType::int8;
  f.rows = 0;
  CHECK_FALSE(folds_rows(f));
}

}  // namespace serrate::cpu
