// Folds of short lists, as many at once as a register has lanes: no branch depends on a length.
// Where a fold stops at the first extreme item, the place of that item too.
#pragma once

#include "cpu/isa/ragged_groups.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace serrate::cpu::SERRATE_ISA {

// Each list of up to 8 items becomes the lanes of one vector or of two, or half a vector; the tree
// of Lanes is climbed by all lists together, each step halves the number of vectors.
template <class Op, class A>
struct ShortLists {
  static constexpr int kLists = kNative / sizeof(A), kLongest = 8;
  using Vector = Vec<A, kNative>;
  // A tree never takes a NaN from below: where comparing drops it, it has to be dropped first.
  static constexpr bool kCompares = __is_same(Op, Min) || __is_same(Op, Max);

  // Whole rows can be read at the lists' beginnings. A few longer lists are left to `other`; with
  // more of them nothing is done, and false returned.
  template <class Other>
  [[gnu::always_inline]] static bool fold(const A* values, const int32_t* off, const int32_t* ends,
                                          A* acc, Other other) {
    uint32_t longer = longer_than(kLongest, off, ends);
    if ((longer_than(0, off, ends) & ~longer) == 0) {  // nothing to do together
      for (; longer != 0; longer &= longer - 1) {
        const int i = __builtin_ctz(longer);
        acc[i] = Op::step(other(i), acc[i]);
      }
      return true;
    }
    if (__builtin_popcount(longer) > kLists / 4) return false;
    const Vector before = load<Vector>(acc);
    Vector items[8];
    get(values, off, ends, items);
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
  [[gnu::always_inline]] static bool argument(const A* values, const int32_t* off,
                                              const int32_t* ends, A* acc, int64_t* index,
                                              Other other) {
    uint32_t longer = longer_than(kLongest, off, ends);
    if ((longer_than(0, off, ends) & ~longer) == 0) {
      for (; longer != 0; longer &= longer - 1) other(__builtin_ctz(longer));
      return true;
    }
    bool rare = __builtin_popcount(longer) > kLists / 4 || is_some_known(index);
    Vector items[8];
    bool nan = false;
    get(values, off, ends, items, nan);
    if (nan) [[unlikely]] {
      for (int i = 0; i < kLists; i++)
        rare |= (ends[i] > off[i]) & (values[off[i]] != values[off[i]]);
      for (int i = 0; i < 8; i++) items[i] = clean(items[i]);
    }
    if (rare) [[unlikely]]
      return false;
    store(acc, tree(items));
    constexpr int kTogether = least(8, kLists);
    for (int i = 0; i < kLists; i += kTogether) {
      uint64_t same = 0;
#pragma GCC unroll 8
      for (int j = 0; j < kTogether; j++)
        same |= uint64_t{lanes_equal(values + off[i + j], acc[i + j])} << (8 * j);
      put_places<kTogether>(first_bits(same, off + i, ends + i), index + i);
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
#if defined(__AVX512F__)
    if constexpr (__is_same(A, double))
      return _mm512_cmp_pd_mask(load<__m512d>(items), _mm512_set1_pd(value), _CMP_EQ_OQ);
    else if constexpr (__is_same(A, float))
      return _mm256_cmp_ps_mask(load<__m256>(items), _mm256_set1_ps(value), _CMP_EQ_OQ);
    else if constexpr (sizeof(A) == 8)
      return _mm512_cmpeq_epi64_mask(load<__m512i>(items), _mm512_set1_epi64(int64_t(value)));
    else
      return _mm256_cmpeq_epi32_mask(load<__m256i>(items), _mm256_set1_epi32(int32_t(value)));
#else
    const Vector same = Vector{} + value;
    uint32_t bits = 0;
#pragma GCC unroll 2
    for (int k = 0; k < 8; k += kLists) bits |= signs(load<Vector>(items + k) == same) << k;
    return bits;
#endif
  }

 private:
  // Bit i: list i has more items.
  [[gnu::always_inline]] static uint32_t longer_than(int limit, const int32_t* off,
                                                     const int32_t* ends) {
    if constexpr (kLists == 4) {
      const __m128i counts = _mm_sub_epi32(load<__m128i>(ends), load<__m128i>(off));
      const __m128i more = _mm_cmpgt_epi32(counts, _mm_set1_epi32(limit));
      return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(more)));
    }
    uint32_t bits = 0;
    for (int i = 0; i < kLists; i += 8) {
      const __m256i counts = _mm256_sub_epi32(load<__m256i>(ends + i), load<__m256i>(off + i));
      bits |= above(counts, limit) << i;
    }
    return bits;
  }
  [[gnu::always_inline]] static Vector clean(Vector v) {
    return kCompares ? Op::step(v, Vector{} + Op::template identity<A>) : v;
  }

