// Functions of float32 that are computed in float32, with what is lost carried along.
//
// With AVX-512 a table of 32 numbers is two registers that an instruction looks up 16 lanes in, so
// that short polynomials do: centres of intervals are chosen such that the values there are
// float32 to 12 bits more (Gal's accurate tables), and what is added to them is small.
#pragma once

#include <iterator>

#include "cpu/isa/tables/single.h"
#include "cpu/isa/vec.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA::single {

using F = Vec<float>;
using I = Vec<int32_t>;

[[gnu::always_inline]] inline F fused(F x, F y, F z) {
#if defined(__AVX512F__)
  return (F)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
#else
  return (F)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
#endif
}
[[gnu::always_inline]] inline F all(float x) { return F{} + x; }
// 1 / x to 12 bits.
[[gnu::always_inline]] inline F rough_reciprocal(F x) {
#if defined(__AVX512F__)
  return (F)_mm512_maskz_rcp14_ps(0xffff, (__m512)x);
#else
  return (F)_mm256_rcp_ps((__m256)x);
#endif
}

#if defined(__AVX512F__)
inline constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 1.42860677e-06f;

// A row is chosen by the last four or five bits of each index.
[[gnu::always_inline]] inline F look_up(const float (&row)[32], I at) {
  return (F)_mm512_permutex2var_ps(_mm512_load_ps(row), (__m512i)at, _mm512_load_ps(row + 16));
}
[[gnu::always_inline]] inline F look_up(const float (&row)[16], I at) {
  return (F)_mm512_maskz_permutexvar_ps(0xffff, (__m512i)at, _mm512_load_ps(row));
}
[[gnu::always_inline]] inline F magnitude(F x) { return (F)((I)x & INT32_MAX); }
[[gnu::always_inline]] inline F with_sign(F x, F sign) { return (F)((I)x | ((I)sign & INT32_MIN)); }
// NaN of x stays.
[[gnu::always_inline]] inline F at_most(F x, float bound) {
  return (F)_mm512_maskz_min_ps(0xffff, _mm512_set1_ps(bound), (__m512)x);
}
[[gnu::always_inline]] inline F at_least(F x, float bound) {
  return (F)_mm512_maskz_max_ps(0xffff, _mm512_set1_ps(bound), (__m512)x);
}
[[gnu::always_inline]] inline F exponent(F x) {
  return (F)_mm512_maskz_getexp_ps(0xffff, (__m512)x);
}
[[gnu::always_inline]] inline F where(__mmask16 m, F x, F y) {
  return (F)_mm512_mask_mov_ps((__m512)y, m, (__m512)x);
}
[[gnu::always_inline]] inline __mmask16 is_less(F x, float bound) {
  return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(bound), _CMP_LT_OQ);
}
/// r, but by the kind of x what `kinds` says, of the digits from the last one: quiet and signalling
/// NaN, 0, 1, -infinity, infinity, negative, positive; 0 leaves r, 1 is x, 2 x as a quiet NaN, 3
/// NaN, 4 and 5 are infinities.
template <int kinds>
[[gnu::always_inline]] inline F with_ends(F r, F x) {
  return (F)_mm512_fixupimm_ps((__m512)r, (__m512)x, _mm512_set1_epi32(kinds), 0);
}
template <size_t n>
[[gnu::always_inline]] inline F polynomial(const float (&c)[n], F x) {
  F p = all(c[0]);
  for (size_t i = 1; i < n; i++) p = fused(p, x, all(c[i]));
  return p;
}

/// By a polynomial for each interval; where `small`, what it gives is added to x itself.
[[gnu::always_inline]] inline F piecewise(const float (&table)[7][32], F x, I at, __mmask16 small) {
  const F d = x - look_up(table[0], at);
  F p = look_up(table[2], at);
  for (int i = 3; i < 7; i++) p = fused(p, d, look_up(table[i], at));
  return fused(p, d, where(small, x, look_up(table[1], at)));
}

