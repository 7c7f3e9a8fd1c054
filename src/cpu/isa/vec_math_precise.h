// Hyperbolic functions and their inverses of float64, for AVX2 and AVX-512.
//
// Sums of two numbers stand only where one would lose digits of the result: within 0.9 ULP.
#pragma once

#include "cpu/isa/tables/double.h"
#include "cpu/isa/vec_double.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA::precise {

using namespace doubles;

inline constexpr double kLn2High = 0.6931471803691238, kLn2Low = 1.9082149292705877e-10;

// log(1 + x) of a pair above -1; the logarithm of 2 is added `more` times.
//
// With 1 + x = 2**k (1 + f) and s = f / (2 + f), log(1 + f) = 2 atanh(s) = f - (f**2 / 2 - s (f**2
// / 2
// + s**2 p(s**2))), where little is added to f.
[[gnu::always_inline]] inline D log_of_one_and(Pair x, I more) {
  constexpr int64_t least = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
  const Pair h = sum(larger(all(1), x.high), smaller(all(1), x.high));
  const I bits = (I)h.high + (one - least);
  const I power = (I)((Vec<uint64_t>)bits >> 52);
  const D k = (D)((power + more) | 0x4330000000000000) - (0x1p52 + 1023);
  // Around 1 the digits of x are needed, not those of 1 + x.
  const I near_one = power == 1023;
  const D m = (D)((bits & 0x000fffffffffffff) + least);
  const D f = near_one ? x.high : m - 1;
  const D correction = rough_reciprocal(h.high) * (near_one ? x.low : x.low + h.low);

  const D s = f / (2 + f), w = s * s, w2 = w * w;
  D p = fused(fused(all(0.14869690399604535), w, all(0.153061705929748)), w2,
              fused(all(0.181838975196099), w, all(0.22222191524699167)));
  p = fused(p, w2, fused(all(0.2857142881969984), w, all(0.399999999990086)));
  p = fused(p, w, all(0.6666666666666811));
  const D half = 0.5 * f * f;
  const D tail = fused(s, fused(w, p, half), fused(k, all(kLn2Low), correction)) - half;
  const Pair r = sum(k * kLn2High, f);
  return r.high + (tail + r.low);
}

inline D log1p(D x) {
  const D r = log_of_one_and({x, D{}}, I{});
  const D at_end = x == -1 ? all(-kInfinity) : x < -1 ? all(kNan) : x;
  return (x > -1) & (x < kInfinity) & (x != 0) ? r : at_end;
}

// From here on x**2 and 1 are not added: what is asked for is log(2 x).
inline constexpr double kLarge = 0x1p30;

// log(1 + a + (sqrt(1 + a**2) - 1)), the second part to more digits than it has.
inline D asinh(D x) {
  const D a = magnitude(x), c = smaller(a, all(kLarge));
  const I large = a > kLarge;
  const Pair square = product(c, c);
  const D whole = root(1 + square.high);
  const D series = square.high * fused(all(-0.125), square.high, all(0.5));
  const D part = c < 0x1p-8 ? series : whole - 1;
  const D rest = fused(-part, part + 2, square.high) + square.low;
  const Pair f = sum(larger(c, part), smaller(c, part));
  const D low = fused(0.5 * rest, rough_reciprocal(whole), f.low);
  const D r = log_of_one_and({large ? a - 1 : f.high, large ? D{} : low}, -large);
  return with_sign(a < kInfinity ? r : a, x);
}
// log(1 + t + sqrt(t (t + 2))), t = x - 1.
inline D acosh(D x) {
  const I large = x > kLarge;
  const D t = smaller(x, all(kLarge)) - 1, twice = t + t;
  const Pair square = product(t, t);
  const Pair w = sum(larger(twice, square.high), smaller(twice, square.high));
  const D part = root(w.high);
  const D rest = fused(-part, part, w.high) + (square.low + w.low);
  const Pair f = sum(part, t);
  const D low = part == 0 ? D{} : fused(0.5 * rest, rough_reciprocal(part), f.low);
  const D r = log_of_one_and({large ? x - 1 : f.high, large ? D{} : low}, -large);
  return x >= 1 ? (x < kInfinity ? r : x) : x != x ? x : all(kNan);
}
// log(1 + 2 a / (1 - a)) / 2
inline D atanh(D x) {
  const D a = magnitude(x), twice = a + a;
  const Pair d = sum(all(1), -a);
  const D q = twice / d.high;
  const D rest = fused(-q, d.high, twice) - q * d.low;
  const D r = 0.5 * log_of_one_and({q, rest * rough_reciprocal(d.high)}, I{});
  const D at_end = a == 1 ? all(kInfinity) : all(kNan);
  return with_sign(a < 1 ? r : at_end, x);
}

