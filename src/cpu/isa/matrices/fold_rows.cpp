// Folds of the columns of matrices: a row is added to the states of a band of columns, which stay
// in the cache.
#include "cpu/lists/matrices/fold_rows.h"

#include <limits>
#include <type_traits>

#include "core/types/reducer_info.h"

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

/// What an item adds to a sum of S: itself; to a count: 1, if it is not zero.
template <bool counts, class S, class T>
[[gnu::always_inline]] inline S added(T x) {
  return counts ? S(x != T(0)) : S(x);
}

/// Four rows at a time, added up among themselves first. Of kColumns at most.
template <bool counts, class S, class T, class R>
void sums(const Rows<T>& rows, R* __restrict out) {
  alignas(64) S state[kColumns];
  for (int64_t c = 0; c < rows.width; c++) state[c] = S(0);
  int64_t r = 0;
  for (; r + 4 <= rows.count; r += 4) {
    const T *a = rows[r], *b = rows[r + 1], *x = rows[r + 2], *y = rows[r + 3];
    for (int64_t c = 0; c < rows.width; c++)
      state[c] += (added<counts, S>(a[c]) + added<counts, S>(b[c])) +
                  (added<counts, S>(x[c]) + added<counts, S>(y[c]));
  }
  for (; r < rows.count; r++)
    for (int64_t c = 0; c < rows.width; c++) state[c] += added<counts, S>(rows[r][c]);
  for (int64_t c = 0; c < rows.width; c++) out[c] = static_cast<R>(state[c]);
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

/// Of kColumns at most.
template <bool least, class T>
void first_extremes(const Rows<T>& rows, int64_t* out) {
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
      const bool first = is_better<least>(a[c], best[c]);
      const T x = first ? a[c] : best[c];
      const Index i = first ? row : at[c];
      const bool second = is_better<least>(b[c], x);
      best[c] = second ? b[c] : x;
      at[c] = second ? row + 1 : i;
    }
  }
  for (; r < rows.count; r++)
    for (int64_t c = 0; c < width; c++) {
      const bool better = is_better<least>(rows[r][c], best[c]);
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
    using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
    using Result = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // or int64_t: as bits
    for (int64_t c = band.first; c < band.last; c += kColumns) {
      const Rows<T> some = rows(c, c + kColumns < band.last ? c + kColumns : band.last);
      if (fold.reducer == Reducer::count_nonzero)
        sums<true, uint64_t>(some, static_cast<uint64_t*>(out) + matrix + c);
      else
        sums<false, Sum>(some, static_cast<Result*>(out) + matrix + c);
    }
    return;
  }
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
    if (least)
      first_extremes<true>(rows(c, last), indexes + c);
    else
      first_extremes<false>(rows(c, last), indexes + c);
  }
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
    default:
      return fold_as<double>(fold, band, out);
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
