// The lanes of a register that a mask has, moved to its front: for files of an instruction set.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>

#include <array>
#include <cstdint>
#include <type_traits>

namespace serrate::cpu::SERRATE_ISA {

/// The lanes of eight whose bits are set, a byte each, then the others. A table, as pext takes 18
/// cycles or more on AMD's first two Zen generations.
inline constexpr auto kLanesFirst = [] {
  std::array<uint64_t, 256> table{};
  for (unsigned mask = 0; mask < 256; mask++) {
    int at = 0;
    for (const unsigned bit : {1u, 0u})
      for (unsigned lane = 0; lane < 8; lane++)
        if ((mask >> lane & 1) == bit) table[mask] |= uint64_t{lane} << (8 * at++);
  }
  return table;
}();

/// Those of a mask, in the first half of a register.
[[gnu::always_inline]] inline __m128i lanes_first(unsigned mask) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kLanesFirst[mask]));
}

#if defined(__AVX512F__)
/// A bit for each item of `size` bytes.
template <int size>
using LaneMask = std::conditional_t<
    size == 8, __mmask8,
    std::conditional_t<size == 4, __mmask16, std::conditional_t<size == 2, __mmask32, __mmask64>>>;

/// Items of `size` bytes, zeros behind them. Of 1 and 2 bytes not every CPU of this instruction set
/// has it: callers ask compresses_16_bits().
template <int size>
[[gnu::always_inline]] inline __m512i compressed(LaneMask<size> mask, __m512i v) {
  __m512i out;
  if constexpr (size == 8)
    out = _mm512_maskz_compress_epi64(mask, v);
  else if constexpr (size == 4)
    out = _mm512_maskz_compress_epi32(mask, v);
  else if constexpr (size == 2)
    asm("vpcompressw %1, %0 %{%2%}%{z%}" : "=v"(out) : "v"(v), "Yk"(mask));
  else
    asm("vpcompressb %1, %0 %{%2%}%{z%}" : "=v"(out) : "v"(v), "Yk"(mask));
  return out;
}
#else
/// The lanes of four of 64 bits, each as two of 32, that are set, then the others.
struct HalvesFirst {
  alignas(64) int32_t of[16][8];
  constexpr HalvesFirst() : of() {
    for (unsigned mask = 0; mask < 16; mask++) {
      int at = 0;
      for (const unsigned bit : {1u, 0u})
        for (int lane = 0; lane < 4; lane++) {
          if ((mask >> lane & 1) != bit) continue;
          of[mask][at++] = 2 * lane;
          of[mask][at++] = 2 * lane + 1;
        }
    }
  }
};
inline constexpr HalvesFirst kHalvesFirst;

/// Items of 4 or 8 bytes, the others behind them.
template <int size>
[[gnu::always_inline]] inline __m256i compressed(unsigned mask, __m256i v) {
  static_assert(size == 4 || size == 8);
  __m256i from;
  if constexpr (size == 4)
    from = _mm256_cvtepu8_epi32(lanes_first(mask));
  else
    from = _mm256_load_si256(reinterpret_cast<const __m256i*>(kHalvesFirst.of[mask]));
  return _mm256_permutevar8x32_epi32(v, from);
}
#endif

}  // namespace serrate::cpu::SERRATE_ISA
#endif
