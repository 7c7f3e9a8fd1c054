// Which of 64 items are zero, as bits.
#pragma once

#include "cpu/isa/ragged_bits.h"
#include "cpu/isa/ragged_find.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

#if defined(__AVX2__) && !defined(__AVX512F__)
// Lanes that are 0, all ones.
template <class T>
[[gnu::always_inline]] inline __m256i zeros_of_register(const T* p) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m256i zero = _mm256_setzero_si256();
  if constexpr (std::is_same_v<T, double>)
    return (__m256i)_mm256_cmp_pd((__m256d)v, (__m256d)zero, _CMP_EQ_OQ);
  else if constexpr (std::is_same_v<T, float>)
    return (__m256i)_mm256_cmp_ps((__m256)v, (__m256)zero, _CMP_EQ_OQ);
  else if constexpr (sizeof(T) == 8)
    return _mm256_cmpeq_epi64(v, zero);
  else if constexpr (sizeof(T) == 4)
    return _mm256_cmpeq_epi32(v, zero);
  else
    return _mm256_cmpeq_epi16(v, zero);
}

// Of 32 items: lanes become bytes by packing, which works on halves of registers; these are put
// in order once, at the end.
template <class T>
[[gnu::always_inline]] inline uint64_t zeros_of_32(const T* p) {
  const auto at = [p](int i) { return zeros_of_register(p + i * (32 / int(sizeof(T)))); };
  const auto four = [&](int i) {  // registers of 4-byte lanes
    if constexpr (sizeof(T) == 8)
      return (__m256i)_mm256_shuffle_ps((__m256)at(2 * i), (__m256)at(2 * i + 1), 0x88);
    else
      return at(i);
  };
  __m256i bytes;
  if constexpr (sizeof(T) == 2)
    bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(at(0), at(1)), 0xd8);
  else
    bytes = _mm256_packs_epi16(_mm256_packs_epi32(four(0), four(1)),
                               _mm256_packs_epi32(four(2), four(3)));
  if constexpr (sizeof(T) == 4)
    bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  if constexpr (sizeof(T) == 8) {
    const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0,
                                           1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    bytes = _mm256_shuffle_epi8(_mm256_permute4x64_epi64(bytes, 0xd8), pairs);
  }
  return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
}
#endif

// NaN is not.
template <class T>
[[gnu::always_inline]] inline uint64_t zeros_of_64(const T* p) {
#if defined(__AVX512F__)
  return equal_bits(p, _mm512_setzero_si512());
#elif defined(__AVX2__)
  return zeros_of_32(p) | zeros_of_32(p + 32) << 32;
#else
  uint8_t mask[64];
  for (int k = 0; k < 64; k++) mask[k] = p[k] == T(0);
  return bits_of_64(mask);
#endif
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
