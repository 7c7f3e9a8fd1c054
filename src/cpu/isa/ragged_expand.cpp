// From lists to items: values repeated per item, indexes within lists, positions; repeated lists.
// Short lists cost one store each: a vector is written whole, what is too much is overwritten by
// the next list. With AVX-512 eight lists that have 16 items together are one permutation.
#include "cpu/isa/ragged_parts.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#ifndef __clang__
// GCC 12 takes the undefined register that its own unmasked intrinsics begin with for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace serrate::cpu::SERRATE_ISA {
namespace {

struct Bytes16 {
  uint64_t a, b;
};

#if defined(__AVX512F__)
// Eight lists that follow each other and have 16 items together at most: which of the eight each
// item is in, so that their items are one permutation. Lanes behind the last item hold anything.
struct Owners {
  static constexpr int kLists = 8, kItems = 16;
  __m512i packed;  // four bits an item, the same in all lanes of 64 bits

  [[gnu::always_inline]] static bool fit(const int32_t* off) {
    return off[kLists] - off[0] <= kItems;
  }
  // Whether most of these lists are in such groups; items of 8 bytes need two vectors for a group,
  // and gain only if the lists are sparse.
  template <int size>
  [[gnu::always_inline]] static bool are_short(const int32_t* off, int64_t lists) {
    return 2 * int64_t{off[lists]} <= (size == 8 ? 1 : 3) * lists;
  }
  // Each list but the first adds one to its own items and to all behind them.
  [[gnu::always_inline]] explicit Owners(const int32_t* off) {
    const __m256i begins = _mm256_sub_epi32(load<__m256i>(off), _mm256_set1_epi32(off[0]));
    const __m512i bits = _mm512_cvtepi32_epi64(_mm256_slli_epi32(begins, 2));
    __m512i sum = _mm512_maskz_sllv_epi64(0xfe, _mm512_set1_epi64(0x1111111111111111), bits);
    sum = _mm512_add_epi64(sum, _mm512_shuffle_i64x2(sum, sum, 0x4e));
    sum = _mm512_add_epi64(sum, _mm512_shuffle_i64x2(sum, sum, 0xb1));
    packed = _mm512_add_epi64(sum, _mm512_permutex_epi64(sum, 0xb1));
  }
  // One for each lane, in the bits that permutations look at.
  [[gnu::always_inline]] __m512i in_32() const {
    const __m512i half = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i shift =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    return _mm512_srlv_epi32(_mm512_permutexvar_epi32(half, packed), shift);
  }
  // The same of the first or the second eight items.
  template <int half>
  [[gnu::always_inline]] __m512i in_64() const {
    const __m512i shift = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28);
    return _mm512_srlv_epi64(half ? _mm512_srli_epi64(packed, 32) : packed, shift);
  }
};

// 8 or 16 values of 1, 2 or 4 bytes as lanes of 32 bits, and 16 such lanes as values. (GCC 12 makes
// __builtin_convertvector of these one by one.)
template <int size>
[[gnu::always_inline]] inline __m512i widened_8(const void* from) {
  if constexpr (size == 1)
    return _mm512_zextsi256_si512(_mm256_cvtepu8_epi32(_mm_loadu_si64(from)));
  if constexpr (size == 2)
    return _mm512_zextsi256_si512(_mm256_cvtepu16_epi32(load<__m128i>(from)));
  return _mm512_zextsi256_si512(load<__m256i>(from));
}
template <int size>
[[gnu::always_inline]] inline __m512i widened_16(const void* from) {
  if constexpr (size == 1) return _mm512_cvtepu8_epi32(load<__m128i>(from));
  if constexpr (size == 2) return _mm512_cvtepu16_epi32(load<__m256i>(from));
  return load<__m512i>(from);
}
template <int size>
[[gnu::always_inline]] inline void store_narrowed(void* to, __m512i lanes) {
  if constexpr (size == 1) return store(to, _mm512_cvtepi32_epi8(lanes));
  if constexpr (size == 2) return store(to, _mm512_cvtepi32_epi16(lanes));
  store(to, lanes);
}
#endif

