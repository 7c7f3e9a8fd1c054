// Which of 64 items are zero, as bits.
#pragma once

#include <utility>

#include "cpu/isa/narrowed.h"
#include "cpu/isa/ragged_bits.h"
#include "cpu/isa/ragged_find.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

#if defined(__SSE2__) && !defined(__AVX512F__)
// As many items as a register has bytes.
template <class T, size_t... R>
[[gnu::always_inline]] inline uint64_t zeros_of_bytes(const T* p, std::index_sequence<R...>) {
  using V = Vec<T, sizeof(Mask)>;
  constexpr int lanes = sizeof(V) / sizeof(T);
  const Mask bytes = in_order<int(sizeof(T))>(narrowed((Mask)(load<V>(p + R * lanes) == V{})...));
#if defined(__AVX2__)
  return static_cast<uint32_t>(_mm256_movemask_epi8((__m256i)bytes));
#else
  return static_cast<uint32_t>(_mm_movemask_epi8((__m128i)bytes));
#endif
}
#endif

// NaN is not.
template <class T>
[[gnu::always_inline]] inline uint64_t zeros_of_64(const T* p) {
#if defined(__AVX512F__)
  return equal_bits(p, _mm512_setzero_si512());
#elif defined(__SSE2__)
  constexpr int at_once = sizeof(Mask);
  uint64_t bits = 0;
#pragma GCC unroll 4
  for (int k = 0; k < 64; k += at_once)
    bits |= zeros_of_bytes(p + k, std::make_index_sequence<sizeof(T)>()) << k;
  return bits;
#else
  uint8_t mask[64];
  for (int k = 0; k < 64; k++) mask[k] = p[k] == T(0);
  return bits_of_64(mask);
#endif
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
