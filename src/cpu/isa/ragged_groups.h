// Folds of many lists side by side. The length of a list decides which lanes are masked and which
// group it goes to, but no branch of its own: what can't be predicted costs more than adding.
#pragma once

#include "cpu/isa/ragged_lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>

namespace serrate::cpu::SERRATE_ISA {

// Bit i: counts[i] > limit, of 8 counts.
[[gnu::always_inline]] inline uint32_t above(__m256i counts, int limit) {
  return static_cast<uint32_t>(_mm256_movemask_ps(
      _mm256_castsi256_ps(_mm256_cmpgt_epi32(counts, _mm256_set1_epi32(limit)))));
}

// The first `count` of a vector's items, converted to accumulators; the identity in other lanes.
template <class Op, class V, class A, class Vector>
struct Masked {
  static constexpr int kLanes = sizeof(Vector) / sizeof(A);
#if defined(__AVX512F__)
  static constexpr bool kPossible = sizeof(A) >= 4;
#else
  static constexpr bool kPossible = sizeof(V) >= 4;
#endif
  using Index = typename SignedOf<sizeof(A)>::type;
  using Indexes = Vec<Index, sizeof(Vector)>;
  using Values = Vec<V, kLanes * sizeof(V)>;

  // Lanes with in[i] < count[i].
  [[gnu::always_inline]] static Vector load(const V* p, Indexes in, Indexes count) {
#if defined(__AVX512F__)
    if constexpr (sizeof(A) == 8 && kLanes == 8)
      return of_bits(p, _mm512_cmplt_epi64_mask((__m512i)in, (__m512i)count));
    else
      return of_bits(p, _mm512_cmplt_epi32_mask((__m512i)in, (__m512i)count));
#else
    constexpr V identity = Op::template identity<V>;
    using Ints = Vec<int32_t, 16>;
    const Indexes mask = in < count;
    Values v;
    if constexpr (sizeof(V) == 8)
      v = (Values)_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), (__m256i)mask);
    else if constexpr (sizeof(A) == 4)
      v = (Values)_mm256_maskload_epi32(reinterpret_cast<const int*>(p), (__m256i)mask);
    else
      v = (Values)_mm_maskload_epi32(reinterpret_cast<const int*>(p),
                                     (__m128i) __builtin_convertvector(mask, Ints));
    const Vector wide = converted<Vector>(v);
    if constexpr (identity == V(0))
      return wide;
    else
      return mask ? wide : Vector{} + A(identity);
#endif
  }

#if defined(__AVX512F__)
  template <class Bits>
  [[gnu::always_inline]] static Vector of_bits(const V* p, Bits bits) {
    const Values other = Values{} + Op::template identity<V>;
    if constexpr (sizeof(Values) == 64 && sizeof(V) == 8)
      return (Vector)_mm512_mask_loadu_epi64((__m512i)other, bits, p);
    else if constexpr (sizeof(Values) == 64)
      return (Vector)_mm512_mask_loadu_epi32((__m512i)other, bits, p);
    else if constexpr (sizeof(V) == 4)
      return converted<Vector>((Values)_mm256_mask_loadu_epi32((__m256i)other, bits, p));
    else if constexpr (sizeof(V) == 2)
      return __builtin_convertvector((Values)_mm_mask_loadu_epi16((__m128i)other, bits, p), Vector);
    else {
      // 8 bytes: the upper half of the register is not looked at.
      const Vec<V, 16> wide = Vec<V, 16>{} + Op::template identity<V>;
      const auto got = (Vec<int64_t, 16>)_mm_mask_loadu_epi8((__m128i)wide, bits, p);
      return __builtin_convertvector((__builtin_bit_cast(Values, int64_t{got[0]})), Vector);
    }
  }
#endif
};

// Lists that are walked together, row by row.
template <class Op, class V, class A>
struct Groups {
  using L = Lanes<Op, V, A>;
  using Vector = typename L::Vector;
  using M = Masked<Op, V, A, Vector>;
  using Indexes = typename L::Indexes;
  static constexpr bool kPossible = M::kPossible;
  static constexpr int kLists = least<int>(8, L::kLanes);  // of a group
  static constexpr int kBatch = 8 / L::kVectors;           // walked at once
  using Results = Vec<A, kLists * sizeof(A)>;

  static constexpr int kLongest = 64;

  // Lists of a group that follow each other have their accumulators side by side.
  [[gnu::always_inline]] static bool are_adjacent(const int32_t* list, int lists) {
    return lists == kLists && list[kLists - 1] - list[0] == kLists - 1;
  }

