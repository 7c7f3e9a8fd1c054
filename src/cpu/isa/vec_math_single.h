// Functions of float32 that are computed in float32, with what is lost carried along.
#pragma once

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

}  // namespace serrate::cpu::SERRATE_ISA::single
#endif
