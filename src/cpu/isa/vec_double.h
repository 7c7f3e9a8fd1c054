// What functions of float64 vectors are written with, for AVX2 and AVX-512.
#pragma once

#include "cpu/isa/vec.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA::doubles {

using D = Vec<double>;
using I = Vec<int64_t>;

inline constexpr double kInfinity = __builtin_inf(), kNan = __builtin_nan("");

[[gnu::always_inline]] inline D fused(D x, D y, D z) {
#if defined(__AVX512F__)
  return (D)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
#else
  return (D)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#endif
}
[[gnu::always_inline]] inline D root(D x) {
#if defined(__AVX512F__)
  return (D)_mm512_maskz_sqrt_pd(0xff, (__m512d)x);
#else
  return (D)_mm256_sqrt_pd((__m256d)x);
#endif
}
[[gnu::always_inline]] inline D all(double x) { return D{} + x; }
[[gnu::always_inline]] inline D magnitude(D x) { return (D)((I)x & INT64_MAX); }
[[gnu::always_inline]] inline D with_sign(D x, D sign) {
#if defined(__AVX512F__)
  return (D)_mm512_ternarylogic_epi64((__m512i)x, (__m512i)sign, _mm512_set1_epi64(INT64_MIN),
                                      0xf8);  // x | (sign & its bit)
#else
  return (D)((I)x | ((I)sign & INT64_MIN));
#endif
}
[[gnu::always_inline]] inline D smaller(D x, D y) { return y < x ? y : x; }
[[gnu::always_inline]] inline D larger(D x, D y) { return y < x ? x : y; }
// NaN stays.
[[gnu::always_inline]] inline D between(D x, double low, double high) {
  x = x < low ? all(low) : x;
  return x > high ? all(high) : x;
}
// 1 / x to 12 bits; 0 for very large x.
[[gnu::always_inline]] inline D rough_reciprocal(D x) {
#if defined(__AVX512F__)
  return (D)_mm512_maskz_rcp14_pd(0xff, (__m512d)x);
#else
  return (D)_mm256_cvtps_pd(_mm_rcp_ps(_mm256_cvtpd_ps((__m256d)x)));
#endif
}

#if defined(__AVX512F__)
// A row is chosen by the last four bits of each index.
[[gnu::always_inline]] inline D look_up(const double (&row)[16], I at) {
  return (D)_mm512_permutex2var_pd(_mm512_load_pd(row), (__m512i)at, _mm512_load_pd(row + 8));
}
// NaN of x stays.
[[gnu::always_inline]] inline D at_most(D x, double bound) {
  return (D)_mm512_maskz_min_pd(0xff, _mm512_set1_pd(bound), (__m512d)x);
}
#endif
template <size_t n>
[[gnu::always_inline]] inline D polynomial(const double (&c)[n], D x) {
  D p = all(c[0]);
  for (size_t i = 1; i < n; i++) p = fused(p, x, all(c[i]));
  return p;
}

// A number as a sum of two: high has the digits of float64, low what they leave.
struct Pair {
  D high, low;
};
// Exact where x is the larger one, or 0.
[[gnu::always_inline]] inline Pair sum(D x, D y) {
  const D high = x + y;
  return {high, y - (high - x)};
}
[[gnu::always_inline]] inline Pair product(D x, D y) {
  const D high = x * y;
  return {high, fused(x, y, -high)};
}

}  // namespace serrate::cpu::SERRATE_ISA::doubles
#endif
