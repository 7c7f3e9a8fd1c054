// Complex numbers in registers, real parts in one and imaginary parts in another, and the functions
// of them that the table's expressions call: bit by bit what core/math/complex*.h give one of them.
#pragma once

#include <limits>

#include "cpu/isa/converted.h"
#include "cpu/isa/rows.h"

namespace serrate::cpu::SERRATE_ISA {

#define SERRATE_INLINE [[gnu::always_inline]] inline

/// kLanes<T> numbers.
template <class T>
struct Complex {
  Vec<T> re, im;
};
template <class T>
using MaskOf = decltype(Vec<T>{} < Vec<T>{});

/// In which order numbers stand in registers: that of memory, or each 16 bytes of two registers by
/// themselves, which takes instructions that cross no such seam. What is saved is in order anyway.
enum class Lanes : uint8_t { in_order, by_seams };

/// Where in two registers of pairs lane i of their parts is (0 real, 1 imaginary).
template <class T, Lanes lanes>
constexpr int lane_of_part(int i, int part) {
  if constexpr (lanes == Lanes::in_order) return 2 * i + part;
  constexpr int kWidth = 16 / int(sizeof(T)), kHalf = kWidth / 2;
  const int seam = i / kWidth * kWidth, k = i % kWidth;
  return seam + (k < kHalf ? 2 * k : kLanes<T> + 2 * (k - kHalf)) + part;
}
/// Where in the registers of real and of imaginary parts lane i of two registers of pairs is.
template <class T>
constexpr int lane_of_pair(int i, int which) {
  constexpr int kWidth = 16 / int(sizeof(T)), kHalf = kWidth / 2;
  const int seam = i / kWidth * kWidth, k = i % kWidth;
  return seam + which * kHalf + k / 2 + (k % 2) * kLanes<T>;
}

template <class T, Lanes lanes = Lanes::by_seams>
SERRATE_INLINE Complex<T> load_complex(const char* p) {
  const Vec<T> a = load<T>(p), b = load<T>(p + kBytes);
  return [=]<size_t... L>(std::index_sequence<L...>) {
    return Complex<T>{__builtin_shufflevector(a, b, lane_of_part<T, lanes>(int(L), 0)...),
                      __builtin_shufflevector(a, b, lane_of_part<T, lanes>(int(L), 1)...)};
  }
  (std::make_index_sequence<size_t{kLanes<T>}>());
}
template <class T>
SERRATE_INLINE void save_complex(char* p, Complex<T> v) {
  [=]<size_t... L>(std::index_sequence<L...>) {
    const Vec<T> a = __builtin_shufflevector(v.re, v.im, lane_of_pair<T>(int(L), 0)...);
    const Vec<T> b = __builtin_shufflevector(v.re, v.im, lane_of_pair<T>(int(L), 1)...);
    save(p, a);
    save(p + kBytes, b);
  }
  (std::make_index_sequence<size_t{kLanes<T>}>());
}
template <class T>
SERRATE_INLINE Complex<T> splat_complex(const char* p) {
  return {splat<T>(p), splat<T>(p + sizeof(T))};
}

template <class T>
SERRATE_INLINE Complex<T> chosen(MaskOf<T> first, Complex<T> x, Complex<T> y) {
  return {first ? x.re : y.re, first ? x.im : y.im};
}

template <class T>
SERRATE_INLINE Complex<T> operator-(Complex<T> x, Complex<T> y) {
  return {x.re - y.re, x.im - y.im};
}
template <class T>
SERRATE_INLINE Complex<T> operator*(Complex<T> x, Complex<T> y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
/// Smith's algorithm: both of its ways have the same steps.
template <class T>
SERRATE_INLINE Complex<T> operator/(Complex<T> x, Complex<T> y) {
  const Vec<T> a = absolute(y.re), b = absolute(y.im);
  const MaskOf<T> by_real = a >= b, by_zero = (a == 0) & (b == 0);
  const Vec<T> large = by_real ? y.re : y.im, small = by_real ? y.im : y.re;
  const Vec<T> ratio = small / large, scale = T(1) / (large + small * ratio);
  const Vec<T> u = by_real ? x.re : x.im, v = by_real ? x.im : x.re;
  const Vec<T> part = u * ratio;
  const Complex<T> r = {(u + v * ratio) * scale,
                        ((by_real ? x.im : part) - (by_real ? x.re * ratio : x.re)) * scale};
  if (!any(by_zero)) [[likely]]
    return r;
  return chosen(by_zero, {x.re / a, x.im / a}, r);
}

template <class T>
SERRATE_INLINE MaskOf<T> operator==(Complex<T> x, Complex<T> y) {
  return (x.re == y.re) & (x.im == y.im);
}
template <class T>
SERRATE_INLINE MaskOf<T> operator!=(Complex<T> x, Complex<T> y) {
  return (x.re != y.re) | (x.im != y.im);
}
template <class T>
SERRATE_INLINE MaskOf<T> operator==(Complex<T> x, int y) {
  return (x.re == T(y)) & (x.im == T(0));
}
template <class T>
SERRATE_INLINE MaskOf<T> operator!=(Complex<T> x, int y) {
  return (x.re != T(y)) | (x.im != T(0));
}
template <class T>
SERRATE_INLINE MaskOf<T> operator<(Complex<T> x, Complex<T> y) {
  return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im < y.im));
}
template <class T>
SERRATE_INLINE MaskOf<T> operator<=(Complex<T> x, Complex<T> y) {
  return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im <= y.im));
}
template <class T>
SERRATE_INLINE MaskOf<T> operator>(Complex<T> x, Complex<T> y) {
  return y < x;
}
template <class T>
SERRATE_INLINE MaskOf<T> operator>=(Complex<T> x, Complex<T> y) {
  return y <= x;
}

