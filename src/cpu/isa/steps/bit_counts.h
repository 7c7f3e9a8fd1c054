// Bits that are set, with AVX2: those of half a byte are looked up in a register, then added up
// (W. Mula, N. Kurz, D. Lemire, "Faster Population Counts Using AVX2 Instructions", 2018).
#pragma once

#include "cpu/isa/masks.h"
#include "cpu/isa/rows.h"
#include "cpu/program/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

#if defined(__AVX2__) && !defined(__AVX512F__)
/// Of each lane.
template <class T>
[[gnu::always_inline]] inline Mask bits_of_lanes(Vec<T> x) {
  if constexpr (std::is_signed_v<T>) x = x < 0 ? -x : x;
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i four = _mm256_set1_epi8(15), one = _mm256_set1_epi8(1), v = (__m256i)x;
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(v, four));
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), four);
  const __m256i bytes = _mm256_add_epi8(low, _mm256_shuffle_epi8(table, upper));
  if constexpr (sizeof(T) == 1) return (Mask)bytes;
  if constexpr (sizeof(T) == 8) return (Mask)_mm256_sad_epu8(bytes, _mm256_setzero_si256());
  const __m256i pairs = _mm256_maddubs_epi16(bytes, one);
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
/// As a step of a program.
template <class T>
void bit_counts_step(const Instruction* ip, char* const* mem) {
  bits_of_block<T>(mem[ip->a], mem[ip->out], Registers<T>());
  return next_loop(ip, mem);
}
template <Op O, class T>
inline constexpr bool kCountsBits = O == Op::bitwise_count&& std::is_integral_v<T>;
#else
template <Op O, class T>
inline constexpr bool kCountsBits = false;
#endif

}  // namespace serrate::cpu::SERRATE_ISA