// x = n log(2) + r, and what exp(r) is made of: r + sinh the odd part, 1 + cosh the even one.
struct Powers {
  D shifted, r, r_low, sinh, square, cosh_above, cosh;

  [[gnu::always_inline]] explicit Powers(D x) : Powers(Pair{x, D{}}) {}
  [[gnu::always_inline]] explicit Powers(Pair of) {
    const D x = of.high;
    constexpr double magic = 0x1.8p52;
    shifted = fused(x, all(1.44269504088896340736), all(magic));
    const D n = shifted - magic, high = fused(n, all(-kLn2High), x),
            low = fused(n, all(kLn2Low), -of.low);
    r = high - low;
    r_low = (high - r) - low;
    square = r * r;
    const D z = square, z2 = z * z;
    const D odd = fused(fused(all(2.5109035323942263e-08), z, all(2.755724420092016e-06)), z2,
                        fused(all(0.00019841269886153814), z, all(0.008333333333321608)));
    const D even = fused(fused(all(2.092163700566745e-09), z, all(2.755725221105441e-07)), z2,
                         fused(all(2.480158734879808e-05), z, all(0.001388888888887345)));
    sinh = fused(odd, z, all(0.16666666666666677)) * (r * z);
    const D fourth = fused(even, z, all(0.041666666666666685));
    cosh_above = fourth * z2;  // without r**2 / 2
    cosh = fused(fourth, z2, 0.5 * z);
  }
  // exp(r) - 1
  [[gnu::always_inline]] Pair less_one() const {
    const D half = 0.5 * square;
    const Pair most = sum(r, half);
    return {most.high, most.low + (fused(0.5 * r, r, -half) + r_low + cosh_above + sinh)};
  }
  // 2**(n - less)
  [[gnu::always_inline]] D power(int64_t less) const {
    return (D)((I)((Vec<uint64_t>)shifted << 52) + ((1023 - less) << 52));
  }
};