// `bytes`: what every list gets stored, so that few lists need the loop.
template <int bytes, class T>
void expand_by(const T* values, const int32_t* off, int64_t lists, T* out) {
  constexpr int kVector = bytes < kNative ? bytes : kNative, lanes = kVector / sizeof(T);
  constexpr int first = bytes / kVector;
  int32_t begin = off[0];
  for (int64_t p = 0; p < lists; p++) {
    const int32_t end = off[p + 1];
    if constexpr (sizeof(T) == 16) {
      const T v = values[p];
      for (int i = 0; i < 4; i++) store(out + begin + i, v);
      for (int64_t k = begin + int64_t{4}; k < end; k++) out[k] = v;
    } else {
      using V = Vec<T, kVector>;
      const V v = V{} + values[p];
      for (int i = 0; i < first; i++) store(out + begin + i * lanes, v);
      for (int64_t k = begin + int64_t{first * lanes}; k < end; k += lanes) store(out + k, v);
    }
    begin = end;
  }
}

#if defined(__AVX512F__)
// Eight lists at a time where most have few items.
template <class T>
void expand_short(const T* values, const int32_t* off, int64_t lists, T* out) {
  int64_t p = 0;
  for (; p + Owners::kLists <= lists; p += Owners::kLists) {
    if (!Owners::fit(off + p)) {
      expand_by<sizeof(T) == 8 ? 32 : 64>(values + p, off + p, Owners::kLists, out);
      continue;
    }
    const Owners owners(off + p);
    T* const to = out + off[p];
    if constexpr (sizeof(T) == 8) {
      const __m512i v = load<__m512i>(values + p);
      store(to, _mm512_permutexvar_epi64(owners.in_64<0>(), v));
      // Behind the last list there is room for one vector.
      if (off[p + Owners::kLists] - off[p] > 8)
        store(to + 8, _mm512_permutexvar_epi64(owners.in_64<1>(), v));
    } else {
      const __m512i v = widened_8<sizeof(T)>(values + p);
      store_narrowed<sizeof(T)>(to, _mm512_permutexvar_epi32(owners.in_32(), v));
    }
  }
  expand_by<sizeof(T) == 8 ? 32 : 64>(values + p, off + p, lists - p, out);
}
#endif

template <class T>
void expand_as(const T* values, const int32_t* off, int64_t lists, T* out) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) <= 8)
    if (Owners::are_short<sizeof(T)>(off, lists)) return expand_short(values, off, lists, out);
#endif
  if constexpr (sizeof(T) == 8) {
    // Vectors of 64 bytes are split between two lines of the cache, which short lists don't need.
    if (off[lists] > 3 * lists) return expand_by<64>(values, off, lists, out);
    return expand_by<32>(values, off, lists, out);
  } else {
    expand_by<kNative>(values, off, lists, out);
  }
}

void expand(int itemsize, const void* values, const int32_t* off, int64_t lists, void* out) {
  const auto as = [&](auto t) {
    using T = decltype(t);
    expand_as(static_cast<const T*>(values), off, lists, static_cast<T*>(out));
  };
  switch (itemsize) {
    case 1:
      return as(uint8_t{});
    case 2:
      return as(uint16_t{});
    case 4:
      return as(uint32_t{});
    case 8:
      return as(uint64_t{});
    default:
      return as(Bytes16{});
  }
}

void parents(const int32_t* off, int64_t lists, int32_t first, int32_t* out) {
  int32_t begin = 0;
  Int32s v = Int32s{} + first;
  for (int64_t p = 0; p < lists; p++) {
    const int32_t end = off[p + 1];
    store(out + begin, v);
    for (int64_t k = begin + int64_t{kWide32}; k < end; k += kWide32) store(out + k, v);
    v += 1;
    begin = end;
  }
}

inline constexpr Iota<int32_t, 16> kRamp32;
inline constexpr Iota<int64_t, 8> kRamp64;

// out[k] = first(p) + k - off[p], for lists [from, lists). `vectors`: stored of every list.
template <int vectors, class T, class First>
[[gnu::always_inline]] inline void ramps_by(const int32_t* off, int64_t from, int64_t lists, T* out,
                                            First first) {
  constexpr int lanes = kNative / sizeof(T);
  using V = Vec<T, kNative>;
  const void* table = kRamp64.value;
  if constexpr (sizeof(T) == 4) table = kRamp32.value;
  const V ramp = load<V>(table);
  int32_t begin = off[from];
  for (int64_t p = from; p < lists; p++) {
    const int32_t end = off[p + 1];
    V v = ramp + first(p);
    store(out + begin, v);
    for (int i = 1; i < vectors; i++) {
      v += static_cast<T>(lanes);
      store(out + begin + i * lanes, v);
    }
    for (int64_t k = begin + int64_t{vectors * lanes}; k < end; k += lanes) {
      v += static_cast<T>(lanes);
      store(out + k, v);
    }
    begin = end;
  }
}

