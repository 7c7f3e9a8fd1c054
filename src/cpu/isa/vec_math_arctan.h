// The arctangent, of float32 and float64: one division, a polynomial up to tan(pi / 8), and what
// the division and its operands leave, so that errors are 0.8 ULP.
#pragma once

#include <cstddef>
#include <iterator>

#include "cpu/isa/tables/double.h"
#include "cpu/isa/vec_double.h"
#include "cpu/isa/vec_math_single.h"

#if defined(__AVX2__)
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