  // The results of lists of counts[i] items from values + begins[i] on.
  [[gnu::always_inline]] static Results fold(const V* values, const int32_t* begins,
                                             const int32_t* counts) {
    Results v[kLists];
#pragma GCC unroll 2
    for (int g = 0; g < kLists; g += kBatch) {
      typename L::Row rows[kBatch];
      walk(values, begins + g, counts + g, rows);
#pragma GCC unroll 8
      for (int i = 0; i < kBatch; i++) v[g + i] = narrow(rows[i]);
    }
    return tree(v);
  }

  // The same, and the index of the first item that equals the result (0 of a NaN in front), for
  // Op that compares. Lists have items; of those with counts[i] == 0 nothing is meant.
  [[gnu::always_inline]] static void argument(const V* values, const int32_t* begins,
                                              const int32_t* counts, A* results,
                                              typename L::Index* indexes) {
    using First = Groups<Min, typename L::Index, typename L::Index>;
    typename L::Row best[kLists];
    typename First::L::Row where[kLists];
#pragma GCC unroll 4
    for (int g = 0; g < kLists; g += kBatch)
      walk_argument(values, begins + g, counts + g, best + g, where + g);
    Results v[kLists];
#pragma GCC unroll 8
    for (int i = 0; i < kLists; i++) v[i] = narrow(best[i]);
    store(results, tree(v));
    typename First::Results w[kLists];
#pragma GCC unroll 8
    for (int i = 0; i < kLists; i++) {
      typename First::L::Row r;
#pragma GCC unroll 2
      for (int j = 0; j < L::kVectors; j++)
        r.v[j] = best[i].v[j] == L::same(results[i]) ? where[i].v[j]
                                                     : Indexes{} + Min::identity<typename L::Index>;
      w[i] = First::narrow(r);
    }
    const auto first = First::tree(w);
    store(indexes, first == Min::identity<typename L::Index> ? first - first : first);
  }

  // A list of a group is better folded alone.
  [[gnu::always_inline]] static bool is_long(const int32_t* counts) {
    const auto c = ::serrate::cpu::SERRATE_ISA::load<__m256i>(counts);
    return (above(c, kLongest) & ((1u << kLists) - 1)) != 0;
  }

 private:
  template <class, class, class>
  friend struct Groups;

  [[gnu::always_inline]] static Indexes lanes(int j) {
    return ::serrate::cpu::SERRATE_ISA::load<Indexes>(L::kIota.value) +
           static_cast<typename L::Index>(j * L::kLanes);
  }

  [[gnu::always_inline]] static void walk(const V* values, const int32_t* begins,
                                          const int32_t* counts, typename L::Row* rows) {
    const int32_t most_items = largest(counts);
    const V* from[kBatch];
    Indexes count[kBatch], in[L::kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kBatch; i++) {
      rows[i] = L::identity_row();
      from[i] = values + begins[i];
      count[i] = Indexes{} + static_cast<typename L::Index>(counts[i]);
    }
#pragma GCC unroll 2
    for (int j = 0; j < L::kVectors; j++) in[j] = lanes(j);
    int64_t k = 0;
    do {
#pragma GCC unroll 8
      for (int i = 0; i < kBatch; i++) {
#pragma GCC unroll 2
        for (int j = 0; j < L::kVectors; j++)
          rows[i].v[j] =
              Op::step(M::load(from[i] + k + j * L::kLanes, in[j], count[i]), rows[i].v[j]);
      }
#pragma GCC unroll 2
      for (int j = 0; j < L::kVectors; j++) in[j] += L::kRow;
    } while ((k += L::kRow) < most_items);
  }
  // Each lane's extreme item and where it first was.
  template <class Places>
  [[gnu::always_inline]] static void walk_argument(const V* values, const int32_t* begins,
                                                   const int32_t* counts, typename L::Row* best,
                                                   Places* where) {
    const int32_t most_items = largest(counts);
    const V* from[kBatch];
    Indexes count[kBatch], in[L::kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kBatch; i++) {
      from[i] = values + begins[i];
      count[i] = Indexes{} + static_cast<typename L::Index>(counts[i]);
#pragma GCC unroll 2
      for (int j = 0; j < L::kVectors; j++) {
        best[i].v[j] = L::same(*from[i]);
        where[i].v[j] = Indexes{};
      }
    }
#pragma GCC unroll 2
    for (int j = 0; j < L::kVectors; j++) in[j] = lanes(j);
    int64_t k = 0;
    do {
#pragma GCC unroll 8
      for (int i = 0; i < kBatch; i++) {
#pragma GCC unroll 2
        for (int j = 0; j < L::kVectors; j++) {
          const Vector x = M::load(from[i] + k + j * L::kLanes, in[j], count[i]);
          Vector& b = best[i].v[j];
          const auto better = __is_same(Op, Min) ? x < b : x > b;
          b = better ? x : b;
          where[i].v[j] = better ? in[j] : where[i].v[j];
        }
      }
#pragma GCC unroll 2
      for (int j = 0; j < L::kVectors; j++) in[j] += L::kRow;
    } while ((k += L::kRow) < most_items);
  }

