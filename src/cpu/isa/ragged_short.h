// Folds of short lists, as many at once as a register has lanes: no branch depends on a length.
// Where a fold stops at the first extreme item, the place of that item too.
#pragma once

#include "cpu/isa/ragged_lanes.h"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace serrate::cpu::SERRATE_ISA {

// Each list of up to 8 items becomes the lanes of a vector; the tree of Lanes is climbed by all
// lists together, each step halves the number of vectors.
template <class Op, class A>
struct ShortLists {
  static constexpr int kLists = 64 / sizeof(A), kLongest = 8;
  using Vector = Vec<A, 64>;
  using Ints = Vec<int32_t, 4 * kLists>;
  // A tree never takes a NaN from below: where comparing drops it, it has to be dropped first.
  static constexpr bool kCompares = __is_same(Op, Min) || __is_same(Op, Max);

  // Whole rows can be read at the lists' beginnings. A few longer lists are left to `other`; with
  // more of them nothing is done, and false returned.
  template <class Other>
  [[gnu::always_inline]] static bool fold(const A* values, const int32_t* off, A* acc,
                                          Other other) {
    uint32_t longer = above(counts_of(off), kLongest);
    if ((above(counts_of(off), 0) & ~longer) == 0) {  // nothing to do together
      for (; longer != 0; longer &= longer - 1) {
        const int i = __builtin_ctz(longer);
        acc[i] = Op::step(other(i), acc[i]);
      }
      return true;
    }
    if (__builtin_popcount(longer) > kLists / 4) return false;
    const Vector before = load<Vector>(acc);
    Vector items[8];
    get(values, off, items);
    store(acc, Op::step(tree(items), before));
    if (longer != 0) {
      alignas(64) A kept[kLists];
      store(kept, before);
      do {
        const int i = __builtin_ctz(longer);
        acc[i] = Op::step(other(i), kept[i]);
      } while ((longer &= longer - 1) != 0);
    }
    return true;
  }

  // The extreme item of each list and its index; an empty list keeps what it has. Nothing is done,
  // and false returned, also where something of a list is known already, and where one begins with
  // NaN: comparing would pass it over.
  template <class Other>
  [[gnu::always_inline]] static bool argument(const A* values, const int32_t* off, A* acc,
                                              int64_t* index, Other other) {
    uint32_t longer = above(counts_of(off), kLongest);
    if ((above(counts_of(off), 0) & ~longer) == 0) {
      for (; longer != 0; longer &= longer - 1) other(__builtin_ctz(longer));
      return true;
    }
    uint32_t rare = __builtin_popcount(longer) > kLists / 4 ? 1 : 0;
    for (int i = 0; i < kLists; i += 8)
      rare |= _mm512_movepi64_mask(load<__m512i>(index + i)) ^ 0xffu;
    Vector items[8];
    uint32_t nan = 0;
    get(values, off, items, nan);
    if (nan != 0) [[unlikely]] {
      for (int i = 0; i < kLists; i++)
        rare |= (off[i + 1] > off[i]) & (values[off[i]] != values[off[i]]);
      for (int i = 0; i < 8; i++) items[i] = clean((__m512i)items[i]);
    }
    if (rare != 0) [[unlikely]]
      return false;
    store(acc, tree(items));
    for (int i = 0; i < kLists; i += 8) {
      uint64_t same = 0;
#pragma GCC unroll 8
      for (int j = 0; j < 8; j++)
        same |= uint64_t{lanes_equal(values + off[i + j], acc[i + j])} << (8 * j);
      store(index + i, first_bits(same, off + i));
    }
    for (; longer != 0; longer &= longer - 1) {
      const int i = __builtin_ctz(longer);
      index[i] = -1;
      other(i);
    }
    return true;
  }

  // Bit k of the result: items[k] == value, for 8 items.
  [[gnu::always_inline]] static uint32_t lanes_equal(const A* items, A value) {
    if constexpr (__is_same(A, double))
      return _mm512_cmp_pd_mask(load<__m512d>(items), _mm512_set1_pd(value), _CMP_EQ_OQ);
    else if constexpr (__is_same(A, float))
      return _mm256_cmp_ps_mask(load<__m256>(items), _mm256_set1_ps(value), _CMP_EQ_OQ);
    else if constexpr (sizeof(A) == 8)
      return _mm512_cmpeq_epi64_mask(load<__m512i>(items), _mm512_set1_epi64(int64_t(value)));
    else
      return _mm256_cmpeq_epi32_mask(load<__m256i>(items), _mm256_set1_epi32(int32_t(value)));
  }

 private:
  [[gnu::always_inline]] static Ints counts_of(const int32_t* off) {
    return load<Ints>(off + 1) - load<Ints>(off);
  }
  [[gnu::always_inline]] static uint32_t above(Ints counts, int limit) {
    if constexpr (kLists == 16)
      return _mm512_cmpgt_epi32_mask((__m512i)counts, _mm512_set1_epi32(limit));
    else
      return _mm256_cmpgt_epi32_mask((__m256i)counts, _mm256_set1_epi32(limit));
  }
  // What is wrong for lists of 256 and more is not used.
  [[gnu::always_inline]] static uint32_t mask(const int32_t* off, int i) {
    return _bzhi_u32(0xff, static_cast<uint32_t>(off[i + 1] - off[i]));
  }
  [[gnu::always_inline]] static Vector clean(__m512i items) {
    const Vector v = (Vector)items;
    return kCompares ? Op::step(v, Vector{} + Op::template identity<A>) : v;
  }