// The same. Where many lists have more items than a vector of 32 bytes, to look which ones do costs
// more than the next vector.
template <class T, class First>
[[gnu::always_inline]] inline void ramps(const int32_t* off, int64_t from, int64_t lists, T* out,
                                         First first) {
  if constexpr (kNative == 32 && sizeof(T) == 8)
    if (off[lists] - off[from] > 2 * (lists - from))
      return ramps_by<2>(off, from, lists, out, first);
  ramps_by<1>(off, from, lists, out, first);
}

template <class T>
[[gnu::always_inline]] inline void indexes(const int32_t* off, int64_t lists, T start, T* out) {
  if (lists == 0) return;
  ramps(off, 0, 1, out, [=](int64_t) { return start; });
  ramps(off, 1, lists, out, [](int64_t) { return T{0}; });
}

void local_index(const int32_t* off, int64_t lists, int64_t start, int64_t* out) {
  indexes(off, lists, start, out);
}
void local_index32(const int32_t* off, int64_t lists, int32_t start, int32_t* out) {
  indexes(off, lists, start, out);
}

template <class T>
[[gnu::always_inline]] inline void positions_as(IndexType type, const void* starts,
                                                const int32_t* off, int64_t lists, int64_t start,
                                                int64_t base, T* out) {
  if (lists == 0) return;
  with_index_type(type, [&](auto t) {
    const auto* at = static_cast<const decltype(t)*>(starts);
    ramps(off, 0, 1, out,
          [=](int64_t) { return static_cast<T>(static_cast<int64_t>(at[0]) + start - base); });
    ramps(off, 1, lists, out,
          [=](int64_t p) { return static_cast<T>(static_cast<int64_t>(at[p]) - base); });
  });
}

void positions(IndexType type, const void* starts, const int32_t* off, int64_t lists, int64_t start,
               int64_t base, int64_t* out) {
  positions_as(type, starts, off, lists, start, base, out);
}
void positions32(IndexType type, const void* starts, const int32_t* off, int64_t lists,
                 int64_t start, int64_t base, int32_t* out) {
  positions_as(type, starts, off, lists, start, base, out);
}

// -- lists that are looked at again and again: copies of them, one behind the other

// Half of what AVX-512 could where most lists are shorter: whole cache lines would be split.
constexpr int kCopied = kNative < 32 ? kNative : 32;

#if defined(__AVX512F__)
// Whether the copies are of 32 of the values, so that two registers hold them.
[[gnu::always_inline]] inline bool are_near(const int32_t* begins, const int32_t* off,
                                            int64_t items) {
  return Owners::fit(off) && begins[Owners::kLists - 1] - begins[0] <= 16 &&
         int64_t{begins[0]} + 32 <= items;
}
template <int size>
[[gnu::always_inline]] inline void repeat_near(const char* values, const int32_t* begins,
                                               const int32_t* off, char* out) {
  // From the place of an item among the copies to that among the values.
  const __m256i moves = _mm256_sub_epi32(load<__m256i>(begins), load<__m256i>(off));
  const __m256i moved = _mm256_sub_epi32(moves, _mm256_set1_epi32(begins[0] - off[0]));
  const __m512i each = _mm512_permutexvar_epi32(Owners(off).in_32(), _mm512_castsi256_si512(moved));
  const __m512i places = _mm512_add_epi32(each, load<__m512i>(kIota32.value));
  const char* const from = values + int64_t{begins[0]} * size;
  store_narrowed<size>(out + int64_t{off[0]} * size,
                       _mm512_permutex2var_epi32(widened_16<size>(from), places,
                                                 widened_16<size>(from + 16 * size)));
}
#endif