  // Of kBatch counts.
  [[gnu::always_inline]] static int32_t largest(const int32_t* counts) {
    __m128i m = ::serrate::cpu::SERRATE_ISA::load<__m128i>(counts);
    if constexpr (kBatch == 8)
      m = _mm_max_epi32(m, ::serrate::cpu::SERRATE_ISA::load<__m128i>(counts + 4));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1));
    return _mm_cvtsi128_si32(m);
  }

  // A row to kLists lanes.
  [[gnu::always_inline]] static Results narrow(typename L::Row row) {
    for (int half = L::kVectors / 2; half > 0; half /= 2)
      for (int i = 0; i < half; i++) row.v[i] = Op::step(row.v[i + half], row.v[i]);
    if constexpr (L::kLanes == kLists) {
      return row.v[0];
    } else {
      static_assert(L::kLanes == 16 && kLists == 8);
      const Vector v = row.v[0];
      return Op::step(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15),
                      __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7));
    }
  }

  [[gnu::always_inline]] static Results tree(Results* v) {
    if constexpr (kLists == 8)
      return tree_of_8<Op>(v);
    else
      return tree_of_4<Op>(v);
  }
};

// Which of some lists have items.
struct Chosen {
  static constexpr int kMost = 512;
  int32_t list[kMost + 8], begin[kMost + 8], count[kMost + 8];
  int size = 0;

  // Of lists from .. to - 1, at most kMost and a multiple of 8.
  [[gnu::always_inline]] void set(const int32_t* off, const int32_t* ends, int64_t from,
                                  int64_t to) {
    __m256i lists = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int32_t>(from)),
                                     _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    size = 0;
    for (int64_t p = from; p < to; p += 8) {
      const auto begins = load<__m256i>(off + p);
      const auto counts = _mm256_sub_epi32(load<__m256i>(ends + p), begins);
      const uint32_t bits = above(counts, 0);
      put(list, lists, bits);
      put(begin, begins, bits);
      put(count, counts, bits);
      size += __builtin_popcount(bits);
      lists = _mm256_add_epi32(lists, _mm256_set1_epi32(8));
    }
    store(count + size, __m256i{});  // a last group that is not full
    store(begin + size, __m256i{});
  }

 private:
  [[gnu::always_inline]] void put(int32_t* out, __m256i x, uint32_t bits) const {
#if defined(__AVX512F__)
    store(out + size, _mm256_maskz_compress_epi32(static_cast<__mmask8>(bits), x));
#else
    // Byte i of the order is the lane of the i-th bit.
    const uint64_t mask = _pdep_u64(bits, 0x0101010101010101) * 0xff;
    const auto order = static_cast<int64_t>(_pext_u64(0x0706050403020100, mask));
    store(out + size,
          _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(order))));
#endif
  }
};

// Where lists are taken in groups; looks again after some hundred lists.
struct GroupLooks {
  int64_t next;
  bool also_short = true;  // there are no ShortLists of these items

  // The end of those from p on that are for groups; p if there are none.
  int64_t end(const int32_t* off, const int32_t* ends, int64_t p, int64_t lists) {
    if (p < next || lists - p < 64) return p;
    next = least(lists, p + Chosen::kMost);
    return are_for_groups(off + p, ends + p) ? p + (next - p) / 8 * 8 : p;
  }

  // Of 64 lists.
  static bool are_mostly_empty(const int32_t* off) {
    int filled = 0;
    for (int i = 0; i < 64; i++) filled += off[i + 1] > off[i];
    return 4 * filled < 64;
  }

 private:
  // A look at 64 lists: groups pay where most are empty, or where most are longer than 8; what has
  // no ShortLists, also where nearly none is.
  bool are_for_groups(const int32_t* off, const int32_t* ends) const {
    int filled = 0, longer = 0;
    for (int i = 0; i < 64; i++) {
      filled += ends[i] > off[i];
      longer += ends[i] - off[i] > 8;
    }
    const bool are_short = also_short && 16 * longer <= filled;
    const bool are_alike = 2 * longer > filled || are_short;
    return (4 * filled < 64 || are_alike) && ends[63] - off[0] < 48 * filled;
  }
};

}  // namespace serrate::cpu::SERRATE_ISA
#endif