// (e - 1) / (e + 1) of e = exp(2 a), with what the division leaves.
#if defined(__AVX512F__)
// e = 2**(n / 16) exp(r), where the power is looked up.
inline D tanh(D x) {
  constexpr double magic = 0x1.8p52, sixteenths = 23.083120654223414, high = 0.04332169878489367,
                   low = 1.029121856092538e-13;
  constexpr double series[] = {0.0001983413551235968, 0.0013889125292791714, 0.008333333386458789,
                               0.04166666665960372,   0.16666666666665766,   0.5000000000000007};
  const D a = at_most(magnitude(x), 22), shifted = fused(a, all(2 * sixteenths), all(magic));
  const D n = shifted - magic, h = fused(n, all(-high), a + a), r = fused(n, all(-low), h);
  const D left = look_up(kPowers[1], (I)shifted);
  const D r_low = fused(n, all(-low), h - r) + fused(left, r, left);
  const D t = (D)((I)look_up(kPowers[0], (I)shifted) + ((I)shifted >> 4 << 52));
  const Pair v = product(t, r);
  const D more = fused(t, fused(r * r, polynomial(series, r), r_low), v.low);
  const D below = t - 1, above = t + 1;
  const Pair top = sum(below, v.high), bottom = sum(above, v.high);
  const D top_low = top.low + (((t - below) - 1) + more);
  const D bottom_low = bottom.low + (((t - above) + 1) + more), d = bottom.high + bottom_low;
  const D q = (top.high + top_low) / d;
  const D rest = fused(-q, bottom.high, top.high) + fused(-q, bottom_low, top_low);
  return with_sign(fused(rest, rough_reciprocal(d), q), x);
}
#else
inline D tanh(D x) {
  const D a = between(magnitude(x), 0, 22);
  const Powers e(a + a);
  const D t = e.power(0);
  const Pair part = e.less_one();
  const D v = t * part.high, w = t * part.low;
  const D below = t - 1, above = t + 1;
  const Pair n0 = sum(below, v), d0 = sum(above, v);
  const Pair n = sum(n0.high, n0.low + (w - ((below - t) + 1)));
  const Pair d = sum(d0.high, d0.low + (w - ((above - t) - 1)));
  const D q = n.high / d.high;
  const D rest = fused(-q, d.high, n.high) + fused(-q, d.low, n.low);
  return with_sign(fused(rest, rough_reciprocal(d.high), q), x);
}
#endif
// Half of it first: 2**1024 is no number.
inline D expm1(D x) {
  const Powers e(between(x, -100, 710));
  const Pair part = e.less_one();
  const D t = e.power(1), below = t - 0.5;
  const Pair r = sum(below, t * part.high);
  const D half = r.high + (r.low + fused(t, part.low, (t - below) - 0.5));
  return x == 0 ? x : half + half;  // -0.0 stays
}

// A quarter of exp(n log(2)) and of its reciprocal, their sum and difference.
struct Quarters {
  Pair sum, difference;

  [[gnu::always_inline]] explicit Quarters(const Powers& e) {
    const D up = e.power(2);
    const D down = larger(D{}, (D)((int64_t{2 * 1023 - 4} << 52) - (I)up));
    sum = doubles::sum(up, down);
    difference = doubles::sum(up, -down);
  }
};
// `own` of the two at n log(2), where the other changes by it, at n log(2) and the rest of x.
[[gnu::always_inline]] inline D beyond(const Powers& e, const Pair& own, const Pair& other) {
  const Pair v = product(other.high, e.r), r = sum(own.high, v.high);
  const D more = fused(other.high, e.r_low + e.sinh, own.high * e.cosh);
  const D half = r.high + (r.low + (v.low + (own.low + more)));
  return half + half;
}
inline D sinh(D x) {
  const Powers e(between(magnitude(x), 0, 710.6));
  const Quarters t(e);
  return with_sign(beyond(e, t.difference, t.sum), x);
}
inline D cosh(D x) {
  const Powers e(between(magnitude(x), 0, 710.6));
  const Quarters t(e);
  return beyond(e, t.sum, t.difference);
}

