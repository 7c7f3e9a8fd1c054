// Functions of float32 computed in float64 by short polynomials: with so many bits to spare there
// is nothing to correct, and what is rounded once at the end is within 0.51 ULP.
#pragma once

#include "cpu/isa/converted.h"
#include "cpu/isa/vec_double.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA::wide {

using namespace doubles;

// The halves of some items, and back.
struct Halves {
  D low, high;

  [[gnu::always_inline]] explicit Halves(Vec<float> x) {
#if defined(__AVX512F__)
    low = converted<D>(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7));
    high = converted<D>(__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
#else
    low = converted<D>(__builtin_shufflevector(x, x, 0, 1, 2, 3));
    high = converted<D>(__builtin_shufflevector(x, x, 4, 5, 6, 7));
#endif
  }
  [[gnu::always_inline]] static Vec<float> join(D low, D high) {
    typedef float Half __attribute__((vector_size(kBytes / 2)));
    const Half a = converted<Half>(low), b = converted<Half>(high);
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
  }
};
template <class F>
[[gnu::always_inline]] inline Vec<float> each(Vec<float> x, F f) {
  const Halves v(x);
  return Halves::join(f(v.low), f(v.high));
}
template <class F>
[[gnu::always_inline]] inline Vec<float> each(Vec<float> x, Vec<float> y, F f) {
  const Halves v(x), w(y);
  return Halves::join(f(v.low, w.low), f(v.high, w.high));
}

