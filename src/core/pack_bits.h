// Bytes that are 0 or 1 as bits, as Arrow has them: the first one is the lowest.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace serrate {

inline uint16_t sixteen_bits(const uint8_t* bytes) {
#if defined(__SSE2__)
  const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return static_cast<uint16_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(b, _mm_setzero_si128())));
#else
  uint64_t words[2];
  std::memcpy(words, bytes, sizeof words);
  // Each byte's bit is moved to its place in the highest byte.
  constexpr uint64_t kGather = 0x0102040810204080u;
  return static_cast<uint16_t>(words[0] * kGather >> 56 | words[1] * kGather >> 56 << 8);
#endif
}

/// Writes (n + 7) / 8 bytes, the last bits 0; gives how many are 1.
inline int64_t pack_bits(const uint8_t* bytes, int64_t n, uint8_t* out) {
  int64_t ones = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    uint64_t word = 0;
    for (int k = 3; k >= 0; --k) word = word << 16 | sixteen_bits(bytes + i + 16 * k);
    std::memcpy(out + i / 8, &word, sizeof word);
    ones += std::popcount(word);
  }
  for (; i < n; i += 16) {
    uint8_t last[16] = {};
    const int64_t left = n - i < 16 ? n - i : 16;
    std::memcpy(last, bytes + i, static_cast<size_t>(left));
    const uint16_t bits = sixteen_bits(last);
    std::memcpy(out + i / 8, &bits, static_cast<size_t>((left + 7) / 8));
    ones += std::popcount(bits);
  }
  return ones;
}

}  // namespace serrate