// `several`: where most lists have few items, they are copied together.
template <int size, int bytes, bool several = false>
void repeat_by(const char* values, int64_t items, const int32_t* begins, const int32_t* off,
               int64_t lists, int64_t start, char* out) {
  using Copied = Vec<uint8_t, bytes>;
  constexpr int kItems = bytes / size;
  const auto exactly = [&](int64_t p, int64_t from) {
    __builtin_memcpy(out + int64_t{off[p]} * size, values + from * size,
                     static_cast<size_t>(off[p + 1] - off[p]) * size);
  };
  if (lists == 0) return;
  exactly(0, begins[0] + start);
  // Vectors may be read at the beginnings of all but the last lists, which follow each other.
  int64_t safe = lists;
  while (safe > 1 && begins[safe - 1] + kItems > items) safe--;
  // No number is below 0. What is stored could be an offset: none is looked at twice.
  const auto number = [](int32_t i) { return int64_t{static_cast<uint32_t>(i)}; };
  int64_t at = number(off[1]);
  for (int64_t p = 1; p < safe; p++) {
#if defined(__AVX512F__)
    if constexpr (several) {
      while (p + Owners::kLists <= safe && are_near(begins + p, off + p, items)) {
        repeat_near<size>(values, begins + p, off + p, out);
        p += Owners::kLists;
      }
      if (p == safe) break;
      at = number(off[p]);
    }
#endif
    const int64_t end = number(off[p + 1]), n = end - at;
    const char* from = values + number(begins[p]) * size;
    char* to = out + at * size;
    at = end;
    store(to, load<Copied>(from));
    if (n <= kItems) [[likely]]
      continue;
    // Whole vectors, the last one so that it ends where the list does.
    int64_t k = kItems;
    for (; k + kItems <= n; k += kItems) store(to + k * size, load<Copied>(from + k * size));
    store(to + (n - kItems) * size, load<Copied>(from + (n - kItems) * size));
  }
  for (int64_t p = safe; p < lists; p++) exactly(p, begins[p]);
}

template <int size>
void repeat_items(const char* values, int64_t items, const int32_t* begins, const int32_t* off,
                  int64_t lists, int64_t start, char* out) {
#if defined(__AVX512F__)
  if constexpr (size <= 4)
    if (Owners::are_short<size>(off, lists))
      return repeat_by<size, kCopied, true>(values, items, begins, off, lists, start, out);
#endif
  if (off[lists] * int64_t{size} > 24 * lists)
    return repeat_by<size, kNative>(values, items, begins, off, lists, start, out);
  return repeat_by<size, kCopied>(values, items, begins, off, lists, start, out);
}

void repeat(int itemsize, const void* values, int64_t items, const int32_t* begins,
            const int32_t* off, int64_t lists, int64_t start, void* out) {
  const auto* from = static_cast<const char*>(values);
  auto* to = static_cast<char*>(out);
  switch (itemsize) {
    case 1:
      return repeat_items<1>(from, items, begins, off, lists, start, to);
    case 2:
      return repeat_items<2>(from, items, begins, off, lists, start, to);
    case 4:
      return repeat_items<4>(from, items, begins, off, lists, start, to);
    case 8:
      return repeat_items<8>(from, items, begins, off, lists, start, to);
    default:
      return repeat_items<16>(from, items, begins, off, lists, start, to);
  }
}

using Offsets = Vec<int32_t, kCopied>;
constexpr int kOffsets = kCopied / 4;
constexpr Iota<int32_t, kOffsets> kRamp;

int64_t repeat_offsets(const int32_t* off, const int32_t* repeated, int64_t lists, int32_t* begins,
                       int32_t* out) {
  const Offsets ramp = load<Offsets>(kRamp.value) + 1;
  int64_t total = 0;
  out[0] = 0;
  for (int64_t p = 0; p < lists; p++) {
    const int32_t begin = repeated[p], each = repeated[p + 1] - begin;
    const Offsets first = Offsets{} + begin, step = (Offsets{} + each) * kOffsets;
    Offsets ends = ramp * each + static_cast<int32_t>(total);
    int64_t k = off[p];
    do {
      store(begins + k, first);
      store(out + k + 1, ends);
      ends += step;
    } while ((k += kOffsets) < off[p + 1]);
    total += int64_t{each} * (off[p + 1] - off[p]);
  }
  return total;
}

}  // namespace

void add_expand_kernels(RaggedKernels& table) {
  table.expand = expand;
  table.parents = parents;
  table.local_index = local_index;
  table.local_index32 = local_index32;
  table.positions = positions;
  table.positions32 = positions32;
  table.repeat = repeat;
  table.repeat_offsets = repeat_offsets;
}

}  // namespace serrate::cpu::SERRATE_ISA