// Of positive normal numbers, m * 2**exponent with m between sqrt(1/2) and sqrt(2). Relative error
// 1e-12, also near 1.
[[gnu::always_inline]] inline D log(D x) {
  constexpr int64_t least = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
  const Vec<uint64_t> bits = (Vec<uint64_t>)x + static_cast<uint64_t>(one - least);
  const D exponent = (D)((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  const D m = (D)((I)(bits & 0x000fffffffffffff) + least);
#if defined(__AVX512F__)
  // log(m) = log(m * c) - log(c); of 16 factors the one that brings m near 1, 1 itself around 1.
  alignas(64) static constexpr double factor[16] = {1.3836392164230347, 1.3262920379638672,
                                                    1.2735093832015991, 1.2247670888900757,
                                                    1.1796183586120605, 1.1376800537109375,
                                                    1.0986212491989136, 1.0621554851531982,
                                                    1.028032660484314,  1.0,
                                                    0.9341747164726257, 0.8826408982276917,
                                                    0.836495578289032,  0.7949355840682983,
                                                    0.7573097944259644, 0.7230848670005798};
  alignas(64) static constexpr double minus_log[16] = {-0.32471714143681385,  -0.28238710730620326,
                                                       -0.2417763834523188,   -0.2027506944010962,
                                                       -0.16519096125942548,  -0.12899114829323854,
                                                       -0.09405598381006627,  -0.06030031996869659,
                                                       -0.027646937427427135, 0.0,
                                                       0.06809179564279748,   0.12483684487029918,
                                                       0.1785340445357181,    0.22949419393979997,
                                                       0.27798286959598273,   0.3242286819685296};
  const auto look_up = [&](const double* table) {
    return (D)_mm512_permutex2var_pd(_mm512_load_pd(table), (__m512i)(bits >> 48),
                                     _mm512_load_pd(table + 8));
  };
  const D r = fused(m, look_up(factor), all(-1));
  D p = fused(all(0.1393455818583312), r, all(-0.16683813506176312));
  p = fused(p, r, all(0.20000392331403127));
  p = fused(p, r, all(-0.24999993649547583));
  p = fused(p, r, all(0.3333333325018621));
  p = fused(p, r, all(-0.5000000000038756));
  const D whole = fused(exponent, all(0.693147180559945309), look_up(minus_log));
  return whole + fused(r * r, p, r);
#else
  // 2 atanh(s), s = (m - 1) / (m + 1).
  const D s = (m - 1) / (m + 1), w = s * s;
  D p = fused(all(0.0831118994278082), w, all(0.09070078275081414));
  p = fused(p, w, all(0.11111431566218855));
  p = fused(p, w, all(0.14285712065245487));
  p = fused(p, w, all(0.2000000000561559));
  p = fused(p, w, all(0.33333333333331033));
  const D twice = s + s;
  return fused(exponent, all(0.693147180559945309), fused(twice * w, p, twice));
#endif
}

// For sizes up to 700; relative error 4e-12, also near 0.
struct Exponential {
  D less_one;  // of the part of x that is smaller than ln 2 / 2
  D power;     // of 2: exp(x) = power * (1 + less_one)

  [[gnu::always_inline]] explicit Exponential(D x) {
    constexpr double magic = 0x1.8p52;
    const D shifted = fused(x, all(1.44269504088896340736), all(magic));
    const D r = fused(shifted - magic, all(-0.693147180559945309), x);
    D p = fused(all(2.4859590421749378e-05), r, all(0.00019899286163323776));
    p = fused(p, r, all(0.0013888854034961348));
    p = fused(p, r, all(0.008333298469094915));
    p = fused(p, r, all(0.041666666719013846));
    p = fused(p, r, all(0.16666666719030523));
    p = fused(p, r, all(0.5));
    less_one = fused(r * r, p, r);
    power = (D)(((I)shifted << 52) + int64_t{0x3ff0000000000000});
  }
};
[[gnu::always_inline]] inline D exp(D x) {
  const Exponential e(x);
  return fused(e.power, e.less_one, e.power);
}
[[gnu::always_inline]] inline D expm1(D x) {
  const Exponential e(x);
  return fused(e.power, e.less_one, e.power - 1);
}
// Below it a few terms of a series are exact enough, and a logarithm of nearly 1 is not.
inline constexpr double kSmall = 0x1p-12;

inline Vec<float> asinh(Vec<float> x) {
  return each(x, [](D v) {
    const D a = magnitude(v);
    const D r =
        a < kSmall ? fused(a * a * a, all(-1.0 / 6), a) : log(a + root(fused(a, a, all(1))));
    return with_sign(a < kInfinity ? r : a, v);
  });
}
inline Vec<float> acosh(Vec<float> x) {
  return each(x, [](D v) {
    const D r = log(v + root(fused(v, v, all(-1))));
    return v < kInfinity ? (v >= 1 ? r : all(__builtin_nan(""))) : v;
  });
}
inline Vec<float> atanh(Vec<float> x) {
  return each(x, [](D v) {
    const D a = magnitude(v);
    const D r = a < kSmall ? fused(a * a * a, all(1.0 / 3), a) : 0.5 * log((1 + a) / (1 - a));
    const D at_end = a == 1 ? all(kInfinity) : all(__builtin_nan(""));
    return with_sign(a < 1 ? r : at_end, v);
  });
}
inline Vec<float> log1p(Vec<float> x) {
  return each(x, [](D v) {
    const D r =
        magnitude(v) < kSmall ? fused(v * v, fused(v, all(1.0 / 3), all(-0.5)), v) : log(1 + v);
    const D at_end = v == -1 ? all(-kInfinity) : v < -1 ? all(__builtin_nan("")) : v;
    return (v > -1) & (v < kInfinity) ? r : at_end;
  });
}
inline Vec<float> expm1(Vec<float> x) {
  return each(x, [](D v) {
    const D r = expm1(between(v, -100, 100));
    return v == 0 ? v : r;  // -0.0 stays
  });
}
// Where x is 0, or one is not finite, `special` is true and nothing is meant.
inline Vec<float> pow(Vec<float> x, Vec<float> y, Vec<int32_t>& special) {
  const auto zero = Vec<float>{};
  special = (x == 0) | (x - x != zero) | (y - y != zero);
  return each(x, y, [](D v, D w) {
    const D r = exp(between(w * log(magnitude(v)), -200, 200));
    constexpr double magic = 0x1.8p52;
    // Large floats are even integers.
    const D bounded = between(w, -0x1p50, 0x1p50), shifted = bounded + magic;
    const D odd = (D)((I)shifted << 63);
    const D negative = shifted - magic == bounded ? with_sign(r, odd) : all(__builtin_nan(""));
    return v < 0 ? negative : r;
  });
}

// Of squares of float32, which are 0 or from 1e-90 to 1e78, and NaN. AVX-512's roots of float64
// take twice as long as products: P. Markstein, "Software Division and Square Root Using
// Goldschmidt's Algorithms" (2004), whose last step gives roots that are float64 exactly.
[[gnu::always_inline]] inline D root_of_squares(D x) {
#if defined(__AVX512F__)
  const D about = (D)_mm512_maskz_rsqrt14_pd(
      _mm512_cmp_pd_mask((__m512d)x, _mm512_setzero_pd(), _CMP_NEQ_UQ), (__m512d)x);
  const D g = x * about, h = 0.5 * about, wrong = fused(-g, h, all(0.5));
  const D g1 = fused(g, wrong, g), h1 = fused(h, wrong, h);
  return fused(fused(-g1, g1, x), h1, g1);
#else
  return root(x);
#endif
}

// Squares of float32 are exact. An infinite number decides, beside a NaN too.
inline Vec<float> hypot(Vec<float> x, Vec<float> y) {
  const Vec<float> r = each(x, y, [](D a, D b) { return root_of_squares(fused(a, a, b * b)); });
  const Vec<float> infinity = Vec<float>{} + __builtin_inff();
  return (x == infinity) | (x == -infinity) | (y == infinity) | (y == -infinity) ? infinity : r;
}

}  // namespace serrate::cpu::SERRATE_ISA::wide
#endif
