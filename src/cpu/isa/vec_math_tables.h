// Exponentials, logarithms, cosh and tan of float64 by tables in registers, for AVX-512: errors are
// 0.8 ULP at most; and arctangents.
//
// Tables of 16 numbers are two registers that an instruction looks up 8 lanes in (Tang's method,
// "Table-driven implementation of the exponential function", 1989): what is left for polynomials
// is small, and most of a result is known to more digits than it has.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "cpu/isa/tables/double.h"
#include "cpu/isa/vec_double.h"
#include "cpu/isa/vec_math_single.h"

#if defined(__AVX512F__)
namespace serrate::cpu::SERRATE_ISA::tables {

using namespace doubles;

[[gnu::always_inline]] inline D at_least(D x, double bound) {
  return (D)_mm512_maskz_max_pd(0xff, _mm512_set1_pd(bound), (__m512d)x);
}
/// x times 2 to the power of the largest integer up to n.
[[gnu::always_inline]] inline D scaled(D x, D n) {
  return (D)_mm512_maskz_scalef_pd(0xff, (__m512d)x, (__m512d)n);
}

// x = n log(2) / 16 + r; the product of n and the first part is exact.
inline constexpr double kMagic = 0x1.8p52, kSixteenths = 23.083120654223414,
                        kStepHigh = 0.04332169878489367, kStepLow = 1.0291218489310676e-13;

// Of x + low, where x + low is x, if there is one.
template <class Low = std::nullptr_t>
[[gnu::always_inline]] inline D exp_of_sum(D x, [[maybe_unused]] Low low = {}) {
  constexpr double series[] = {0.0013889128732258065, 0.008333471925252123, 0.041666666659679115,
                               0.16666666664417787, 0.5000000000000006};
  const D shifted = fused(x, all(kSixteenths), all(kMagic)), n = shifted - kMagic;
  D r = fused(n, all(-kStepLow), fused(n, all(-kStepHigh), x));
  if constexpr (std::is_same_v<Low, D>) r += low;
  const D left = r + look_up(kPowers[1], (I)shifted), t = look_up(kPowers[0], (I)shifted);
  const D less_one = fused(r * r, polynomial(series, r), left);
  return scaled(fused(t, less_one, t), n * 0.0625);
}
inline D exp(D x) { return exp_of_sum(at_least(at_most(x, 710), -746)); }
inline D exp2(D x) {
  constexpr double ln2 = 0.6931471805599453;
  constexpr double series[] = {0.0001540379639216738, 0.0013333779896814479, 0.00961812910601551,
                               0.05550410865733228, 0.24022650695910097};
  const D b = at_least(at_most(x, 1025), -1080), shifted = b + kMagic / 16,
          n = shifted - kMagic / 16;
  const D r = b - n, t = look_up(kPowers[0], (I)shifted);
  const D left = fused(r, all(ln2), look_up(kPowers[1], (I)shifted));
  const D less_one = fused(r * r, polynomial(series, r), left);
  return scaled(fused(t, less_one, t), n);
}
// Half of it first: 2**1024 is no number. The sum of powers of two less one and of what is added
// to them is a number and what that leaves.
inline D expm1(D x) {
  constexpr double series[] = {0.00019841554755680384, 0.0013889092508803755, 0.008333333332410469,
                               0.04166666666189088,    0.16666666666666677,   0.5000000000000003};
  const D b = at_least(at_most(x, 710), -40), shifted = fused(b, all(kSixteenths), all(kMagic));
  const D n = shifted - kMagic, h = fused(n, all(-kStepHigh), b), r = fused(n, all(-kStepLow), h);
  const D left = look_up(kPowers[1], (I)shifted);
  const D r_low = fused(left, r, left + fused(n, all(-kStepLow), h - r));
  const D q = fused(r * r, polynomial(series, r), r_low);
  const D t = (D)((I)look_up(kHalfPowers, (I)shifted) + ((I)shifted << 48)), below = t - 0.5;
  const D most = fused(t, r, below), rest = fused(t, r, below - most);
  const D part = below - t, loss = (t - (below - part)) - (part + 0.5);
  const D half = most + (rest + fused(t, q, loss));
  return with_sign(half + half, x);
}

/// r, but by the kind of x what `kinds` says, see single::with_ends.
template <int kinds>
[[gnu::always_inline]] inline D with_ends(D r, D x) {
  return (D)_mm512_fixupimm_pd((__m512d)r, (__m512d)x, _mm512_set1_epi64(kinds), 0);
}

// x = m * 2**e, m from 3/4 to 3/2: a sixteenth next to m has a factor that brings m near 1. Around
// 1 what that leaves is exact.
struct Logarithm {
  D e, most, rest;  // of m, with the logarithm of 2**e by its own base if that is natural

