// Masks that comparisons leave in registers, as bytes 0 or 1: what boolean items are in memory.
#pragma once

#include "cpu/isa/narrowed.h"
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
