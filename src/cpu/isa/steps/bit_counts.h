// Bits that are set, with AVX2: those of bytes, added up.
#pragma once

#include "cpu/isa/byte_counts.h"
#include "cpu/isa/masks.h"
#include "cpu/isa/rows.h"
#include "cpu/program/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

/// Which rows these are, a loop and a step of them.
template <Op O, class T>
inline constexpr bool kCountsBits =
#if defined(__AVX2__) && !defined(__AVX512F__)
    O == Op::bitwise_count&& std::is_integral_v<T>;
#else
    false;
#endif
template <class T>
void bit_counts_loop(const char* x, const char*, char* out, int64_t steps);
template <class T>
void bit_counts_step(const Instruction* ip, char* const* mem);

#if defined(__AVX2__) && !defined(__AVX512F__)
/// Of each lane.
template <class T>
[[gnu::always_inline]] inline Mask bits_of_lanes(Vec<T> x) {
  if constexpr (std::is_signed_v<T>) x = x < 0 ? -x : x;
  const __m256i bytes = bits_of_bytes((__m256i)x);
  if constexpr (sizeof(T) == 1) return (Mask)bytes;
  if constexpr (sizeof(T) == 8) return (Mask)_mm256_sad_epu8(bytes, _mm256_setzero_si256());
  const __m256i pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
  if constexpr (sizeof(T) == 2) return (Mask)pairs;
  return (Mask)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/// Of the items of a block.
template <class T, size_t... R>
[[gnu::always_inline]] inline void bits_of_block(const char* x, char* out,
                                                 std::index_sequence<R...>) {
  save(out, in_order<int(sizeof(T))>(narrowed(bits_of_lanes<T>(load<T>(x + R * kBytes))...)));
}
template <class T>
void bit_counts_loop(const char* x, const char*, char* out, int64_t steps) {
  for (; steps > 0; steps--, x += kBytes * sizeof(T), out += kBytes)
    bits_of_block<T>(x, out, Registers<T>());
}
template <class T>
void bit_counts_step(const Instruction* ip, char* const* mem) {
  bits_of_block<T>(mem[ip->a], mem[ip->out], Registers<T>());
  return next_loop(ip, mem);
}
#endif

}  // namespace serrate::cpu::SERRATE_ISA
