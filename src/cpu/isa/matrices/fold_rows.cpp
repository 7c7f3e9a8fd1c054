// Folds of the columns of matrices: a row is added to the states of a band of columns, which stay
// in the cache.
#include "cpu/lists/matrices/fold_rows.h"

#include <limits>
#include <type_traits>

#include "core/types/reducer_info.h"
#include "cpu/isa/matrices/complex.h"

namespace serrate::cpu::SERRATE_ISA {

void fold_rows(const RowFold& fold, const RowBand& band, void* out);

namespace {

/// The rows of a band: `width` items each, `stride` items apart.
template <class T>
struct Rows {
  const T* first;
  int64_t count, stride, width;
  const T* operator[](int64_t row) const { return first + row * stride; }
};

/// Four rows at a time for each visit of a state, in their order.
template <class T, class S>
void multiply(const Rows<T>& rows, S* __restrict out) {
  for (int64_t c = 0; c < rows.width; c++) out[c] = S(1);
  int64_t r = 0;
  for (; r + 4 <= rows.count; r += 4) {
    const T *a = rows[r], *b = rows[r + 1], *x = rows[r + 2], *y = rows[r + 3];
    for (int64_t c = 0; c < rows.width; c++)
      out[c] = out[c] * S(a[c]) * S(b[c]) * S(x[c]) * S(y[c]);
  }
  for (; r < rows.count; r++) {
    const T* a = rows[r];
    for (int64_t c = 0; c < rows.width; c++) out[c] *= S(a[c]);
  }
}

constexpr int64_t kColumns = 256;  // whose states are on the stack

/// What `add` makes of four rows at a time, added up among itself first. Of kColumns at most.
template <class S, class T, class R, class Add>
[[gnu::always_inline]] inline void sums(const Rows<T>& rows, R* __restrict out, Add add) {
  alignas(64) S state[kColumns];
  for (int64_t c = 0; c < rows.width; c++) state[c] = S(0);
  int64_t r = 0;
  for (; r + 4 <= rows.count; r += 4) {
    const T *a = rows[r], *b = rows[r + 1], *x = rows[r + 2], *y = rows[r + 3];
    for (int64_t c = 0; c < rows.width; c++)
      state[c] += (add(a[c], c) + add(b[c], c)) + (add(x[c], c) + add(y[c], c));
  }
  for (; r < rows.count; r++)
    for (int64_t c = 0; c < rows.width; c++) state[c] += add(rows[r][c], c);
  for (int64_t c = 0; c < rows.width; c++) out[c] = static_cast<R>(state[c]);
}

/// Items that are not NaN, where these take no part; else all.
template <class T>
void counts(const Rows<T>& rows, int64_t* __restrict out) {
  sums<uint64_t>(rows, out, [](T x, int64_t) { return uint64_t{x == x}; });
}

/// Squares of the differences from the mean of each column.
template <bool but_nan, class T>
void squares(const Rows<T>& rows, double* __restrict out) {
  const auto kept = [](T x, double d) { return !but_nan || x == x ? d : 0.0; };
  alignas(64) double mean[kColumns];
  sums<double>(rows, mean, [&](T x, int64_t) { return kept(x, static_cast<double>(x)); });
  alignas(64) int64_t items[kColumns];
  if (but_nan) counts(rows, items);
  for (int64_t c = 0; c < rows.width; c++)
    mean[c] /= static_cast<double>(but_nan ? items[c] : rows.count);
  sums<double>(rows, out, [&](T x, int64_t c) {
    const double d = static_cast<double>(x) - mean[c];
    return kept(x, d * d);
  });
}

/// Of real numbers, kColumns at most: all that a fold adds up.
template <class T>
void add_up(const RowFold& fold, const Rows<T>& rows, void* out, int64_t at) {
  using Whole = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  using Result = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // or int64_t: as bits
  const auto number = [](auto x, int64_t) { return static_cast<Whole>(x); };
  const auto real = [](auto x, int64_t) { return static_cast<double>(x); };
  const auto but_nan = [](auto x, int64_t) { return x == x ? static_cast<double>(x) : 0.0; };
  auto* wide = static_cast<double*>(out) + at;
  if (fold.reducer == Reducer::count) return counts(rows, static_cast<int64_t*>(out) + at);
  if (fold.reducer == Reducer::count_nonzero)
    return sums<uint64_t>(rows, static_cast<uint64_t*>(out) + at,
                          [](T x, int64_t) { return uint64_t{x != T(0)}; });
  if (fold.squares) return fold.but_nan ? squares<true>(rows, wide) : squares<false>(rows, wide);
  if constexpr (!std::is_integral_v<T>) {
    if (fold.but_nan && fold.wide) return sums<double>(rows, wide, but_nan);
    if (fold.but_nan) return sums<double>(rows, static_cast<T*>(out) + at, but_nan);
  }
  if (fold.wide) return sums<double>(rows, wide, real);
  sums<Whole>(rows, static_cast<Result*>(out) + at, number);
}

template <bool least, class T>
[[gnu::always_inline]] inline bool is_better(T x, T best) {
  return least ? x < best : best < x;
}

template <bool least, class T>
void extremes(const Rows<T>& rows, T* __restrict out) {
  using Limits = std::numeric_limits<T>;
  constexpr T kHighest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  for (int64_t c = 0; c < rows.width; c++) out[c] = least ? kHighest : kLowest;
  const auto best_of = [](T x, T best) { return is_better<least>(x, best) ? x : best; };
  int64_t r = 0;
  for (; r + 4 <= rows.count; r += 4) {
    const T *a = rows[r], *b = rows[r + 1], *x = rows[r + 2], *y = rows[r + 3];
    for (int64_t c = 0; c < rows.width; c++)
      out[c] = best_of(y[c], best_of(x[c], best_of(b[c], best_of(a[c], out[c]))));
  }
  for (; r < rows.count; r++)
    for (int64_t c = 0; c < rows.width; c++) out[c] = best_of(rows[r][c], out[c]);
}

/// Whether one is not zero; or whether one is.
template <class T>
void tests(const Rows<T>& rows, bool zero, uint8_t* __restrict out) {
  for (int64_t c = 0; c < rows.width; c++) out[c] = 0;
  int64_t r = 0;
  for (; r + 2 <= rows.count; r += 2) {
    const T *a = rows[r], *b = rows[r + 1];
    for (int64_t c = 0; c < rows.width; c++)
      out[c] |= ((a[c] != T(0)) != zero) | ((b[c] != T(0)) != zero);
  }
  for (; r < rows.count; r++)
    for (int64_t c = 0; c < rows.width; c++) out[c] |= (rows[r][c] != T(0)) != zero;
}

/// Whether one is not NaN: few rows tell it of most columns.
template <class T>
void some(const Rows<T>& rows, uint8_t* __restrict out) {
  for (int64_t c = 0; c < rows.width; c++) out[c] = 0;
  bool all = false;
  for (int64_t r = 0; r < rows.count && !all; r++) {
    uint8_t found = 1;
    for (int64_t c = 0; c < rows.width; c++) {
      out[c] |= rows[r][c] == rows[r][c];
      found &= out[c];
    }
    all = found != 0;
  }
}

/// Of kColumns at most. The first row wins if its item is NaN, unless these are passed over.
template <bool least, bool but_nan, class T>
void first_extremes(const Rows<T>& rows, int64_t* out) {
  const auto is_first_best = [](T x, T best) {
    return is_better<least>(x, best) || (but_nan && best != best);
  };
  // As wide as the items, so that both are compared and chosen in the same lanes.
  using Index = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  alignas(64) T best[kColumns];
  alignas(64) Index at[kColumns];
  const int64_t width = rows.width;
  for (int64_t c = 0; c < width; c++) best[c] = rows[0][c], at[c] = 0;
  int64_t r = 1;
  for (; r + 2 <= rows.count; r += 2) {
    const T *a = rows[r], *b = rows[r + 1];
    const Index row = static_cast<Index>(r);
    for (int64_t c = 0; c < width; c++) {
      const bool first = is_first_best(a[c], best[c]);
      const T x = first ? a[c] : best[c];
      const Index i = first ? row : at[c];
      const bool second = is_first_best(b[c], x);
      best[c] = second ? b[c] : x;
      at[c] = second ? row + 1 : i;
    }
  }
  for (; r < rows.count; r++)
    for (int64_t c = 0; c < width; c++) {
      const bool better = is_first_best(rows[r][c], best[c]);
      best[c] = better ? rows[r][c] : best[c];
      at[c] = better ? static_cast<Index>(r) : at[c];
    }
  for (int64_t c = 0; c < width; c++) out[c] = at[c];
}

template <class T>
void fold_as(const RowFold& fold, const RowBand& band, void* out) {
  // What products are computed in: integers wrap around.
  using S = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  const int64_t matrix = band.number * fold.columns;
  const T* items = static_cast<const T*>(fold.items) + matrix * fold.rows;
  const auto rows = [&](int64_t first, int64_t last) {
    return Rows<T>{items + first, fold.rows, fold.columns, last - first};
  };
  if (fold.reducer == Reducer::prod) {
    multiply(rows(band.first, band.last), static_cast<S*>(out) + matrix + band.first);
    return;
  }
  if (info(fold.reducer).join == Op::add) {
    for (int64_t c = band.first; c < band.last; c += kColumns)
      add_up(fold, rows(c, c + kColumns < band.last ? c + kColumns : band.last), out, matrix + c);
    return;
  }
  if (!info(fold.reducer).is_extreme() && fold.but_nan)
    return some(rows(band.first, band.last), static_cast<uint8_t*>(out) + matrix + band.first);
  if (!info(fold.reducer).is_extreme()) {
    const bool zero = fold.reducer == Reducer::all;
    uint8_t* results = static_cast<uint8_t*>(out) + matrix;
    tests(rows(band.first, band.last), zero, results + band.first);
    for (int64_t c = band.first; zero && c < band.last; c++) results[c] ^= 1;
    return;
  }
  const bool least = info(fold.reducer).is_least();
  if (!info(fold.reducer).has_index()) {
    T* results = static_cast<T*>(out) + matrix + band.first;
    if (least)
      extremes<true>(rows(band.first, band.last), results);
    else
      extremes<false>(rows(band.first, band.last), results);
    return;
  }
  auto* indexes = static_cast<int64_t*>(out) + matrix;
  for (int64_t c = band.first; c < band.last; c += kColumns) {
    const int64_t last = c + kColumns < band.last ? c + kColumns : band.last;
    if (fold.but_nan)
      least ? first_extremes<true, true>(rows(c, last), indexes + c)
            : first_extremes<false, true>(rows(c, last), indexes + c);
    else
      least ? first_extremes<true, false>(rows(c, last), indexes + c)
            : first_extremes<false, false>(rows(c, last), indexes + c);
  }
}

/// The row of the best of a column, in NumPy's order.
template <bool least, class C>
class BestComplex {
 public:
  void take(C x, int64_t row) {
    if (x.re != x.re || (is_known_ && is_better<least>(best_.re, x.re))) return;
    if (!is_known_ || is_better<least>(x.re, best_.re)) {
      best_ = {x.re, std::numeric_limits<decltype(x.im)>::quiet_NaN()};
      is_known_ = true;
      row_ = 0;
    }
    if (x.im != x.im || (best_.im == best_.im && !is_better<least>(x.im, best_.im))) return;
    best_.im = x.im;
    row_ = row;
  }
  int64_t row() const { return row_; }

