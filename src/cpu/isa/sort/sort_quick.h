// Quicksort by registers (Bramas 2017; Blacher, Giesen, Kuehne 2021): lists are partitioned by
// compressing registers until they are short enough for networks. They are compressed in a register
// and stored whole, as compressing stores are slow on some CPUs.
#pragma once

#include <array>

#include "cpu/isa/sort/sort_networks.h"

#if defined(__AVX512F__)
namespace serrate::cpu::SERRATE_ISA {
namespace {

/// The lanes of eight whose bits are set, a byte each, then the others.
inline constexpr auto kLanesFirst = [] {
  std::array<uint64_t, 256> table{};
  for (unsigned mask = 0; mask < 256; mask++) {
    int at = 0;
    for (const unsigned bit : {1u, 0u})
      for (unsigned lane = 0; lane < 8; lane++)
        if ((mask >> lane & 1) == bit) table[mask] |= uint64_t{lane} << (8 * at++);
  }
  return table;
}();

/// The lanes that are set first, then, where lanes have 64 bits, the others: there a permutation by
/// a table takes a third of the time of compressing on CPUs of AMD.
template <class T>
typename Lanes<T>::V lanes_first(typename Lanes<T>::Mask set, typename Lanes<T>::V v) {
  if constexpr (sizeof(T) == 8) {
    const __m128i lanes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kLanesFirst[set]));
    return Lanes<T>::cooked(
        _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(lanes), Lanes<T>::raw(v)));
  } else {
    return Lanes<T>::compressed(set, v);
  }
}

/// Items up to the pivot go to the start of `low_to`, the others to that of `high_to`; how many are
/// up to it. `from` may be either of them: what is written has been read before.
template <class T>
int64_t split_by(const T* from, int64_t n, T pivot, T* low_to, T* high_to) {
  using L = Lanes<T>;
  using Mask = typename L::Mask;
  constexpr int kTogether = 4;  // so that no compression waits for another
  const auto p = L::all(pivot);
  T *low = low_to, *high = high_to;
  int64_t i = 0;
  for (; i + kTogether * L::kLanes <= n; i += kTogether * L::kLanes) {
    typename L::V v[kTogether];
    Mask above[kTogether];
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) {
      v[k] = L::load(from + i + k * L::kLanes);
      above[k] = L::above(v[k], p);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) {
      const int some = __builtin_popcount(above[k]);
      L::store(low, lanes_first<T>(Mask(~above[k]), v[k]));
      L::store(high, lanes_first<T>(above[k], v[k]));
      low += L::kLanes - some;
      high += some;
    }
  }
  for (; i < n; i += L::kLanes) {
    const int64_t left = n - i < L::kLanes ? n - i : L::kLanes;
    const auto v = L::load_first(from + i, left);
    const Mask there = L::first(left), above = Mask(L::above(v, p) & there),
               below = Mask(there & ~above);
    const int k = __builtin_popcount(above), m = __builtin_popcount(below);
    L::store_first(low, m, lanes_first<T>(below, v));
    L::store_first(high, k, lanes_first<T>(above, v));
    low += m;
    high += k;
  }
  return low - low_to;
}

/// Some items of the list, in order.
template <class T, int kRegisters>
struct Sample {
  static constexpr int kItems = kRegisters * Lanes<T>::kLanes;
  T items[kItems];

  Sample(const T* a, int64_t n) {
    for (int64_t i = 0; i < kItems; i++) items[i] = a[i * n / kItems];
    sort_network<T, kRegisters>(items, kItems, items);
  }
};

/// The middle one of these.
template <class T>
T pivot_of(const T* a, int64_t n) {
  constexpr int64_t kLong = 2048;
  constexpr int kFew = sizeof(T) == 8 ? 2 : 1, kMany = sizeof(T);
  if (n < kLong) return Sample<T, kFew>(a, n).items[Sample<T, kFew>::kItems / 2];
  return Sample<T, kMany>(a, n).items[Sample<T, kMany>::kItems / 2];
}

/// Behind `low` items up to a pivot, of which `less` are less, those that equal it.
template <class T>
void fill_equal(T* out, int64_t less, int64_t low, T pivot) {
  for (int64_t i = less; i < low; i++) out[i] = pivot;
}

/// False where pivots divide badly, so often that others sort faster: the list is in another order.
/// `from` is `out` or `room`, which have n items, or another list.
template <class T>
bool sort_quick(const T* from, int64_t n, T* out, T* room, int splits) {
  while (n > kMostSorted<T>) {
    if (splits-- == 0) {
      if (from != out) memcpy(out, from, size_t(n) * sizeof(T));
      return false;
    }
    const T pivot = pivot_of(from, n);
    int64_t low = split_by(from, n, pivot, out, room);
    from = out;
    if (low == n) {
      // Nothing is larger: those that are equal to the pivot are where they belong.
      if (pivot == std::numeric_limits<T>::min()) return true;
      n = split_by(from, n, T(pivot - 1), out, room);
      fill_equal(out, n, low, pivot);
      continue;
    }
    if (!sort_quick(from, low, out, room + (n - low), splits)) {
      memcpy(out + low, room, size_t(n - low) * sizeof(T));
      return false;
    }
    from = room;
    out += low;
    n -= low;
  }
  if (n > 0) sort_network(from, n, out);
  return true;
}

constexpr int most_splits(int64_t n) { return 2 * (64 - __builtin_clzll(uint64_t(n) | 1)); }

template <class T>
bool sort_quick(T* a, int64_t n, T* room) {
  return sort_quick(a, n, a, room, most_splits(n));
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
#endif