// x = m * 8**k, m between 1 and 8: from m**(-1/3) to 12 bits, then to 33, then what is left of m.
inline D cbrt(D x) {
  constexpr double magic = 0x1.8p52;
#if defined(__AVX512F__)
  const D one = (D)_mm512_maskz_getmant_pd(0xff, (__m512d)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  const D e = (D)_mm512_maskz_getexp_pd(0xff, (__m512d)x);
  const D shifted = fused(e, all(1.0 / 3), all(magic)), above = fused(shifted - magic, all(-3), e);
  // The first two bits of its fraction, and which third of the exponent.
  const I at = (I)_mm512_maskz_add_round_pd(0xff, (__m512d)(above + 0x1.8p50), (__m512d)one,
                                            _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  D z = fused(look_up(kReciprocals[0], at), one, look_up(kReciprocals[1], at));
  z = fused(z, one, look_up(kReciprocals[2], at));
  const D m = (D)_mm512_maskz_scalef_pd(0xff, (__m512d)one, (__m512d)above);
#else
  constexpr double smallest = 0x1p-1022;
  const D size = magnitude(x);
  const I tiny = size < smallest;
  const D a = tiny ? size * 0x1p54 : size;
  const I exponent = (I)((Vec<uint64_t>)(I)a >> 52);
  const D e = (D)(exponent | 0x4330000000000000) - (0x1p52 + 1);
  const D shifted = fused(e, all(1.0 / 3), all(magic));  // e + 1 divided by 3
  const D above = fused(shifted - magic, all(-3), e);    // what that leaves, -1, 0 or 1
  const D one = (D)(((I)a & 0x000fffffffffffff) | 0x3ff0000000000000);
  const D m = above < 0 ? one : above > 0 ? 4 * one : 2 * one;
  D z = fused(all(-0.04993631205835616), one, all(0.3177544748758717));
  z = fused(fused(z, one, all(-0.8099564660669979)), one, all(1.541885199873972));
  z = z * (above < 0 ? all(1) : above > 0 ? all(0.6299605249474366) : all(0.7937005259840998));
#endif
  const D off = fused(-m * z, z * z, all(1));
  z = fused(z, off * fused(all(2.0 / 9), off, all(1.0 / 3)), z);
  const D square = z * z, y = m * square;
  const Pair y2 = product(y, y);
  const D rest = fused(-y2.high, y, m) - y2.low * y;
#if defined(__AVX512F__)
  const D r = (D)((I)fused(rest, square * (1.0 / 3), y) + ((I)shifted << 52));
  // 0, infinities and NaN are x itself.
  return (D)_mm512_fixupimm_pd((__m512d)with_sign(r, x), (__m512d)x, _mm512_set1_epi64(0x00110121),
                               0);
#else
  const D scale = (D)(((I)shifted << 52) + (int64_t{1023 - 341} << 52));
  const D r = fused(rest, square * (1.0 / 3), y) * (tiny ? 0x1p-18 * scale : scale);
  return (size > 0) & (size < kInfinity) ? with_sign(r, x) : x;
#endif
}

// The length of (u, v), u >= v >= 0, u between 2**-120 and 2**120: by Borges' "An Improved
// Algorithm for hypot(a,b)" (2019) what the square of the root has too much is taken back.
[[gnu::always_inline]] inline D length(D u, D v) {
  const Pair square = product(u, u);
  const D h = root(fused(u, u, v * v));
  const Pair again = product(h, h);
  const D excess = fused(-v, v, again.high - square.high) + (again.low - square.low);
  return fused(-0.5 * excess, rough_reciprocal(h), h);
}
// Both numbers scaled by the larger one's power of two, with the same digits.
[[gnu::noinline]] inline D length_at_any_scale(D a, D b) {
  constexpr int64_t exponents = 0x7ff0000000000000, least = 0x0010000000000000,
                    most = 0x7fc0000000000000, two_biases = 0x7fe0000000000000;
  const D large = larger(a, b);
  I scale = (I)large & exponents;
  scale = scale < least ? I{} + least : scale;
  scale = scale > most ? I{} + most : scale;
  const D down = (D)(two_biases - scale);
  const D r = length(large * down, smaller(a, b) * down) * (D)scale;
  const I infinite = (a == kInfinity) | (b == kInfinity);
  return (large > 0) & (a < kInfinity) & (b < kInfinity) ? r : infinite ? all(kInfinity) : a + b;
}
inline D hypot(D x, D y) {
  constexpr uint64_t low = uint64_t(1023 - 120) << 52, span = uint64_t(240) << 52;
  // Of a number and a NaN, one is large and one is small.
  const D a = magnitude(x), b = magnitude(y), large = larger(a, b);
  if (any((Vec<uint64_t>)large - low > span)) [[unlikely]]
    return length_at_any_scale(a, b);
  return length(large, smaller(a, b));
}

}  // namespace serrate::cpu::SERRATE_ISA::precise
#endif