 private:
  C best_{};
  bool is_known_ = false;
  int64_t row_ = 0;
};

template <bool least, class C>
void complex_extremes(const Rows<C>& rows, bool with_index, void* out, int64_t at) {
  BestComplex<least, C> best[kColumns];
  for (int64_t c = 0; c < rows.width; c += kColumns) {
    const int64_t n = c + kColumns < rows.width ? kColumns : rows.width - c;
    for (int64_t k = 0; k < n; k++) best[k] = {};
    for (int64_t r = 0; r < rows.count; r++)
      for (int64_t k = 0; k < n; k++) best[k].take(rows[r][c + k], r);
    for (int64_t k = 0; k < n; k++) {
      const int64_t row = best[k].row();
      if (with_index)
        static_cast<int64_t*>(out)[at + c + k] = row;
      else
        static_cast<C*>(out)[at + c + k] = rows[row][c + k];
    }
  }
}

/// Of complex numbers: whose sums are those of real ones.
template <class T>
void fold_complex(const RowFold& fold, const RowBand& band, void* out) {
  const int64_t at = band.number * fold.columns, width = band.last - band.first;
  const auto* items = static_cast<const T*>(fold.items) + at * fold.rows + band.first;
  const Rows<T> rows{items, fold.rows, fold.columns, width};
  const auto each = [&](auto* states, auto none, auto&& add) {
    for (int64_t c = 0; c < width; c++) states[c] = none;
    for (int64_t r = 0; r < rows.count; r++)
      for (int64_t c = 0; c < width; c++) states[c] = add(states[c], rows[r][c]);
  };
  const int64_t first = at + band.first;
  if (info(fold.reducer).is_extreme()) {
    const bool with_index = info(fold.reducer).has_index();
    return info(fold.reducer).is_least() ? complex_extremes<true>(rows, with_index, out, first)
                                         : complex_extremes<false>(rows, with_index, out, first);
  }
  if (fold.reducer == Reducer::prod)
    each(static_cast<T*>(out) + first, T{1, 0}, [](T s, T x) { return s * x; });
  else if (fold.reducer == Reducer::count_nonzero)
    each(static_cast<int64_t*>(out) + first, int64_t{0},
         [](int64_t s, T x) { return s + int64_t{!x.is_zero()}; });
  else if (fold.reducer == Reducer::any)
    each(static_cast<uint8_t*>(out) + first, uint8_t{0},
         [](uint8_t s, T x) { return static_cast<uint8_t>(s | !x.is_zero()); });
  else
    each(static_cast<uint8_t*>(out) + first, uint8_t{1},
         [](uint8_t s, T x) { return static_cast<uint8_t>(s & !x.is_zero()); });
}

}  // namespace

void fold_rows(const RowFold& fold, const RowBand& band, void* out) {
  switch (fold.dtype) {
    case DType::boolean:
    case DType::uint8:
      return fold_as<uint8_t>(fold, band, out);
    case DType::int8:
      return fold_as<int8_t>(fold, band, out);
    case DType::int16:
      return fold_as<int16_t>(fold, band, out);
    case DType::uint16:
      return fold_as<uint16_t>(fold, band, out);
    case DType::int32:
      return fold_as<int32_t>(fold, band, out);
    case DType::uint32:
      return fold_as<uint32_t>(fold, band, out);
    case DType::int64:
      return fold_as<int64_t>(fold, band, out);
    case DType::uint64:
      return fold_as<uint64_t>(fold, band, out);
    case DType::float32:
      return fold_as<float>(fold, band, out);
    case DType::complex64:
      return fold_complex<Complex<float>>(fold, band, out);
    case DType::complex128:
      return fold_complex<Complex<double>>(fold, band, out);
    default:
      return fold_as<double>(fold, band, out);
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