  /// Of x + low, where x + low is x, if there is one.
  template <bool kNatural, class Low = std::nullptr_t>
  [[gnu::always_inline]] static Logarithm of(D x, [[maybe_unused]] Low x_low = {}) {
    constexpr double series[] = {-0.10036475014598092, 0.11143954664690153,  -0.12499941763430007,
                                 0.14285673437552202,  -0.16666666707382669, 0.20000000020015263,
                                 -0.24999999999988526, 0.33333333333330284,  -0.5};
    const D m =
        (D)_mm512_maskz_getmant_pd(0xff, (__m512d)x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
    const D e = exponent(x) - exponent(m);
    const I at = (I)(m + 0x1.8p48);
    const D c = look_up(kLog[0], at), r = fused(m, c, all(-1));
    D whole = look_up(kLog[1], at), low = look_up(kLog[2], at);
    if constexpr (kNatural) {
      whole = fused(e, all(0.6931471805598903), whole);  // exact
      low = fused(e, all(5.497923018708371e-14), low);
    }
    if constexpr (std::is_same_v<Low, D>) {
      const D more = scaled(x_low * c, -e);
      low += fused(-more, r, more);
    }
    const D most = whole + r, left = low + (r - (most - whole));
    return {e, most, fused(r * r, polynomial(series, r), left)};
  }
  [[gnu::always_inline]] static D exponent(D x) {
    return (D)_mm512_maskz_getexp_pd(0xff, (__m512d)x);
  }
  /// Times a constant, with what is added for each power of 2.
  [[gnu::always_inline]] D times(double by, double by_low, double each, double each_low) const {
    const D high = most + rest, low = rest - (high - most);
    const D p = high * by, p_low = fused(high, all(by), -p);
    const D little = fused(high, all(by_low), fused(low, all(by), p_low));
    const D whole = e * each, sum = whole + p;
    return sum + (fused(e, all(each_low), little) + (p - (sum - whole)));
  }
};
inline constexpr int kEndsOfLog = 0x03530421;
inline D log(D x) {
  const auto l = Logarithm::of<true>(x);
  return with_ends<kEndsOfLog>(l.most + l.rest, x);
}
// Of 1 + x.
inline D log1p(D x) {
  const D more = at_least(x, 1), less = at_most(x, 1), whole = more + less;
  const auto l = Logarithm::of<true>(whole, less - (whole - more));
  return with_sign(with_ends<kEndsOfLog>(l.most + l.rest, whole), x);
}
inline D log2(D x) {
  const auto l = Logarithm::of<false>(x);
  return with_ends<kEndsOfLog>(l.times(1.4426950408889634, 2.0355273740931033e-17, 1, 0), x);
}
inline D log10(D x) {
  const auto l = Logarithm::of<false>(x);
  return with_ends<kEndsOfLog>(
      l.times(0.4342944819032518, 1.098319650216765e-17, 0.30102999566383914, 1.42050232272661e-13),
      x);
}

/// 1 / x but for its last bits. By Newton's rule from 14 bits: a division takes as long as twenty
/// additions.
[[gnu::always_inline]] inline D reciprocal(D x) {
  const D y = rough_reciprocal(x), off = fused(-x, y, all(1));
  return fused(y, fused(off, off, off), y);
}

/// Up to which tan is right, and far beyond.
inline constexpr double kTanMost = 1e9;

// x = n pi / 16 + r, and with T = tan(r) the tangent is (s + c T) / (c - s T) of the sine and
// cosine of n pi / 16; all of these are numbers and what they leave. pi / 16 is three numbers,
// whose products are exact.
inline D tan(D x) {
  constexpr double first = 0x1.921fb54442d18p-3, second = 0x1.1a62633145c07p-57,
                   third = -0x1.f1976b7ed8fbcp-113;
  constexpr double series[] = {0.00896606648219021, 0.021868398773965122, 0.05396825920443942,
                               0.13333333332235855, 0.3333333333333408};
  const D shifted = fused(x, all(5.092958178940651), all(kMagic)), n = shifted - kMagic;
  const D r0 = fused(n, all(-first), x), r1 = fused(n, all(-second), r0);
  const D l1 = fused(n, all(-third), fused(n, all(-second), r0 - r1));
  const D r = r1 + l1, z = r * r, low = fused(z * r, polynomial(series, z), l1 - (r - r1));
  const auto number = [&](int row) { return look_up(kTurns[row], (I)shifted); };
  const D s = number(0), s_low = number(1), c = number(2), c_low = number(3);
  const D top = fused(c, r, s), bottom = fused(-s, r, c);
  const D top_low = fused(c, low, fused(c, r, s - top)) + fused(c_low, r, s_low);
  const D bottom_low = fused(-s, low, fused(-s, r, c - bottom)) + fused(-s_low, r, c_low);
  const D d = bottom + bottom_low, y = reciprocal(d), q = (top + top_low) * y;
  const D rest = fused(-q, bottom, top) + fused(-q, bottom_low, top_low);
  return with_ends<0x00000121>(fused(rest, y, q), x);
}

// (2**(n / 16) exp(r) + 2**(-n / 16) exp(-r)) / 2, where powers are looked up: a quarter of their
// sum times cosh(r), and of their difference times sinh(r). 2**1024 is no number, and subnormal
// ones take hundreds of cycles. Coefficients are by Remez' exchange, errors 0.57 ULP.
inline D cosh(D x) {
  constexpr double odd[] = {0.00019841514494513856, 0.008333333332688866, 0.1666666666666667};
  constexpr double even[] = {0.0013889111369392892, 0.041666666660701804, 0.5000000000000004};
  const D a = at_most(magnitude(x), 711), shifted = fused(a, all(kSixteenths), all(kMagic));
  const D n = shifted - kMagic, h = fused(n, all(-kStepHigh), a), r = fused(n, all(-kStepLow), h);
  const I at = (I)shifted, back = -at;
  const D up = scaled(look_up(kPowers[0], at), fused(n, all(0.0625), all(-2)));
  const D down = scaled(look_up(kPowers[0], back), at_least(fused(n, all(-0.0625), all(-2)), -500));
  const D sum = up + down, difference = up - down, z = r * r;
  D low = fused(up, look_up(kPowers[1], at), down - (sum - up));
  low = fused(down, look_up(kPowers[1], back), low);
  low = fused(difference, fused(r * z, polynomial(odd, z), r), low);
  const D quarter = sum + fused(sum, z * polynomial(even, z), low);
  return quarter + quarter;
}

}  // namespace serrate::cpu::SERRATE_ISA::tables
#endif

#if defined(__AVX2__)
// The arctangent of float32 and float64: one division, a polynomial up to tan(pi / 8), and what the
// division and its operands leave, so that errors are 0.8 ULP.
namespace serrate::cpu::SERRATE_ISA::arctangent {

using doubles::fused, doubles::rough_reciprocal;
using single::fused, single::rough_reciprocal;

/// pi / 4 and pi / 2 as sums of two, and coefficients of (arctan(t) / t - 1) / t**2 in t**2, the
/// last one first: interpolations at Chebyshev's points.
template <class T>
struct Constants;
template <>
struct Constants<float> {
  static constexpr float quarter = 0.7853981852531433f, quarter_low = -2.1855695000931213e-08f;
  static constexpr float series[] = {-0.06451928208121747f, 0.10743731490791082f,
                                     -0.1426395559798464f, 0.19999540483648964f,
                                     -0.3333333176116852f};
};
template <>
struct Constants<double> {
  static constexpr double quarter = 0.7853981633974483, quarter_low = 3.061616997868383e-17;
  static constexpr double series[] = {
      0.01628575685522102, -0.03457056198142774, 0.045515932206265486, -0.05230454270650244,
      0.05878928997834775, -0.06666424885738255, 0.07692296375032143,  -0.09090908753500877,
      0.11111111105155447, -0.14285714285659828, 0.19999999999999804,  -0.3333333333333333};
};

template <class T, class V = Vec<T>>
[[gnu::always_inline]] inline V of(V x) {
  using C = Constants<T>;
  const V none = {}, a = x < 0 ? -x : x, one = none + 1;
  const auto large = a > T(2.414213562373095), middle = (a > T(0.41421356237309503)) & ~large;
  // a, (a - 1) / (a + 1) or -1 / a.
  const V top = large ? -one : middle ? a - 1 : a;
  const V bottom = large ? a : middle ? a + 1 : one;
  const V t = top / bottom;
  const V more = a < 1 ? one : a, less = a < 1 ? a : one;
  const V top_low = a - (top + 1), bottom_low = less - (bottom - more);
  const V rest = fused(-t, bottom, top) + fused(-t, bottom_low, top_low);
  const V t_low = middle ? rest * rough_reciprocal(bottom) : none;
  const V z = t * t;
  V p = none + C::series[0];
  for (size_t i = 1; i < std::size(C::series); i++) p = fused(p, z, none + C::series[i]);
  const V quarters = large ? none + 2 : middle ? one : none;
  const V base = quarters * C::quarter, sum = base + t;
  const V sum_low = fused(p * z, t, fused(quarters, none + C::quarter_low, t_low));
  const V r = sum + (sum_low + (t - (sum - base)));
  return x < 0 ? -r : x == 0 ? x : r;  // -0.0 stays
}

}  // namespace serrate::cpu::SERRATE_ISA::arctangent
#endif

#if defined(__AVX512F__)
// arctan of float64, and arctan2: what a division leaves comes by an estimate of the reciprocal, so
// that errors are 0.95 ULP.
//
// The angle of (x, y) is that of the larger and the smaller size, u and w, up to an eighth of a
// turn. It is taken from a quarter turn where |y| is the larger one, and from half a turn where x
// is negative.
namespace serrate::cpu::SERRATE_ISA::angles {

using doubles::D;
using single::F;

// arctan(w / u) = arctan(c) + arctan((w - c u) / (u + c w)) for a c near w / u. For a quarter turn
// less that w is negative, and what is looked up has the quarter turn added.
struct Fraction {
  D u, w;
  __mmask8 steep;  // where |y| is the larger one

