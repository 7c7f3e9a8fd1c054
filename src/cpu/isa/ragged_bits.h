// Masks as bits: 64 items a word, with the number of ones before each word.
#pragma once

#include "cpu/isa/ragged_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace serrate::cpu::SERRATE_ISA {

// The bits of 64 mask bytes that are 0 or 1.
[[gnu::always_inline]] inline uint64_t bits_of_64(const uint8_t* mask) {
#if defined(__AVX512BW__)
  const __m512i v = _mm512_loadu_si512(mask);
  return _mm512_test_epi8_mask(v, v);
#elif defined(__AVX2__)
  // A shift by 7 moves each 0 or 1 to the sign bit of its byte.
  const auto half = [](const uint8_t* m) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(m));
    return static_cast<uint64_t>(
        static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(v, 7))));
  };
  return half(mask) | half(mask + 32) << 32;
#else
  // The product gathers the eight bytes' low bits in the top byte.
  uint64_t bits = 0;
  for (int b = 0; b < 8; b++)
    bits |= (load<uint64_t>(mask + 8 * b) * 0x0102040810204080u >> 56) << (8 * b);
  return bits;
#endif
}

// The ones among the first items of a tile can be counted for any number of items.
struct BitTile {
  static constexpr int64_t kItems = 4096, kWords = kItems / 64;
  uint64_t bits[kWords + 1];
  int32_t before[kWords + 1];

  // `mask` has room for n rounded up to 64 (what is behind n is overwritten); n <= kItems.
  void set(uint8_t* mask, int64_t n) {
    const int64_t words = (n + 63) / 64;
    __builtin_memset(mask + n, 0, static_cast<size_t>(words * 64 - n));
    fill(mask, words);
  }
  // The same without writing to the mask, nor reading behind n.
  void set_const(const uint8_t* mask, int64_t n) {
    const int64_t whole = n / 64;
    fill(mask, whole);
    if (n % 64) {
      uint8_t rest[64] = {};
      __builtin_memcpy(rest, mask + whole * 64, static_cast<size_t>(n % 64));
      bits[whole] = bits_of_64(rest);
      if (whole + 1 <= kWords) {
        before[whole + 1] = before[whole] + __builtin_popcountll(bits[whole]);
        bits[whole + 1] = 0;
      }
    }
  }
  // Ones before item k, 0 <= k <= n.
  [[gnu::always_inline]] int64_t rank(int64_t k) const {
    const int64_t word = k >> 6;
    return before[word] + __builtin_popcountll(bits[word] & ((uint64_t{1} << (k & 63)) - 1));
  }

 private:
  void fill(const uint8_t* mask, int64_t words) {
    int32_t sum = 0;
    for (int64_t w = 0; w < words; w++) {
      before[w] = sum;
      bits[w] = bits_of_64(mask + 64 * w);
      sum += __builtin_popcountll(bits[w]);
    }
    before[words] = sum;
    bits[words] = 0;
  }
};

}  // namespace serrate::cpu::SERRATE_ISA
