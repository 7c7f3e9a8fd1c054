// Registers of masks, or of small numbers, as one register of bytes: with SSE2 and AVX2. AVX-512
// has masks of bits.
#pragma once

#include <cstdint>

#if defined(__SSE2__) && !defined(__AVX512BW__)
#include <immintrin.h>

namespace serrate::cpu::SERRATE_ISA {

#if defined(__AVX2__)
typedef int64_t Mask __attribute__((vector_size(32)));
#else
typedef int64_t Mask __attribute__((vector_size(16)));
#endif

/// The lower halves of all lanes: of a register, or of each half of two, first x, then y.
[[gnu::always_inline]] inline Mask narrowed_8(Mask x, Mask y) {
#if defined(__AVX2__)
  return (Mask)_mm256_shuffle_ps((__m256)x, (__m256)y, 0x88);
#else
  return (Mask)_mm_shuffle_ps((__m128)x, (__m128)y, 0x88);
#endif
}
[[gnu::always_inline]] inline Mask narrowed_4(Mask x, Mask y) {
#if defined(__AVX2__)
  return (Mask)_mm256_packs_epi32((__m256i)x, (__m256i)y);
#else
  return (Mask)_mm_packs_epi32((__m128i)x, (__m128i)y);
#endif
}
[[gnu::always_inline]] inline Mask narrowed_2(Mask x, Mask y) {
#if defined(__AVX2__)
  return (Mask)_mm256_packs_epi16((__m256i)x, (__m256i)y);
#else
  return (Mask)_mm_packs_epi16((__m128i)x, (__m128i)y);
#endif
}

/// The registers' lanes as bytes. With AVX2 the items of lower halves come first; in the result as
/// many items of one register stand together as half of it has.
[[gnu::always_inline]] inline Mask narrowed(Mask a) { return a; }
[[gnu::always_inline]] inline Mask narrowed(Mask a, Mask b) { return narrowed_2(a, b); }
[[gnu::always_inline]] inline Mask narrowed(Mask a, Mask b, Mask c, Mask d) {
  return narrowed_2(narrowed_4(a, b), narrowed_4(c, d));
}
[[gnu::always_inline]] inline Mask narrowed(Mask a, Mask b, Mask c, Mask d, Mask e, Mask f, Mask g,
                                            Mask h) {
  return narrowed(narrowed_8(a, b), narrowed_8(c, d), narrowed_8(e, f), narrowed_8(g, h));
}
template <int registers>
[[gnu::always_inline]] inline Mask in_order(Mask bytes) {
#if defined(__AVX2__)
  const __m256i m = (__m256i)bytes;
  if constexpr (registers == 2) return (Mask)_mm256_permute4x64_epi64(m, 0xd8);
  if constexpr (registers == 4)
    return (Mask)_mm256_permutevar8x32_epi32(m, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  if constexpr (registers == 8) {
    const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0,
                                           1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    return (Mask)_mm256_shuffle_epi8(_mm256_permute4x64_epi64(m, 0xd8), pairs);
  }
#endif
  return bytes;
}

}  // namespace serrate::cpu::SERRATE_ISA
#endif