  [[gnu::always_inline]] Fraction(D y, D x)
      : u(x), w(y), steep(_mm512_cmp_pd_mask((__m512d)y, (__m512d)x, _CMP_GT_OQ)) {
    u = (D)_mm512_mask_mov_pd((__m512d)x, steep, (__m512d)y);
    w = (D)_mm512_mask_mov_pd((__m512d)y, steep, (__m512d)-x);
  }
};
/// As a sum: what is looked up, less than a sixteenth, and what that leaves.
struct Angle {
  D base, most, rest;

  [[gnu::always_inline]] explicit Angle(const Fraction& of) {
    using doubles::fused, doubles::look_up, doubles::rough_reciprocal, doubles::kArctan;
    constexpr double series[] = {0.004093407680526355, 0.07315837534222505, -0.09082927988285333,
                                 0.1111102740701939,   -0.142857138402155,  0.19999999998905985,
                                 -0.33333333333332443};
    // Of -0.0 the interval would be that of 0, without a quarter turn.
    const auto about = (__m512d)(of.w * rough_reciprocal(of.u));
    const auto at = (doubles::I)_mm512_maskz_fmadd_round_pd(
        0xff, _mm512_mask_min_pd(about, of.steep, about, _mm512_set1_pd(-0x1p-60)),
        _mm512_set1_pd(7.99), _mm512_set1_pd(0x1.8p52), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const D c = look_up(kArctan[0], at), base_low = look_up(kArctan[2], at);
    const D top = fused(-c, of.u, of.w), bottom = fused(c, of.w, of.u), t = top / bottom, z = t * t;
    const D left = fused(fused(-t, bottom, top), rough_reciprocal(bottom), base_low);
    base = look_up(kArctan[1], at), most = t;
    rest = fused(t * z, doubles::polynomial(series, z), left);
  }
};
inline D atan(D x) {
  const D a = doubles::at_most(doubles::magnitude(x), 1e300);
  const Angle of(Fraction(a, doubles::all(1)));
  const D r = of.base + of.most, low = (of.most - (r - of.base)) + of.rest;
  return doubles::with_sign(r + low, x);
}

// Sizes whose products have digits to spare.
template <class T>
struct Sizes {
  static constexpr T least = 0x1p-900, most = 0x1p1000, scale = 0x1p600;
};
template <>
struct Sizes<float> {
  static constexpr float least = 0x1p20f, most = 0x1p120f, scale = 0x1p90f;
};

[[gnu::always_inline]] inline D of_sizes(D a, D b, D y, D x) {
  using doubles::all;
  const Angle of(Fraction(a, b));
  const auto turned = [&](D v) { return (D)((doubles::I)v ^ ((doubles::I)x & INT64_MIN)); };
  const __mmask8 left = _mm512_movepi64_mask((__m512i)x);
  const D half = (D)_mm512_maskz_mov_pd(left, (__m512d)all(3.141592653589793));
  const D half_low = (D)_mm512_maskz_mov_pd(left, (__m512d)all(1.2246467991473532e-16));
  const D base = turned(of.base), most = turned(of.most), sum = half + base, r = sum + most;
  const D low = (base - (sum - half)) + half_low;
  return doubles::with_sign(r + ((most - (r - sum)) + (turned(of.rest) + low)), y);
}
// arctan(c) + arctan((v - c u) / (u + c v)), too, with tables for all four quarters of the half
// turn. The polynomial is by Remez' exchange, for the relative error.
[[gnu::always_inline]] inline F of_sizes(F a, F b, F y, F x) {
  using single::all, single::fused, single::rough_reciprocal;
  constexpr float series[] = {-0.13950257f, 0.199969232f, -0.333333254f};
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  const F u = (F)_mm512_maskz_max_ps(0xffff, (__m512)a, (__m512)b);
  const F w = (F)_mm512_maskz_min_ps(0xffff, (__m512)b, (__m512)a);
  const __mmask16 steep = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
  const __mmask16 left = _mm512_movepi32_mask((__m512i)x);
  const __m512i turned = _mm512_ternarylogic_epi32((__m512i)w, (__m512i)x, sign, 0xf8);
  const F v = (F)_mm512_mask_xor_epi32(turned, steep, turned, sign);
  auto at = (__m512i)_mm512_maskz_fmadd_round_ps(0xffff, (__m512)(w * rough_reciprocal(u)),
                                                 _mm512_set1_ps(7.9f), _mm512_set1_ps(0x1.8p23f),
                                                 _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  at = _mm512_mask_or_epi32(at, steep, at, _mm512_set1_epi32(8));
  at = _mm512_mask_or_epi32(at, left, at, _mm512_set1_epi32(16));
  const F c = single::look_up(single::kAngles[0], (single::I)at);
  const F base = single::look_up(single::kAngles[1], (single::I)at);
  const F top = fused(-c, u, v), bottom = fused(c, v, u), reciprocal = rough_reciprocal(bottom);
  const F most = top * reciprocal, rest = fused(-most, bottom, top) * reciprocal;
  const F t = most + rest, z = t * t;
  const F low = fused(z * t, single::polynomial(series, z), rest);
  const F sum = base + most, r = sum + (low + (most - (sum - base)));
  return (F)_mm512_ternarylogic_epi32((__m512i)r, (__m512i)y, sign, 0xf8);
}
/// Zeros, infinities, and what has no such size.
template <class V, class S>
[[gnu::noinline]] V of_any_size(V y, V x) {
  using doubles::magnitude, single::magnitude;
  const V zero = {}, one = zero + 1, infinity = one / zero;
  const V a = magnitude(y), b = magnitude(x), large = a > b ? a : b;
  const V by = large < S::least ? zero + S::scale : large > S::most ? 1 / (zero + S::scale) : one;
  const auto infinite = (a == infinity) | (b == infinity);
  const V a_sized = infinite ? (a == infinity ? one : zero) : a * by;
  const V b_sized = infinite ? (b == infinity ? one : zero) : large == 0 ? one : b * by;
  const V r = of_sizes(a_sized, b_sized, y, x);
  return (x != x) | (y != y) ? x + y : r;
}

inline D atan2(D y, D x) {
  using S = Sizes<double>;
  constexpr auto least = __builtin_bit_cast(int64_t, S::least),
                 most = __builtin_bit_cast(int64_t, S::most);
  const D a = doubles::magnitude(y), b = doubles::magnitude(x), r = of_sizes(a, b, y, x);
  const auto size = (__m512i)(a > b ? a : b);
  const __mmask8 special = _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(size, _mm512_set1_epi64(least)),
                                                   _mm512_set1_epi64(most - least));
  if (special != 0) [[unlikely]]
    return (D)_mm512_mask_mov_pd((__m512d)r, special, (__m512d)of_any_size<D, S>(y, x));
  return r;
}
// What an estimate leaves needs its digits: w is no smaller than this, or 0.
inline F atan2(F y, F x) {
  const F a = single::magnitude(y), b = single::magnitude(x), r = of_sizes(a, b, y, x);
  const F u = (F)_mm512_maskz_max_ps(0xffff, (__m512)a, (__m512)b);
  const F w = (F)_mm512_maskz_min_ps(0xffff, (__m512)b, (__m512)a);
  const auto least = _mm512_set1_ps(0x1p-120f), most = _mm512_set1_ps(0x1p120f);
  __mmask16 large = _mm512_cmp_ps_mask((__m512)u, most, _CMP_NLE_UQ);
  const __mmask16 small = _mm512_cmp_ps_mask((__m512)w, least, _CMP_LT_OQ);
  if ((large | small) == 0) [[likely]]
    return r;
  large |= _mm512_mask_cmp_ps_mask(small, (__m512)w, __m512{}, _CMP_NEQ_OQ);
  large |= _mm512_mask_cmp_ps_mask(small, (__m512)u, least, _CMP_LT_OQ);
  if (large == 0) return r;
  return (F)_mm512_mask_mov_ps((__m512)r, large, (__m512)of_any_size<F, Sizes<float>>(y, x));
}

}  // namespace serrate::cpu::SERRATE_ISA::angles
#endif
