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
[[gnu::always_inline]] inline F with_sign(F x, F sign) {  // x | (sign & its bit)
  return (F)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)sign, _mm512_set1_epi32(INT32_MIN),
                                      0xf8);
}
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
/// x times 2 to the power n.
[[gnu::always_inline]] inline F scaled(F x, F n) {
  return (F)_mm512_maskz_scalef_ps(0xffff, (__m512)x, (__m512)n);
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

// x = m * 2**e, m from 3/4 to 3/2: a sixteenth next to m has a factor that brings m near 1. Of
// x + low, where x + low is x.
struct Logarithm {
  F e, most, rest;  // of m; with the logarithm of 2**e if that is natural

  template <bool kNatural, class Low>
  [[gnu::always_inline]] static Logarithm of(F x, Low low) {
    constexpr float series[] = {0.200405091f, -0.25036186f, 0.333333075f, -0.499999851f};
    const F m =
        (F)_mm512_maskz_getmant_ps(0xffff, (__m512)x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
    const F e = exponent(x) - exponent(m);
    const I at = (I)(m + 0x1.8p19f);
    const F c = look_up(kLog[0], at), l = look_up(kLog[1], at), near = m * c, u = near - 1;
    F v = fused(m, c, -near);
    if constexpr (std::is_same_v<Low, F>) v += scaled(low * c, -e);
    F most = l, rest = fused(-v, u, v);
    if constexpr (kNatural) {
      const F whole = e * kLn2High;
      most += whole, rest += fused(e, all(kLn2Low), l - (most - whole));
    }
    const F r = most + u;
    return {e, r, (u - (r - most)) + fused(u * u, polynomial(series, u), rest)};
  }
  /// Times a constant, with what is added for each power of 2.
  [[gnu::always_inline]] F times(float by, float by_low, float each, float each_low) const {
    const F high = most + rest, low = rest - (high - most);
    const F p = high * by, p_low = fused(high, all(by), -p);
    const F little = fused(high, all(by_low), fused(low, all(by), p_low));
    const F whole = e * each, sum = whole + p;
    return sum + (fused(e, all(each_low), little) + (p - (sum - whole)));
  }
};
inline constexpr int kEndsOfLog = 0x03530421;
inline F log(F x) {
  const auto l = Logarithm::of<true>(x, nullptr);
  return with_ends<kEndsOfLog>(l.most + l.rest, x);
}
inline F log2(F x) {
  const auto l = Logarithm::of<false>(x, nullptr);
  return with_ends<kEndsOfLog>(l.times(1.44269502f, 1.925963e-08f, 1, 0), x);
}
inline F log10(F x) {
  const auto l = Logarithm::of<false>(x, nullptr);
  return with_ends<kEndsOfLog>(l.times(0.434294492f, -1.010305e-08f, 0x1.344p-2f, 4.60503907e-06f),
                               x);
}
inline F log1p(F x) {
  const F more = at_least(x, 1), less = at_most(x, 1), sum = more + less;
  const auto l = Logarithm::of<true>(sum, less - (sum - more));
  return with_sign(with_ends<kEndsOfLog>(l.most + l.rest, sum), x);
}

// x = n log(2) + r.
struct Reduced {
  F shifted, n, r;
  [[gnu::always_inline]] explicit Reduced(F x) {
    constexpr float magic = 0x1.8p23f;
    shifted = fused(x, all(1.44269504f), all(magic)), n = shifted - magic;
    r = fused(n, all(-kLn2Low), fused(n, all(-kLn2High), x));
  }
};
inline F exp(F x) {
  constexpr float series[] = {0.00138145906f, 0.00836872701f, 0.041668389f, 0.1666652f,
                              0.499999935f};
  const Reduced by(at_least(at_most(x, 89), -104));
  const F slope = fused(by.r, polynomial(series, by.r), all(1));
  return scaled(fused(by.r, slope, all(1)), by.n);
}
inline F exp2(F x) {
  constexpr float magic = 0x1.8p23f;
  constexpr float series[] = {0.000153211695f, 0.00133901612f, 0.00961852624f,
                              0.0555036225f,   0.240226476f,   0.693147182f};
  const F b = at_least(at_most(x, 129), -151), n = (b + magic) - magic, r = b - n;
  return scaled(fused(r, polynomial(series, r), all(1)), n);
}
// By those of n log(2) and of r. A quarter of it first: 2**128 is no number.
struct Halves {
  F sum, difference, sinh, cosh_less_one;  // of the powers of e, of n log(2); of r
  [[gnu::always_inline]] explicit Halves(F size) {
    constexpr float odd[] = {0.00836659511f, 0.166665429f};
    constexpr float even[] = {0.00139462467f, 0.0416662668f, 0.500000008f};
    const Reduced by(at_most(size, 89.7f));
    const I up = ((I)by.shifted << 23) + (125 << 23);
    const F down = (F)_mm512_maskz_max_epi32(0xffff, (__m512i)((250 << 23) - up), __m512i{});
    sum = (F)up + down, difference = (F)up - down;
    const F z = by.r * by.r;
    sinh = fused(by.r * z, polynomial(odd, z), by.r), cosh_less_one = z * polynomial(even, z);
  }
};
inline F sinh(F x) {
  const Halves by(magnitude(x));
  const F half = fused(by.sum, by.sinh, fused(by.difference, by.cosh_less_one, by.difference));
  return with_sign(half + half, x);
}
inline F cosh(F x) {
  const Halves by(magnitude(x));
  const F half = fused(by.difference, by.sinh, fused(by.sum, by.cosh_less_one, by.sum));
  return half + half;
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
/// The square root of x + low as a sum to 28 bits, by Newton's rule from 14: the instruction takes
/// as long as twenty additions.
struct Root {
  F half, most, rest;  // of the reciprocal

  [[gnu::always_inline]] Root(F x, F low) {
    const F y = (F)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)x);
    half = y * 0.5f, most = x * y, rest = (fused(-most, most, x) + low) * half;
  }
  /// To 37 bits.
  [[gnu::always_inline]] Root closer(F x, F low) const {
    Root r = *this;
    r.most += r.rest;
    r.rest = (fused(-r.most, r.most, x) + low) * half;
    return r;
  }
};
/// Up to here squares are numbers.
inline constexpr float kSquares = 0x1p60f;

// log(2 x)
[[gnu::noinline]] inline F log_of_twice(F x) {
  auto l = Logarithm::of<true>(x, nullptr);
  const F more = l.most + kLn2High;
  l.rest += (kLn2High - (more - l.most)) + kLn2Low;
  return with_ends<kEndsOfLog>(more + l.rest, x);
}
[[gnu::always_inline]] inline F or_log_of_twice(F r, F size) {
  const __mmask16 large = _mm512_cmp_ps_mask((__m512)size, _mm512_set1_ps(kSquares), _CMP_GT_OQ);
  if (large != 0) [[unlikely]]
    return where(large, log_of_twice(size), r);
  return r;
}

// log(a + sqrt(1 + a**2)); below 1/16 a polynomial by Remez' exchange. Errors are 0.52 ULP.
inline F asinh(F x) {
  const F a = magnitude(x), s = fused(a, a, all(1)), s_low = fused(a, a, 1 - s);
  const Root root = Root(s, F{}).closer(s, s_low);
  const F sum = root.most + a, low = (a - (sum - root.most)) + root.rest;
  const auto l = Logarithm::of<true>(sum, low);
  const F square = a * a;
  const F series = fused(square * a, fused(square, all(0.0747575983f), all(-0.166666374f)), a);
  const F r = where(is_less(a, 0.0625f), series, l.most + l.rest);
  return with_sign(or_log_of_twice(r, a), x);
}
// log(1 + t + sqrt(t (2 + t))), t = x - 1: within 0.89 ULP.
inline F acosh(F x) {
  const F t = x - 1, twice = t + t, s = fused(t, t, twice);
  const Root root(s, fused(t, t, twice - s));
  const F f = root.most + t, f_low = (t - (f - root.most)) + root.rest;
  const F more = at_least(f, 1), less = at_most(f, 1), sum = more + less;
  const auto l = Logarithm::of<true>(sum, (less - (sum - more)) + f_low);
  // Of 1 it is 0, of what is less NaN.
  return or_log_of_twice(with_ends<0x03538300>(l.most + l.rest, x), x);
}
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
