// Bytes that are 0 or 1 as bits, as Arrow has them: the first one is the lowest.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace serrate {

/// Adds up ones beside the bits: a population count is no instruction of the oldest processors.
class BitPacker {
 public:
  /// Sixteen bytes; the lowest bit is the first one's.
  uint64_t sixteen(const uint8_t* bytes) {
#if defined(__SSE2__)
    const __m128i zero = _mm_setzero_si128();
    const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    ones_ = _mm_add_epi64(ones_, _mm_sad_epu8(b, zero));
    return static_cast<uint64_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(b, zero)));
#else
    uint64_t words[2];
    std::memcpy(words, bytes, sizeof words);
    // Each byte's bit is moved to its place in the highest byte.
    constexpr uint64_t kGather = 0x0102040810204080u;
    const uint64_t bits = words[0] * kGather >> 56 | words[1] * kGather >> 56 << 8;
    ones_ += std::popcount(bits);
    return bits;
#endif
  }
  int64_t ones() const {
#if defined(__SSE2__)
    return _mm_cvtsi128_si64(ones_) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(ones_, ones_));
#else
    return ones_;
#endif
  }

 private:
#if defined(__SSE2__)
  __m128i ones_ = _mm_setzero_si128();
#else
  int64_t ones_ = 0;
#endif
};

/// Writes (n + 7) / 8 bytes, the last bits 0; gives how many are 1.
inline int64_t pack_bits(const uint8_t* bytes, int64_t n, uint8_t* out) {
  BitPacker packer;
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    uint64_t word = 0;
    for (int k = 0; k < 4; ++k) word |= packer.sixteen(bytes + i + 16 * k) << 16 * k;
    std::memcpy(out + i / 8, &word, sizeof word);
  }
  for (; i < n; i += 16) {
    uint8_t last[16] = {};
    const int64_t left = n - i < 16 ? n - i : 16;
    std::memcpy(last, bytes + i, static_cast<size_t>(left));
    const uint64_t bits = packer.sixteen(last);
    std::memcpy(out + i / 8, &bits, static_cast<size_t>((left + 7) / 8));
  }
  return packer.ones();
}

}  // namespace serrate