// x = m * 2**(3 k + r), r from -1 to 1; an eighth of the sum of m and r for each interval.
inline F cbrt(F x) {
  constexpr float magic = 0x1.8p23f;
  constexpr float series[] = {-0.041290272f, 0.0618466698f, -0.111110933f, 0.333333284f};
  const F m = (F)_mm512_maskz_getmant_ps(0xffff, (__m512)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  const F e = exponent(x), k = fused(e, all(1.0f / 3), all(magic)),
          r = fused(k - magic, all(-3), e);
  const I at = (I)_mm512_maskz_add_round_ps(0xffff, (__m512)(r + 0x1.8p20f), (__m512)m,
                                            _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const F u = fused(m, look_up(kCbrt[0], at), all(-1)), root = look_up(kCbrt[1], at);
  const F y = fused(root * u, polynomial(series, u), root);
  return with_ends<0x00110121>(with_sign((F)((I)y + ((I)k << 23)), x), x);
}

// Four intervals for each power of two from 1/8 on; 1 from 9.2 on.
inline F tanh(F x) {
  constexpr int32_t below = 0x3dffffff;
  const F a = at_most(magnitude(x), 9.2f);
  const I bits = (I)_mm512_maskz_max_epi32(0xffff, (__m512i)a, _mm512_set1_epi32(below));
  const I at = (I)((Vec<uint32_t>)bits >> 21);
  return with_sign(piecewise(kTanh, a, at, is_less(a, 0.125f)), x);
}

// pi / 2 - arctan(1 / a) above 1; sixteen intervals between -1 and 0, and between 0 and 1.
inline F atan(F x) {
  constexpr float magic = 0x1.8p23f;
  const F a = at_most(magnitude(x), 1e30f);
  const __mmask16 large = _mm512_cmp_ps_mask((__m512)a, _mm512_set1_ps(1), _CMP_GT_OQ);
  const F z = (F)_mm512_mask_div_ps((__m512)a, large, _mm512_set1_ps(-1), (__m512)a);
  const I at = (I)_mm512_maskz_fmadd_round_ps(0xffff, (__m512)z, _mm512_set1_ps(15.99f),
                                              _mm512_set1_ps(magic),
                                              _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  const __mmask16 small = _mm512_cmpeq_epi32_mask((__m512i)at, (__m512i)all(magic));
  return with_sign(piecewise(kArctan, z, at, small), x);
}

// Of x + low, where x + low is x: x = m * 2**e, m from 3/4 to 3/2, by the nearest sixteenth to m.
[[gnu::always_inline]] inline F log_of_sum(F x, F low) {
  constexpr float series[] = {0.200405091f, -0.25036186f, 0.333333075f, -0.499999851f};
  const F m =
      (F)_mm512_maskz_getmant_ps(0xffff, (__m512)x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
  const F e = exponent(x) - exponent(m);
  const I at = (I)(m + 0x1.8p19f);
  const F c = look_up(kLog[0], at), l = look_up(kLog[1], at), near = m * c, u = near - 1;
  const F v = fused(m, c, -near) + (F)_mm512_maskz_scalef_ps(0xffff, (__m512)(low * c), (__m512)-e);
  const F whole = e * kLn2High, most = whole + l, r = most + u;
  const F rest = fused(e, all(kLn2Low), l - (most - whole)) + fused(-v, u, v);
  const F y = r + ((u - (r - most)) + fused(u * u, polynomial(series, u), rest));
  return with_ends<0x03530421>(y, x);
}
inline F log(F x) { return log_of_sum(x, F{}); }
inline F log1p(F x) {
  const F more = at_least(x, 1), less = at_most(x, 1), sum = more + less;
  return with_sign(log_of_sum(sum, less - (sum - more)), x);
}

// Half of it first: 2**128 is no number.
inline F expm1(F x) {
  constexpr float magic = 0x1.8p23f;
  constexpr float series[] = {0.000199137066f, 0.00139411166f, 0.00833327416f,
                              0.041666355f,    0.166666672f,   0.5f};
  const F b = at_least(at_most(x, 89), -20), shifted = fused(b, all(1.44269504f), all(magic));
  const F n = shifted - magic, h = fused(n, all(-kLn2High), b), r = fused(n, all(-kLn2Low), h);
  const F s = fused(r * r, polynomial(series, r), fused(n, all(-kLn2Low), h - r));
  const F t = (F)(((I)shifted << 23) + (126 << 23)), less = t - 0.5f, most = fused(t, r, less);
  const F rest = fused(t, r, less - most) + ((t - less) - 0.5f);
  const F half = most + fused(t, s, rest);
  return with_sign(half + half, x);
}

// Of an even multiple of pi / 2 and r, and minus its reciprocal of an odd one. pi / 2 is three
// numbers; products with the second one are exact. What r leaves counts by the derivative.
inline F tan(F x) {
  constexpr float magic = 0x1.8p23f, first = 0x1.921fb4p0f, second = 0x1.448p-24f,
                  third = -0x1.e973dcp-35f;
  constexpr float series[] = {0.00443593273f, -3.44348773e-05f, 0.0109364409f, 0.0212420523f,
                              0.0540679991f,  0.13332589f,      0.333333522f};
  const F shifted = fused(x, all(0.636619772f), all(magic)), n = shifted - magic;
  const F r0 = fused(n, all(-first), x), r1 = fused(n, all(-second), r0);
  const F l1 = fused(n, all(-third), fused(n, all(-second), r0 - r1));
  const F r = r1 + l1, l = l1 - (r - r1), z = r * r;
  const F s = fused(z * r, polynomial(series, z), fused(fused(z, z, z), l, l));
  const F t = r + s, t_low = s - (t - r);
  const __mmask16 odd = _mm512_test_epi32_mask((__m512i)shifted, _mm512_set1_epi32(1));
  const F q = -rough_reciprocal(t), rest = fused(q, t_low, fused(q, t, all(1)));
  return with_ends<0x00000100>(where(odd, fused(q, rest, q), t), x);
}
/// Up to which its products are exact.
inline constexpr float kTanMost = 30000;
#else
// As precise::cbrt: x = m * 8**k, m between 1 and 8; from m**(-1/3) to 12 bits, then to 22, then
// what is left of m.
inline F cbrt(F x) {
  constexpr float magic = 0x1.8p23f, smallest = 0x1p-126f;
  const F size = (F)((I)x & INT32_MAX);
  const I tiny = size < smallest;
  const F a = tiny ? size * 0x1p24f : size;
  const I exponent = (I)((Vec<uint32_t>)(I)a >> 23);
  const F e = __builtin_convertvector(exponent, F) - 128;
  const F k = fused(e, all(1.0f / 3), all(magic)) - magic;  // e divided by 3
  const F above = fused(k, all(-3), e);                     // what that leaves, -1, 0 or 1
  const F one = (F)(((I)a & 0x007fffff) | 0x3f800000);
  const F m = above < 0 ? one : above > 0 ? 4 * one : 2 * one;
  F z = fused(all(-0.04993631205835616f), one, all(0.3177544748758717f));
  z = fused(fused(z, one, all(-0.8099564660669979f)), one, all(1.541885199873972f));
  z = z * (above < 0 ? all(1) : above > 0 ? all(0.6299605249474366f) : all(0.7937005259840998f));
  z = fused(z, fused(-m * z, z * z, all(1)) * (1.0f / 3), z);
  const F square = z * z, y = m * square;
  const F y2 = y * y, y2_low = fused(y, y, -y2);
  const F rest = fused(-y2, y, m) - y2_low * y;
  const F scale = (F)((__builtin_convertvector(k, I) + 127) << 23);
  const F r = fused(rest, square * (1.0f / 3), y) * (tiny ? 0x1p-8f * scale : scale);
  const F signed_r = (F)((I)r | ((I)x & INT32_MIN));
  return (size > 0) & (size < __builtin_inff()) ? signed_r : x;
}
#endif

}  // namespace serrate::cpu::SERRATE_ISA::single
#endif
