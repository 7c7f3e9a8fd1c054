// The first item of a list that equals a value, by registers.
#pragma once

#include "cpu/isa/ragged_lanes.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace serrate::cpu::SERRATE_ISA {
namespace {

// One bit for each lane that is all ones, of vectors of 16, 32 or 64 bytes.
template <int lanes, class Mask>
[[gnu::always_inline]] inline unsigned lane_bits(Mask mask) {
  [[maybe_unused]] constexpr int size = sizeof(Mask) / lanes;
#if defined(__AVX512F__)
  if constexpr (sizeof(Mask) == 64 && size >= 4)
    return size == 4 ? _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask))
                     : _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(Mask) == 32 && size == 1)
    return static_cast<unsigned>(_mm256_movemask_epi8(reinterpret_cast<__m256i>(mask)));
  if constexpr (sizeof(Mask) == 32 && size == 2) {
    const __m256i m = reinterpret_cast<__m256i>(mask);
    return static_cast<unsigned>(_mm_movemask_epi8(
        _mm_packs_epi16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1))));
  }
  if constexpr (sizeof(Mask) == 32 && size >= 4)
    return static_cast<unsigned>(size == 4 ? _mm256_movemask_ps(reinterpret_cast<__m256>(mask))
                                           : _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(Mask) == 16 && size == 1)
    return static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(mask)));
  if constexpr (sizeof(Mask) == 16 && size == 2)
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_packs_epi16(reinterpret_cast<__m128i>(mask), __m128i{})));
  if constexpr (sizeof(Mask) == 16 && size >= 4)
    return static_cast<unsigned>(size == 4 ? _mm_movemask_ps(reinterpret_cast<__m128>(mask))
                                           : _mm_movemask_pd(reinterpret_cast<__m128d>(mask)));
#endif
  unsigned bits = 0;
  for (int i = 0; i < lanes; i++) bits |= static_cast<unsigned>(mask[i] & 1) << i;
  return bits;
}

#if defined(__AVX512F__)
// One bit for each of 64 items that equals.
template <class T>
[[gnu::always_inline]] inline uint64_t equal_bits(const T* p, __m512i same) {
  constexpr int lanes = 64 / sizeof(T);
  const auto of = [same](const T* q) -> uint64_t {
    const __m512i v = _mm512_loadu_si512(q);
    if constexpr (std::is_same_v<T, double>)
      return _mm512_cmp_pd_mask((__m512d)v, (__m512d)same, _CMP_EQ_OQ);
    else if constexpr (std::is_same_v<T, float>)
      return _mm512_cmp_ps_mask((__m512)v, (__m512)same, _CMP_EQ_OQ);
    else if constexpr (sizeof(T) == 8)
      return _mm512_cmpeq_epi64_mask(v, same);
    else if constexpr (sizeof(T) == 4)
      return _mm512_cmpeq_epi32_mask(v, same);
    else if constexpr (sizeof(T) == 2)
      return _mm512_cmpeq_epi16_mask(v, same);
    else
      return _mm512_cmpeq_epi8_mask(v, same);
  };
  uint64_t bits = 0;
#pragma GCC unroll 8
  for (int i = 0; i < 64; i += lanes) bits |= of(p + i) << i;
  return bits;
}
#endif
// The first item that equals among whole 64 items; else how many these are.
template <class T>
[[gnu::always_inline]] inline bool find_in_64([[maybe_unused]] const T* values,
                                              [[maybe_unused]] int64_t count,
                                              [[maybe_unused]] T value, int64_t& at) {
  at = 0;
#if defined(__AVX512F__)
  const auto same = (__m512i)(Vec<T, 64>{} + value);
  for (; at + 64 <= count; at += 64) {
    const uint64_t bits = equal_bits(values + at, same);
    if (bits == 0) continue;
    at += __builtin_ctzll(bits);
    return true;
  }
#endif
  return false;
}

// The first item equal to `value`; there is one.
template <class L, class T>
[[gnu::always_inline]] inline int64_t find(const T* values, int64_t count, T value) {
  int64_t k;
  if (find_in_64(values, count, value, k)) return k;
  const auto same = L::same(value);
  for (; k + L::kLanes <= count; k += L::kLanes) {
    const unsigned bits = lane_bits<L::kLanes>(L::get(values + k) == same);
    if (bits) return k + __builtin_ctz(bits);
  }
  while (values[k] != value) k++;
  return k;
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
