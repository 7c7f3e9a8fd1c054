// x ** y of float64, for AVX2 and AVX-512: a logarithm of 64 digits, times y, and its exponential.
#pragma once

#include "cpu/isa/vec_math_precise.h"
#include "cpu/isa/vec_math_tables.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA::precise {

// log(m) = log(m * factor) + log_high + log_low, for one of 16 factors that brings m near 1; 1
// itself around 1. log_high is a multiple of 2**-33, as kLn2High is: multiples of both add up
// exactly.
inline constexpr int kFactors = 16;
#if defined(__AVX512F__)
struct FactorTable {
  alignas(64) double factor[kFactors], log_high[kFactors], log_low[kFactors];
};
#else
struct FactorTable {
  alignas(32) double of[kFactors][4];
};
#endif
struct FactorOfLane {
  D factor, log_high, log_low;

  [[gnu::always_inline]] explicit FactorOfLane(I lane);
};

inline constexpr double kFactorOf[kFactors] = {
    1.3333333730697632, 1.2799999713897705, 1.2307692766189575,
    1.185185194015503,  1.1428571939468384, 1.1034482717514038,
    1.0666667222976685, 1.0322580337524414, 1.0,
    0.9411764740943909, 0.8888888955116272, 0.8421052694320679,
    0.800000011920929,  0.761904776096344,  0.7272727489471436,
    0.695652186870575};
inline constexpr double kLogHigh[kFactors] = {
    -0.28768210229463875, -0.24686005560215563, -0.2076394020114094,
    -0.1698990442091599,  -0.13353143737185746, -0.09844006912317127,
    -0.06453857326414436, -0.03174866852350533, 0.0,
    0.0606246180832386,   0.11778302816674113,  0.17185024952050298,
    0.22314353636465967,  0.2719336968148127,   0.3184537013294175,
    0.36290547507815063};
inline constexpr double kLogLow[kFactors] = {
    4.053588189198642e-11,   2.237186850718661e-11,  -1.973739045159279e-11,
    -3.6818131389814016e-11, 4.385225882488709e-11,  3.520905539156565e-11,
    -2.7489629097428392e-11, 1.1247860713289286e-11, 0.0,
    7.905949373015644e-12,   3.906175263433541e-11,  -4.442433135192689e-11,
    4.8389005925864514e-11,  4.23777201725147e-11,   -1.3204854517818606e-11,
    -1.5233495696653942e-11};

inline constexpr FactorTable kFactorTable = [] {
  FactorTable t{};
  for (int i = 0; i < kFactors; i++) {
#if defined(__AVX512F__)
    t.factor[i] = kFactorOf[i], t.log_high[i] = kLogHigh[i], t.log_low[i] = kLogLow[i];
#else
    t.of[i][0] = kFactorOf[i], t.of[i][1] = kLogHigh[i], t.of[i][2] = kLogLow[i];
#endif
  }
  return t;
}();

// The lowest four bits of a lane say which.
inline FactorOfLane::FactorOfLane(I lane) {
#if defined(__AVX512F__)
  const auto look_up = [&](const double* table) {
    return (D)_mm512_permutex2var_pd(_mm512_load_pd(table), (__m512i)lane,
                                     _mm512_load_pd(table + 8));
  };
  factor = look_up(kFactorTable.factor);
  log_high = look_up(kFactorTable.log_high);
  log_low = look_up(kFactorTable.log_low);
#else
  // Rows, transposed: four loads cost less than three gathers.
  const auto row = [&](int i) {
    return _mm256_load_pd(kFactorTable.of[static_cast<uint64_t>(lane[i]) % kFactors]);
  };
  const __m256d a = row(0), b = row(1), c = row(2), d = row(3);
  const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
  factor = (D)_mm256_permute2f128_pd(ab, cd, 0x20);
  log_low = (D)_mm256_permute2f128_pd(ab, cd, 0x31);
  log_high = (D)_mm256_permute2f128_pd(_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d), 0x20);