  // Of 8 lists: the lowest bit of each byte's, of as many as the list has items; -1 if it has none.
  // Of longer lists anything.
  [[gnu::always_inline]] static __m128i first_bits(uint64_t bytes, const int32_t* off,
                                                   const int32_t* ends) {
    const __m256i counts = _mm256_sub_epi32(load<__m256i>(ends), load<__m256i>(off));
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
    const __m128i of_count = _mm_setr_epi8(0, 1, 3, 7, 15, 31, 63, 127, -1, 0, 0, 0, 0, 0, 0, 0);
    const __m128i in = _mm_shuffle_epi8(of_count, _mm_packs_epi16(words, words));
    const __m128i all = _mm_and_si128(_mm_cvtsi64_si128(static_cast<int64_t>(bytes)), in);
    const __m128i lowest = _mm_and_si128(all, _mm_sub_epi8(_mm_setzero_si128(), all));
    // The place of a bit among four; the high half's places are found of the high half's bits.
    const __m128i place = _mm_setr_epi8(-1, 0, 1, -1, 2, -1, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1);
    const __m128i high = _mm_setr_epi8(-1, 4, 5, -1, 6, -1, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1);
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i of_low = _mm_shuffle_epi8(place, _mm_and_si128(lowest, nibble));
    const __m128i of_high =
        _mm_shuffle_epi8(high, _mm_and_si128(_mm_srli_epi16(lowest, 4), nibble));
    return _mm_max_epi8(of_low, of_high);
  }
  template <int count>
  [[gnu::always_inline]] static void put_places(__m128i places, int64_t* index) {
#if defined(__AVX512F__)
    store(index, _mm512_maskz_cvtepi8_epi64(0xff, places));
#else
    store(index, _mm256_cvtepi8_epi64(places));
    if constexpr (count == 8) store(index + 4, _mm256_cvtepi8_epi64(_mm_srli_si128(places, 4)));
#endif
  }

#if defined(__AVX512F__)
  [[gnu::always_inline]] static bool is_some_known(const int64_t* index) {
    uint32_t known = 0;
    for (int i = 0; i < kLists; i += 8)
      known |= _mm512_movepi64_mask(load<__m512i>(index + i)) ^ 0xffu;
    return known != 0;
  }
  // What is wrong for lists of 256 and more is not used.
  struct Counts {
    const int32_t *off, *ends;
    [[gnu::always_inline]] uint32_t mask(int i) const {
      return _bzhi_u32(0xff, static_cast<uint32_t>(ends[i] - off[i]));
    }
  };
  // A vector holds one list of 8-byte items, or lists 2 * i and 2 * i + 1 of 4-byte items.
  [[gnu::always_inline]] static Vector get(const A* values, const int32_t* off,
                                           const Counts& counts, int i) {
    const __m512i identity = (__m512i)(Vector{} + Op::template identity<A>);
    if constexpr (sizeof(A) == 8) {
      return (Vector)_mm512_mask_loadu_epi64(identity, static_cast<__mmask8>(counts.mask(i)),
                                             values + off[i]);
    } else {
      const auto first = static_cast<__mmask16>(counts.mask(2 * i));
      const auto second = static_cast<__mmask16>(counts.mask(2 * i + 1) << 8);
      const __m512i low = _mm512_mask_loadu_epi32(identity, first, values + off[2 * i]);
      const __m256i high = load<__m256i>(values + off[2 * i + 1]);
      return (Vector)_mm512_mask_broadcast_i32x8(low, second, high);
    }
  }
  // Whether any lane is NaN.
  [[gnu::always_inline]] static bool has_nan(const Vector* v) {
    uint32_t nan = 0;
    for (int i = 0; i < 8; i += 2) {
      if constexpr (__is_same(A, double))
        nan |= _mm512_cmp_pd_mask((__m512d)v[i], (__m512d)v[i + 1], _CMP_UNORD_Q);
      else if constexpr (__is_same(A, float))
        nan |= _mm512_cmp_ps_mask((__m512)v[i], (__m512)v[i + 1], _CMP_UNORD_Q);
    }
    return nan != 0;
  }
#else
  using Index = typename SignedOf<sizeof(A)>::type;
  using Indexes = Vec<Index, kNative>;

