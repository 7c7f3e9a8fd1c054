// Scans of columns, row by row, against their definition.
#include "cpu/lists/matrices/scan_rows.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "catch.h"
#include "cpu/machine/pool.h"

namespace serrate {
namespace {

using Numbers = std::vector<int64_t>;

/// Lists of some owners, with columns as long as their longest list, or behind first ones.
struct Made {
  Numbers lists_of{0}, items_of{0}, columns_of{0}, first_of, column;  // column: of each item
  std::vector<uint8_t> take_part;
  cpu::ListsInColumns x;

  Made(int64_t owners, int64_t lists, int64_t longest, bool own, bool some) {
    std::mt19937 random(7);
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
    for (int64_t o = 0; o < owners; o++) {
      int64_t columns = 0;
      for (int64_t l = 0; l < lists; l++) {
        const int64_t n = below(10) ? below(4) : below(longest), first = own ? below(3) : 0;
        first_of.push_back(first);
        for (int64_t j = 0; j < n; j++) {
          take_part.push_back(!some || below(3) > 0);
          column.push_back(columns_of.back() + first + j);
        }
        columns = std::max(columns, first + n);
        items_of.push_back(std::ssize(column));
      }
      lists_of.push_back(lists_of.back() + lists);
      columns_of.push_back(columns_of.back() + columns);
    }
    x = {owners,
         lists_of.data(),
         items_of.data(),
         columns_of.data(),
         nullptr,
         own ? first_of.data() : nullptr,
         some ? take_part.data() : nullptr};
  }
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// By definition; where nothing takes part yet, any number.
template <class T, class Op>
std::vector<T> running(const Made& m, const std::vector<T>& items, const uint8_t* valid, T first,
                       Op op) {
  std::vector<T> state(static_cast<size_t>(m.columns_of.back()), first), out;
  for (size_t i = 0; i < items.size(); i++) {
    T& s = state[static_cast<size_t>(m.column[i])];
    if (m.take_part[i] && (valid == nullptr || valid[i])) s = op(s, items[i]);
    out.push_back(s);
  }
  return out;
}

/// Those of items that take part; sums of floats in any order.
template <class T>
bool are_close(const Made& m, const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t i = 0; i < a.size(); i++) {
    if (!m.take_part[i] || a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])) continue;
    if (!(std::abs(double(a[i]) - double(b[i])) <= 1e-9 * std::abs(double(a[i])))) return false;
  }
  return true;
}

void check(const Made& m) {
  const auto n = m.column.size();
  std::mt19937 random(3);
  std::vector<double> x(n), out(n), again(n);
  std::vector<int64_t> numbers(n), sums(n);
  std::vector<uint8_t> valid(n);
  for (size_t i = 0; i < n; i++) {
    x[i] = random() % 1000 ? static_cast<double>(random() % 1000) / 7 : kNan;
    numbers[i] = static_cast<int64_t>(random());
    valid[i] = random() % 4 > 0;
  }
  const auto greater = [](double a, double b) { return a != a || b != b ? kNan : std::max(a, b); };
  for (const uint8_t* v : std::initializer_list<const uint8_t*>{nullptr, valid.data()}) {
    cpu::scan_rows({Reducer::max, DType::float64, x.data(), v}, m.x, out.data());
    CHECK(are_close(m, out, running(m, x, v, -HUGE_VAL, greater)));
    cpu::scan_rows({Reducer::sum, DType::float64, x.data(), v}, m.x, out.data());
    CHECK(are_close(m, out, running(m, x, v, -0.0, std::plus())));
    cpu::scan_rows({Reducer::sum, DType::int64, numbers.data(), v}, m.x, sums.data());
    CHECK(are_close(m, sums, running(m, numbers, v, int64_t{0}, std::plus())));
  }
  // One thread adds up in the same order.
  cpu::scan_rows({Reducer::sum, DType::float64, x.data()}, m.x, out.data());
  const int threads = cpu::num_threads();
  cpu::set_num_threads(1);
  cpu::scan_rows({Reducer::sum, DType::float64, x.data()}, m.x, again.data());
  cpu::set_num_threads(threads);
  bool are_same = true;
  for (size_t i = 0; i < n; i++)
    are_same &= !m.take_part[i] || out[i] == again[i] || (out[i] != out[i] && again[i] != again[i]);
  CHECK(are_same);
  if (m.x.take_part != nullptr) return;
  std::vector<double> products(static_cast<size_t>(m.columns_of.back()), 1), made = products;
  for (double& v : x) v = 1 + (v - 70) / 1e6;
  for (size_t i = 0; i < n; i++)
    if (x[i] == x[i]) products[static_cast<size_t>(m.column[i])] *= x[i];
  cpu::multiply_rows({Reducer::prod, DType::float64, x.data(), nullptr, true}, m.x, made.data());
  CHECK(made == products);
}

}  // namespace

TEST_CASE("running results of columns of lists, for any number of threads") {
  for (const int threads : {1, 4}) {
    cpu::set_num_threads(threads);
    for (const bool some : {false, true}) {
      check(Made(1, 0, 1, false, some));
      check(Made(1, 300, 90, false, some));
      check(Made(400, 5, 20, false, some));
      check(Made(1, 300'000, 40, false, some));
      check(Made(1, 300'000, 40, true, some));
      check(Made(3, 6, 250'000, false, some));
    }
  }
  cpu::set_num_threads(1);
}

TEST_CASE("running results of columns of matrices, for any number of threads") {
  struct Shape {
    int64_t count, rows, columns;
  };
  constexpr std::array<Shape, 7> kShapes{{{1, 1, 1},
                                          {2, 700, 3},
                                          {1, 600'000, 3},
                                          {1, 300'000, 8},
                                          {300, 10, 9},
                                          {3, 40, 5'000},
                                          {1, 150'000, 9}}};
  for (const int threads : {1, 4}) {
    cpu::set_num_threads(threads);
    for (const Shape& s : kShapes) {
      INFO(s.count << " x " << s.rows << " x " << s.columns << ", " << threads << " threads");
      const auto n = static_cast<size_t>(s.count * s.rows * s.columns);
      std::vector<float> x(n), least(n);
      std::vector<int32_t> numbers(n);
      std::vector<int64_t> sums(n);
      std::mt19937 random(5);
      for (size_t i = 0; i < n; i++) {
        x[i] = static_cast<float>(random() % 100'000);
        numbers[i] = static_cast<int32_t>(random());
      }
      cpu::scan_rows({Reducer::min, DType::float32, x.data()}, s.count, s.rows, s.columns,
                     least.data());
      cpu::scan_rows({Reducer::sum, DType::int32, numbers.data()}, s.count, s.rows, s.columns,
                     sums.data());
      bool is_right = true;
      for (size_t i = 0; i < n; i++) {
        const auto columns = static_cast<size_t>(s.columns);
        const bool is_first = i / columns % static_cast<size_t>(s.rows) == 0;
        is_right &= least[i] == (is_first ? x[i] : std::min(x[i], least[i - columns]));
        is_right &= sums[i] == numbers[i] + (is_first ? 0 : sums[i - columns]);
      }
      CHECK(is_right);
    }
  }
  cpu::set_num_threads(1);
}

}  // namespace serrate
