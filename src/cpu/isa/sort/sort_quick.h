// Quicksort by registers (Bramas 2017; Blacher, Giesen, Kuehne 2021): lists are partitioned by
// compressing registers until they are short enough for networks. They are compressed in a register
// and stored whole, as compressing stores are slow on some CPUs.
#pragma once

#include "cpu/isa/sort/sort_networks.h"

#if defined(__AVX512F__)
namespace serrate::cpu::SERRATE_ISA {
namespace {

/// Items up to the pivot come first; how many. The others go through `room`.
template <class T>
int64_t split_by(T* a, int64_t n, T* room, T pivot) {
  using L = Lanes<T>;
  constexpr int kTogether = 4;  // so that no compression waits for another
  const auto p = L::all(pivot);
  int64_t low = 0, high = 0, i = 0;
  // What is written has been read before: low and high are no more than i.
  for (; i + kTogether * L::kLanes <= n; i += kTogether * L::kLanes) {
    typename L::V v[kTogether];
    uint32_t above[kTogether];
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) {
      v[k] = L::load(a + i + k * L::kLanes);
      above[k] = L::above(v[k], p);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) {
      L::store(a + low, L::compressed(~above[k], v[k]));
      low += L::kLanes - __builtin_popcount(above[k]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) {
      L::store(room + high, L::compressed(above[k], v[k]));
      high += __builtin_popcount(above[k]);
    }
  }
  for (; i < n; i += L::kLanes) {
    const int64_t left = n - i < L::kLanes ? n - i : L::kLanes;
    const auto v = L::load_first(a + i, left);
    const uint32_t there = L::first(left), above = L::above(v, p) & there, below = there & ~above;
    const int k = __builtin_popcount(above), m = __builtin_popcount(below);
    L::store_first(a + low, m, L::compressed(below, v));
    L::store_first(room + high, k, L::compressed(above, v));
    low += m;
    high += k;
  }
  memcpy(a + low, room, size_t(high) * sizeof(T));
  return low;
}

/// The middle one of some items of the list.
template <class T, int kRegisters>
T pivot_of(const T* a, int64_t n) {
  constexpr int kSample = kRegisters * Lanes<T>::kLanes;
  T sample[kSample];
  for (int64_t i = 0; i < kSample; i++) sample[i] = a[i * n / kSample];
  sort_network<T, kRegisters>(sample, kSample);
  return sample[kSample / 2];
}

template <class T>
T pivot_of(const T* a, int64_t n) {
  constexpr int64_t kLong = 2048;
  return n < kLong ? pivot_of<T, sizeof(T) / 4>(a, n) : pivot_of<T, sizeof(T)>(a, n);
}

/// False where pivots divide badly, so often that others sort faster: the list is in another order.
template <class T>
bool sort_quick(T* a, int64_t n, T* room, int splits) {
  while (n > kMostSorted<T>) {
    if (splits-- == 0) return false;
    const T pivot = pivot_of(a, n);
    int64_t low = split_by(a, n, room, pivot);
    if (low == n) {
      // Nothing is larger: those that are equal to the pivot are where they belong.
      if (pivot == std::numeric_limits<T>::min()) return true;
      n = split_by(a, n, room, T(pivot - 1));
      continue;
    }
    if (!sort_quick(a, low, room, splits)) return false;
    a += low;
    n -= low;
  }
  if (n > 1) sort_network(a, n);
  return true;
}

template <class T>
bool sort_quick(T* a, int64_t n, T* room) {
  return sort_quick(a, n, room, 2 * (64 - __builtin_clzll(uint64_t(n) | 1)));
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
#endif