template <class T>
SERRATE_INLINE MaskOf<T> is_infinite(Complex<T> x) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  return (absolute(x.re) == kInfinity) | (absolute(x.im) == kInfinity);
}

template <class T>
SERRATE_INLINE Vec<T> real(Complex<T> x) {
  return x.re;
}
template <class T>
SERRATE_INLINE Vec<T> imag(Complex<T> x) {
  return x.im;
}

/// Of float32 only: lengths as C's hypot gives them, from squares that are exact in float64.
SERRATE_INLINE Vec<float> exact_length(Complex<float> x) {
  typedef float Half __attribute__((vector_size(kBytes / 2)));
  Half re[2], im[2], roots[2];
  memcpy(re, &x.re, sizeof re);
  memcpy(im, &x.im, sizeof im);
  for (int k = 0; k < 2; k++) {
    const auto a = converted<Vec<double>>(re[k]);
    const auto b = converted<Vec<double>>(im[k]);
    roots[k] = converted<Half>(sqrt(a * a + b * b));
  }
  const Vec<float> infinity = Vec<float>{} + std::numeric_limits<float>::infinity();
  return is_infinite(x) ? infinity : load<float>(reinterpret_cast<const char*>(roots));
}
SERRATE_INLINE Complex<float> sign(Complex<float> x) {
  using V = Vec<float>;
  const V length = exact_length(x), zero = {}, one = zero + 1;
  const V infinity = zero + std::numeric_limits<float>::infinity();
  const Complex<float> r = chosen<float>(length == 0, {zero, zero}, {x.re / length, x.im / length});
  if (!any(length == infinity)) [[likely]]
    return r;
  const V nan = zero + std::numeric_limits<float>::quiet_NaN();
  const MaskOf<float> of_real = absolute(x.re) == infinity;
  const MaskOf<float> of_both = of_real & (absolute(x.im) == infinity);
  const Complex<float> axis = {of_real ? copysign(one, x.re) : zero,
                               of_real ? zero : copysign(one, x.im)};
  return chosen<float>(length == infinity, chosen<float>(of_both, {nan, nan}, axis), r);
}

template <class T>
SERRATE_INLINE Complex<T> reciprocal(Complex<T> x) {
  const MaskOf<T> by_real = absolute(x.im) <= absolute(x.re);
  const Vec<T> large = by_real ? x.re : x.im, small = by_real ? x.im : x.re;
  const Vec<T> ratio = small / large, size = large + small * ratio, one = Vec<T>{} + 1;
  return {(by_real ? one : ratio) / size, (by_real ? -ratio : -one) / size};
}

/// x to a whole number, by multiplication: the steps of complex_math.h's pow. Nowhere 0.
template <class T>
SERRATE_INLINE Complex<T> to_whole_power(Complex<T> x, int exponent) {
  const Vec<T> one = Vec<T>{} + 1, zero = {};
  Complex<T> r = {one, zero}, base = x;
  for (int n = exponent < 0 ? -exponent : exponent; n != 0; n >>= 1, base = base * base)
    if (n & 1) r = r * base;
  return exponent < 0 ? Complex<T>{one, zero} / r : r;
}

}  // namespace serrate::cpu::SERRATE_ISA
