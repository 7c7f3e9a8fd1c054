// Masks as bits: 64 items a word, with the number of ones before each word.
#pragma once

#include "cpu/isa/byte_counts.h"
#include "cpu/isa/ragged_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef __clang__
// GCC 12 takes the undefined register that its own unmasked intrinsics begin with for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
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

// The same of bytes that are anything: which of them are not 0.
[[gnu::always_inline]] inline uint64_t nonzero_of_64(const uint8_t* values) {
#if defined(__AVX512BW__)
  return bits_of_64(values);
#elif defined(__AVX2__)
  const auto half = [](const uint8_t* v) {
    const __m256i zero =
        _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(v)), __m256i{});
    return static_cast<uint64_t>(~static_cast<uint32_t>(_mm256_movemask_epi8(zero)));
  };
  return half(values) | half(values + 32) << 32;
#else
  uint8_t mask[64];
  for (int k = 0; k < 64; k++) mask[k] = values[k] != 0;
  return bits_of_64(mask);
#endif
}

// The ones among the first items of a tile can be counted for any number of items.
struct BitTile {
  static constexpr int64_t kItems = 4096, kWords = kItems / 64;
  uint64_t bits[kWords + 2];
  int32_t before[kWords + 1];

  // `mask` has room for n rounded up to 64 (what is behind n is overwritten); n <= kItems.
  void set(uint8_t* mask, int64_t n) {
    const int64_t words = (n + 63) / 64;
    __builtin_memset(mask + n, 0, static_cast<size_t>(words * 64 - n));
    for (int64_t w = 0; w < words; w++) bits[w] = bits_of_64(mask + 64 * w);
    count(words);
  }
  // The same without writing to the mask, nor reading behind n.
  void set_const(const uint8_t* mask, int64_t n) {
    set_bits(mask, n, uint8_t{0}, [](const uint8_t* m) { return bits_of_64(m); });
  }
  // Bytes that are anything: those that are 0, or those that are not.
  template <bool zeros>
  void set_bytes(const uint8_t* values, int64_t n) {
    set_items<zeros>(values, n, [](const uint8_t* v) { return ~nonzero_of_64(v); });
  }
  // Items that are 0, or those that are not; of 64 zeros_of tells which are.
  template <bool zeros, class T, class Zeros>
  [[gnu::always_inline]] void set_items(const T* values, int64_t n, Zeros zeros_of) {
    set_bits(values, n, T(zeros), [=](const T* v) { return zeros ? zeros_of(v) : ~zeros_of(v); });
  }
  // Ones before item k, 0 <= k <= n.
  [[gnu::always_inline]] int64_t rank(int64_t k) const {
    const int64_t word = k >> 6;
    return before[word] + __builtin_popcountll(bits[word] & ((uint64_t{1} << (k & 63)) - 1));
  }

  // 64 items from item k on, 0 <= k <= n; zeros behind the last.
  [[gnu::always_inline]] uint64_t from(int64_t k) const {
    const int64_t word = k >> 6, shift = k & 63;
    return bits[word] >> shift | bits[word + 1] << 1 << (63 - shift);
  }

 private:
  template <class T, class Bits>
  [[gnu::always_inline]] void set_bits(const T* items, int64_t n, T other, Bits of_64) {
    int64_t words = n / 64;
    for (int64_t w = 0; w < words; w++) bits[w] = of_64(items + 64 * w);
    if (n % 64) {
      T rest[64];
      for (T& item : rest) item = other;
      __builtin_memcpy(rest, items + words * 64, sizeof(T) * static_cast<size_t>(n % 64));
      bits[words++] = of_64(rest);
    }
    count(words);
  }
  void count(int64_t words) {
    int32_t sum = 0;
    for (int64_t w = 0; w < words; w++) {
      before[w] = sum;
      sum += __builtin_popcountll(bits[w]);
    }
    before[words] = sum;
    bits[words] = bits[words + 1] = 0;
  }
};

#if defined(__AVX2__)
// Several lists that follow each other and have 64 items at most, each in a lane of one register.
struct ListBits {
  static constexpr int kLists = kNative / 8;

