// The lanes of a register that a mask has, moved to its front: for files of an instruction set.
// instruction set.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>

#include <type_traits>

namespace serrate::cpu::SERRATE_ISA {

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

}  // namespace serrate::cpu::SERRATE_ISA
#endif