#endif
}

inline constexpr double kThird = 1.0 / 3;
// The logarithm of positive normal numbers, to a relative error of 2**-63.
[[gnu::always_inline]] inline Pair log_pair(D x) {
  constexpr int64_t least = 0x3fe7800000000000, one = 0x3ff0000000000000;
  const Vec<uint64_t> bits = (Vec<uint64_t>)x + static_cast<uint64_t>(one - least);
  const D k = (D)((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  const D m = (D)((I)(bits & 0x000fffffffffffff) + least);
  const FactorOfLane t((I)(bits >> 48));
  const Pair scaled = product(m, t.factor);
  const Pair r = sum(scaled.high - 1, scaled.low);
  const D whole = fused(k, all(kLn2High), t.log_high);  // exact
  const D rest = fused(k, all(kLn2Low), t.log_low);
  const D f = r.high, f2 = f * f, f4 = f2 * f2;
  D p = fused(fused(all(-0.10021098322439778), f, all(0.11111082649730848)), f2,
              fused(all(-0.12499981219854003), f, all(0.14285714300751934)));
  p = fused(p, f2, fused(all(-0.16666666673481959), f, all(0.19999999999996584)));
  p = fused(all(0.09115205914946932) * f4, f2, p);
  // The first term of the third order as a pair, too: near 1 its last digits matter.
  p = fused(p, f, all(-0.2499999999999918));
  const D half = 0.5 * f2, f2_low = fused(f, f, -f2), f3 = f2 * f;
  const D third = f3 * kThird, third_low = fused(f3, all(kThird), -third);
  const Pair a = sum(whole, f), b = sum(a.high, -half), c = sum(b.high, third);
  const D f3_low = fused(f2, f, -f3);
  D little = fused(-f, r.low, fused(all(-0.5), f2_low, r.low) + rest);
  little = fused(fused(f2_low, f, f3_low), all(kThird), third_low + little);
  return sum(c.high, fused(f4, p, (a.low + b.low) + (c.low + little)));
}

// Up to here the lowest bit behind the point tells whether a number is odd.
inline constexpr double kMostParity = 0x1p50;
// Where `special` is true another has to find out: x is no positive normal number, y is large, or,
// without AVX-512, the result is large or small.
inline D pow(D x, D y, I& special) {
  const D a = magnitude(x);
  const Pair l = log_pair(a);
  const Pair v = product(y, l.high);
  const D low = fused(y, l.low, v.low), exponent = magnitude(v.high);
  special = (a < 0x1p-1022) | !(a < kInfinity) | (magnitude(y) > kMostParity);
#if defined(__AVX512F__)
  special |= !(exponent < 0x1p40);  // of which what is left is small
  const D size = tables::exp_of_sum(tables::at_least(at_most(v.high, 800), -800), low);
#else
  special |= !(exponent < 700);
  const Powers e({v.high, low});
  const Pair part = e.less_one(), r = sum(all(1), part.high);
  const D size = e.power(0) * (r.high + (r.low + part.low));
#endif
  constexpr double magic = 0x1.8p52;
  const D shifted = y + magic;
  const D negative = shifted - magic == y ? with_sign(size, (D)((I)shifted << 63)) : all(kNan);
  return x < 0 ? negative : size;
}

// Zeros to powers of up to kMostParity, with the sign of x where y is odd.
inline D pow_of_zero(D x, D y) {
  constexpr double magic = 0x1.8p52;
  const D shifted = y + magic, size = y > 0 ? all(0) : y < 0 ? all(kInfinity) : all(1);
  const I odd = (shifted - magic == y) & ((I)shifted << 63 != 0);
  return odd ? with_sign(size, (D)((I)x & INT64_MIN)) : size;
}

}  // namespace serrate::cpu::SERRATE_ISA::precise
#endif