  // Whether off[0 .. kLists] are such lists.
  [[gnu::always_inline]] static bool fit(const int32_t* off) { return off[kLists] - off[0] <= 64; }

#if defined(__AVX512F__)
  using Words = __m512i;
  // Each list's items as the upper bits of its lane; `bits` are those from off[0] on.
  [[gnu::always_inline]] static Words of(uint64_t bits, const int32_t* off) {
    const __m512i begins = _mm512_cvtepi32_epi64(load<__m256i>(off));
    const __m512i ends = _mm512_cvtepi32_epi64(load<__m256i>(off + 1));
    const __m512i below = _mm512_sub_epi64(begins, _mm512_set1_epi64(off[0]));
    const __m512i above = _mm512_sub_epi64(_mm512_add_epi64(begins, _mm512_set1_epi64(64)), ends);
    return _mm512_sllv_epi64(
        _mm512_srlv_epi64(_mm512_set1_epi64(static_cast<int64_t>(bits)), below), above);
  }
  // The items before each list.
  [[gnu::always_inline]] static Words before(uint64_t bits, const int32_t* off) {
    const __m512i begins = _mm512_cvtepi32_epi64(load<__m256i>(off));
    const __m512i above = _mm512_sub_epi64(_mm512_set1_epi64(int64_t{off[0]} + 64), begins);
    return _mm512_sllv_epi64(_mm512_set1_epi64(static_cast<int64_t>(bits)), above);
  }
  // The ones in each lane: of each four bits by a table, then all of a lane together.
  [[gnu::always_inline]] static Words ones(Words words) {
    const __m512i table =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i four = _mm512_set1_epi8(15);
    const __m512i low = _mm512_shuffle_epi8(table, _mm512_and_si512(words, four));
    const __m512i high =
        _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(words, 4), four));
    return _mm512_sad_epu8(_mm512_add_epi8(low, high), __m512i{});
  }
  // The lanes as 32-bit numbers.
  [[gnu::always_inline]] static auto narrow(Words words) {
    return (Vec<int32_t, 32>)_mm512_cvtepi64_epi32(words);
  }
  // 1 for each list that has a one, 0 for others.
  [[gnu::always_inline]] static uint64_t any(Words words) {
    const __m128i all = _mm_movm_epi8(_mm512_test_epi64_mask(words, words));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(all)) & 0x0101010101010101;
  }
  using Bytes = uint64_t;
#else
  using Words = __m256i;
  [[gnu::always_inline]] static Words of(uint64_t bits, const int32_t* off) {
    const __m256i begins = _mm256_cvtepi32_epi64(load<__m128i>(off));
    const __m256i ends = _mm256_cvtepi32_epi64(load<__m128i>(off + 1));
    const __m256i below = _mm256_sub_epi64(begins, _mm256_set1_epi64x(off[0]));
    const __m256i above = _mm256_sub_epi64(_mm256_add_epi64(begins, _mm256_set1_epi64x(64)), ends);
    return _mm256_sllv_epi64(
        _mm256_srlv_epi64(_mm256_set1_epi64x(static_cast<int64_t>(bits)), below), above);
  }
  [[gnu::always_inline]] static Words before(uint64_t bits, const int32_t* off) {
    const __m256i begins = _mm256_cvtepi32_epi64(load<__m128i>(off));
    const __m256i above = _mm256_sub_epi64(_mm256_set1_epi64x(int64_t{off[0]} + 64), begins);
    return _mm256_sllv_epi64(_mm256_set1_epi64x(static_cast<int64_t>(bits)), above);
  }
  [[gnu::always_inline]] static Words ones(Words words) {
    return _mm256_sad_epu8(bits_of_bytes(words), __m256i{});
  }
  [[gnu::always_inline]] static auto narrow(Words words) {
    const __m256i even =
        _mm256_permutevar8x32_epi32(words, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    return (Vec<int32_t, 16>)_mm256_castsi256_si128(even);
  }
  [[gnu::always_inline]] static uint32_t any(Words words) {
    const auto none = static_cast<uint32_t>(
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(words, __m256i{}))));
    return (none ^ 15) * 0x204081 & 0x01010101;  // bit i becomes byte i
  }
  using Bytes = uint32_t;
#endif
};
#endif

}  // namespace serrate::cpu::SERRATE_ISA
