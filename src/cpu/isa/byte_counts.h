// Bits that are set in each byte, with AVX2: those of half a byte are looked up in a register (W.
// Mula, N. Kurz, D. Lemire, "Faster Population Counts Using AVX2 Instructions", 2018).
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>

namespace serrate::cpu::SERRATE_ISA {

[[gnu::always_inline]] inline __m256i bits_of_bytes(__m256i v) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i four = _mm256_set1_epi8(15);
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(v, four));
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), four);
  return _mm256_add_epi8(low, _mm256_shuffle_epi8(table, upper));
}

}  // namespace serrate::cpu::SERRATE_ISA
#endif
