// Masks that comparisons leave in registers, as bytes 0 or 1: what boolean items are in memory.
#pragma once

#include "cpu/isa/vec.h"

namespace serrate::cpu::SERRATE_ISA {

#if defined(__AVX512BW__)
/// The lowest lanes of a mask as bits.
template <class M>
[[gnu::always_inline]] inline uint64_t lane_bits(M mask) {
  const __m512i m = (__m512i)mask;
  constexpr int lanes = kBytes / int(sizeof(mask[0]));
  if constexpr (lanes == 8) return _mm512_movepi64_mask(m);
  if constexpr (lanes == 16) return _mm512_movepi32_mask(m);
  if constexpr (lanes == 32) return _mm512_movepi16_mask(m);
  if constexpr (lanes == 64) return _mm512_movepi8_mask(m);
}
#elif defined(__SSE2__)
using Mask = Vec<int64_t>;

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
#endif

/// All-ones or all-zeros lanes of the registers to bytes 0 or 1, in their order. Not through
/// memory: a register can't be read while parts of it are still being written.
template <class... M>
[[gnu::always_inline]] inline Vec<uint8_t> bytes_of(M... masks) {
#if defined(__AVX512BW__)
  constexpr int lanes = kBytes / int(sizeof...(M));
  uint64_t bits = 0;
  int at = 0;
  ((bits |= lane_bits(masks) << at, at += lanes), ...);
  return (Vec<uint8_t>)_mm512_maskz_set1_epi8(bits, 1);
#elif defined(__SSE2__)
  return (Vec<uint8_t>)in_order<int(sizeof...(M))>(narrowed((Mask)masks...)) & 1;
#else
  constexpr int lanes = kBytes / int(sizeof...(M));
  typedef int8_t Part __attribute__((vector_size(lanes)));
  alignas(64) char bytes[kItems];
  int at = 0;
  const auto put = [&](auto mask) {
    const Part b = __builtin_convertvector(mask, Part) & 1;
    memcpy(bytes + at, &b, sizeof b);
    at += lanes;
  };
  (put(masks), ...);
  return load<uint8_t>(bytes);
#endif
}

}  // namespace serrate::cpu::SERRATE_ISA