  template <class Mask>
  [[gnu::always_inline]] static uint32_t signs(Mask mask) {
    return static_cast<uint32_t>(sizeof(A) == 8 ? _mm256_movemask_pd((__m256d)mask)
                                                : _mm256_movemask_ps((__m256)mask));
  }
  [[gnu::always_inline]] static bool is_some_known(const int64_t* index) {
    __m256i nothing = load<__m256i>(index);
    if constexpr (kLists == 8) nothing = _mm256_and_si256(nothing, load<__m256i>(index + 4));
    return _mm256_movemask_pd((__m256d)nothing) != 15;
  }
  struct Counts {
    alignas(32) Index of[kLists];  // to be read one by one, into all lanes
    [[gnu::always_inline]] Counts(const int32_t* off, const int32_t* ends) {
      using Ints = Vec<int32_t, 4 * kLists>;
      const Ints counts = load<Ints>(ends) - load<Ints>(off);
      store(of, converted<Indexes>(counts));
    }
  };
  // A vector holds one list of 4-byte items; vectors 2 * i and 2 * i + 1 one of 8-byte items.
  [[gnu::always_inline]] static Vector get(const A* values, const int32_t* off,
                                           const Counts& counts, int i) {
    static constexpr Iota<Index, 8> kIota{};
    const int list = i * kLists / 8, from = i * kLists % 8;
    const Indexes in = load<Indexes>(kIota.value + from) < Indexes{} + counts.of[list];
    return in ? load<Vector>(values + off[list] + from) : Vector{} + Op::template identity<A>;
  }
  [[gnu::always_inline]] static bool has_nan(const Vector* v) {
    __m256d nan{};
    for (int i = 0; i < 8; i += 2) {
      if constexpr (__is_same(A, double))
        nan = _mm256_or_pd(nan, _mm256_cmp_pd((__m256d)v[i], (__m256d)v[i + 1], _CMP_UNORD_Q));
      else if constexpr (__is_same(A, float))
        nan =
            _mm256_or_pd(nan, (__m256d)_mm256_cmp_ps((__m256)v[i], (__m256)v[i + 1], _CMP_UNORD_Q));
    }
    return !_mm256_testz_si256((__m256i)nan, (__m256i)nan);
  }
#endif

  [[gnu::always_inline]] static void get(const A* values, const int32_t* off, const int32_t* ends,
                                         Vector* v) {
    const Counts counts{off, ends};
    // Two vectors of one list: the first step of the tree passes over NaN in the second one.
    for (int i = 0; i < 8; i++) {
      v[i] = get(values, off, counts, i);
      if (kLists > 4 || i % 2 == 0) v[i] = clean(v[i]);
    }
  }
  // The same as they are; `nan` says whether there is one among the items.
  [[gnu::always_inline]] static void get(const A* values, const int32_t* off, const int32_t* ends,
                                         Vector* v, bool& nan) {
    const Counts counts{off, ends};
    for (int i = 0; i < 8; i++) v[i] = get(values, off, counts, i);
    nan = has_nan(v);
  }

  [[gnu::always_inline]] static Vector tree(Vector* v) {
    if constexpr (kLists == 8) {
      return tree_of_8<Op>(v);
    } else if constexpr (kLists == 4) {
      for (int i = 0; i < 4; i++) v[i] = Op::step(v[2 * i + 1], v[2 * i]);
      return tree_of_4<Op>(v);
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
