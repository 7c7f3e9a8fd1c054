// Products of small matrices, one after the other. Sizes that are often met are known to the
// compiler, which keeps rows in registers.
#include "cpu/lists/matrices/small_products.h"

#include "cpu/isa/matrices/complex.h"

namespace serrate::cpu::SERRATE_ISA {

void small_products(const SmallProducts& of, void* out);

namespace {

struct Sizes {
  int64_t rows, inner, columns;
};

/// `width` columns of a row of the result, which stay in registers while their sums grow.
template <int width, class T>
[[gnu::always_inline]] inline void row_of_sums(const T* left, const T* right, int64_t inner,
                                               int64_t stride, T* out) {
  T sums[width];
#pragma GCC unroll 8
  for (int c = 0; c < width; c++) sums[c] = left[0] * right[c];
#pragma GCC unroll 8
  for (int64_t j = 1; j < inner; j++)
#pragma GCC unroll 8
    for (int c = 0; c < width; c++) sums[c] = sums[c] + left[j] * right[j * stride + c];
#pragma GCC unroll 8
  for (int c = 0; c < width; c++) out[c] = sums[c];
}

/// Sizes as constants, where they are not 0.
template <int rows, int inner, int columns, class T>
[[gnu::always_inline]] inline void product(const T* left, const T* right, const Sizes& s, T* out) {
  const int64_t n = rows > 0 ? rows : s.rows, k = inner > 0 ? inner : s.inner,
                m = columns > 0 ? columns : s.columns;
#pragma GCC unroll 8
  for (int64_t i = 0; i < n; i++) {
    if constexpr (columns > 0) {
      row_of_sums<columns>(left + i * k, right, k, m, out + i * m);
    } else {
      int64_t c = 0;
      for (; c + 4 <= m; c += 4) row_of_sums<4>(left + i * k, right + c, k, m, out + i * m + c);
      for (; c < m; c++) row_of_sums<1>(left + i * k, right + c, k, m, out + i * m + c);
    }
  }
}

template <int rows, int inner, int columns, class T>
void products(const SmallProducts& of, T* __restrict out) {
  const T* left = static_cast<const T*>(of.left);
  const T* right = static_cast<const T*>(of.right);
  const Sizes s{of.rows, of.inner, of.columns};
  for (int64_t i = 0; i < of.count; i++) {
    product<rows, inner, columns>(left, right, s, out);
    left += of.rows * of.inner;
    right += of.inner * of.columns;
    out += of.rows * of.columns;
  }
}

template <class T>
void products_as(const SmallProducts& of, void* memory) {
  T* const out = static_cast<T*>(memory);
  const auto is = [&](int64_t rows, int64_t inner, int64_t columns) {
    return of.rows == rows && of.inner == inner && of.columns == columns;
  };
  if (of.inner == 0) {
    for (int64_t i = 0; i < of.count * of.rows * of.columns; i++) out[i] = T{};
    return;
  }
  if (is(2, 2, 2)) return products<2, 2, 2>(of, out);
  if (is(3, 3, 3)) return products<3, 3, 3>(of, out);
  if (is(4, 4, 4)) return products<4, 4, 4>(of, out);
  if (is(5, 5, 5)) return products<5, 5, 5>(of, out);
  if (is(6, 6, 6)) return products<6, 6, 6>(of, out);
  if (is(2, 2, 1)) return products<2, 2, 1>(of, out);
  if (is(3, 3, 1)) return products<3, 3, 1>(of, out);
  if (is(4, 4, 1)) return products<4, 4, 1>(of, out);
  products<0, 0, 0>(of, out);
}

}  // namespace

void small_products(const SmallProducts& of, void* out) {
  switch (of.type) {
    case DType::float32:
      return products_as<float>(of, out);
    case DType::complex64:
      return products_as<Complex<float>>(of, out);
    case DType::complex128:
      return products_as<Complex<double>>(of, out);
    default:
      return products_as<double>(of, out);
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
