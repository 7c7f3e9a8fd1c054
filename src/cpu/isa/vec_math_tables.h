// Exponentials, logarithms and tan of float64 by tables in registers, for AVX-512: errors are 0.8
// ULP at most; and the arctangent.
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

#if defined(__AVX512F__)
// arctan(c) + arctan((z - c) / (1 + z c)) of z = a or -1 / a, whose interval is told by an
// estimate; both sides of the fraction times a where z is -1 / a.
inline doubles::D in_intervals(doubles::D x) {
  using doubles::all, doubles::D, doubles::I, doubles::look_up, doubles::kArctan;
  constexpr double series[] = {0.004093407680526355, 0.07315837534222505, -0.09082927988285333,
                               0.1111102740701939,   -0.142857138402155,  0.19999999998905985,
                               -0.33333333333332443};
  const D a = doubles::at_most(doubles::magnitude(x), 1e300);
  const auto u = a > 1 ? a : all(1), w = a > 1 ? all(-1) : a;
  const I at = (I)_mm512_maskz_fmadd_round_pd(0xff, (__m512d)(w * rough_reciprocal(u)),
                                              _mm512_set1_pd(7.99), _mm512_set1_pd(0x1.8p52),
                                              _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  const D c = look_up(kArctan[0], at), base = look_up(kArctan[1], at);
  const D top = fused(-c, u, w), bottom = fused(c, w, u), t = top / bottom, z = t * t;
  const D rest = fused(fused(-t, bottom, top), rough_reciprocal(bottom), look_up(kArctan[2], at));
  const D r = base + t, low = (t - (r - base)) + rest;
  return doubles::with_sign(r + fused(t * z, doubles::polynomial(series, z), low), x);
}
#endif

}  // namespace serrate::cpu::SERRATE_ISA::arctangent
#endif