  // Of 8 lists: the lowest bit of each byte's, of as many as the list has items; -1 if it has none.
  [[gnu::always_inline]] static __m512i first_bits(uint64_t bytes, const int32_t* off) {
    const __m256i counts = _mm256_sub_epi32(load<__m256i>(off + 1), load<__m256i>(off));
    const __m128i of_count = _mm_setr_epi8(0, 1, 3, 7, 15, 31, 63, 127, -1, 0, 0, 0, 0, 0, 0, 0);
    const __m128i in = _mm_shuffle_epi8(of_count, _mm256_maskz_cvtepi32_epi8(0xff, counts));
    const __m128i all = _mm_and_si128(_mm_cvtsi64_si128(static_cast<int64_t>(bytes)), in);
    const __m128i lowest = _mm_and_si128(all, _mm_sub_epi8(_mm_setzero_si128(), all));
    // The place of a bit among four; the high half's places are found of the high half's bits.
    const __m128i place = _mm_setr_epi8(-1, 0, 1, -1, 2, -1, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1);
    const __m128i high = _mm_setr_epi8(-1, 4, 5, -1, 6, -1, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1);
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i of_low = _mm_shuffle_epi8(place, _mm_and_si128(lowest, nibble));
    const __m128i of_high =
        _mm_shuffle_epi8(high, _mm_and_si128(_mm_srli_epi16(lowest, 4), nibble));
    return _mm512_maskz_cvtepi8_epi64(0xff, _mm_max_epi8(of_low, of_high));
  }

  // A vector holds one list of 8-byte items, or lists 2 * i and 2 * i + 1 of 4-byte items.
  [[gnu::always_inline]] static __m512i get(const A* values, const int32_t* off, int i) {
    const __m512i identity = (__m512i)(Vector{} + Op::template identity<A>);
    if constexpr (sizeof(A) == 8) {
      return _mm512_mask_loadu_epi64(identity, static_cast<__mmask8>(mask(off, i)),
                                     values + off[i]);
    } else {
      const auto first = static_cast<__mmask16>(mask(off, 2 * i));
      const auto second = static_cast<__mmask16>(mask(off, 2 * i + 1) << 8);
      const __m512i low = _mm512_mask_loadu_epi32(identity, first, values + off[2 * i]);
      const __m256i high = load<__m256i>(values + off[2 * i + 1]);
      return _mm512_mask_broadcast_i32x8(low, second, high);
    }
  }
  [[gnu::always_inline]] static void get(const A* values, const int32_t* off, Vector* v) {
    for (int i = 0; i < 8; i++) v[i] = clean(get(values, off, i));
  }
  // The same as they are; `nan` is not 0 if there is one among the items.
  [[gnu::always_inline]] static void get(const A* values, const int32_t* off, Vector* v,
                                         uint32_t& nan) {
    for (int i = 0; i < 8; i += 2) {
      const __m512i x = get(values, off, i), y = get(values, off, i + 1);
      if constexpr (__is_same(A, double))
        nan |= _mm512_cmp_pd_mask((__m512d)x, (__m512d)y, _CMP_UNORD_Q);
      else if constexpr (__is_same(A, float))
        nan |= _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_UNORD_Q);
      v[i] = (Vector)x;
      v[i + 1] = (Vector)y;
    }
  }

  [[gnu::always_inline]] static Vector tree(Vector* v) {
    if constexpr (sizeof(A) == 8) {
      return tree_of_8<Op>(v);
    } else {
      for (int i = 0; i < 4; i++)
        v[i] = Op::step(__builtin_shufflevector(v[2 * i], v[2 * i + 1], 4, 5, 6, 7, 12, 13, 14, 15,
                                                20, 21, 22, 23, 28, 29, 30, 31),
                        __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 1, 2, 3, 8, 9, 10, 11,
                                                16, 17, 18, 19, 24, 25, 26, 27));
      for (int i = 0; i < 2; i++)
        v[i] = Op::step(__builtin_shufflevector(v[2 * i], v[2 * i + 1], 2, 3, 18, 19, 6, 7, 22, 23,
                                                10, 11, 26, 27, 14, 15, 30, 31),
                        __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 1, 16, 17, 4, 5, 20, 21,
                                                8, 9, 24, 25, 12, 13, 28, 29));
      v[0] = Op::step(__builtin_shufflevector(v[0], v[1], 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27,
                                              13, 15, 29, 31),
                      __builtin_shufflevector(v[0], v[1], 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26,
                                              12, 14, 28, 30));
      // Each 128 bits now hold lists i, i + 4, i + 8, i + 12.
      return __builtin_shufflevector(v[0], v[0], 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11,
                                     15);
    }
  }
};

}  // namespace serrate::cpu::SERRATE_ISA
#endif
