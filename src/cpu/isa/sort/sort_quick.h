// Quicksort by registers (Bramas 2017; Blacher, Giesen, Kuehne 2021): lists of a few registers go
// through bitonic networks (Batcher 1968), longer ones are partitioned by compressing registers.
// They are compressed in a register and stored whole, as compressing stores are slow on some CPUs.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace serrate::cpu::SERRATE_ISA {
namespace {

/// Registers of signed integers of 32 or 64 bits.
template <class T>
struct Lanes {
  typedef T V __attribute__((vector_size(64)));
  static constexpr int kLanes = 64 / int{sizeof(T)};
  static constexpr bool kWide = sizeof(T) == 8;
  static __m512i raw(V v) { return reinterpret_cast<__m512i>(v); }
  static V cooked(__m512i v) { return reinterpret_cast<V>(v); }

  static V all(T x) { return V{} + x; }
  static V load(const T* p) {
    V v;
    memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, V v) { memcpy(p, &v, sizeof v); }
  static uint32_t first(int64_t n) { return (uint32_t{1} << n) - 1; }
  /// n items, the largest number behind them.
  static V load_first(const T* p, int64_t n) {
    const V most = all(std::numeric_limits<T>::max());
    if constexpr (kWide)
      return cooked(_mm512_mask_loadu_epi64(raw(most), __mmask8(first(n)), p));
    else
      return cooked(_mm512_mask_loadu_epi32(raw(most), __mmask16(first(n)), p));
  }
  static void store_first(T* p, int64_t n, V v) {
    if constexpr (kWide)
      _mm512_mask_storeu_epi64(p, __mmask8(first(n)), raw(v));
    else
      _mm512_mask_storeu_epi32(p, __mmask16(first(n)), raw(v));
  }
  static V least(V a, V b) { return a < b ? a : b; }
  static V most(V a, V b) { return a > b ? a : b; }
  /// The smaller one, where the mask says so the larger one.
  template <uint32_t kMost>
  static V either(V a, V b) {
    const __m512i low = raw(least(a, b));
    if constexpr (kWide)
      return cooked(_mm512_mask_max_epi64(low, __mmask8(kMost), raw(a), raw(b)));
    else
      return cooked(_mm512_mask_max_epi32(low, __mmask16(kMost), raw(a), raw(b)));
  }
  static uint32_t above(V a, V b) {
    if constexpr (kWide)
      return _mm512_cmpgt_epi64_mask(raw(a), raw(b));
    else
      return _mm512_cmpgt_epi32_mask(raw(a), raw(b));
  }
  static V compressed(uint32_t mask, V v) {
    if constexpr (kWide)
      return cooked(_mm512_maskz_compress_epi64(__mmask8(mask), raw(v)));
    else
      return cooked(_mm512_maskz_compress_epi32(__mmask16(mask), raw(v)));
  }
  /// Lane i of the result is lane i ^ kFlip.
  template <int kFlip>
  static V flipped(V v) {
    return [&]<int... L>(std::integer_sequence<int, L...>) {
      return __builtin_shufflevector(v, v, (L ^ kFlip)...);
    }
    (std::make_integer_sequence<int, kLanes>());
  }
};

/// Lanes that take the larger one of a lane and that at distance kDistance, where runs of kRun
/// lanes ascend and descend in turns.
template <int kLanes, int kRun, int kDistance>
constexpr uint32_t takes_most() {
  uint32_t mask = 0;
  for (int i = 0; i < kLanes; i++)
    if (((i & kDistance) == 0) != ((i & kRun) == 0)) mask |= uint32_t{1} << i;
  return mask;
}

/// Bitonic runs of kRun lanes become sorted ones.
template <class T, int kRun, int kDistance = kRun / 2, class V>
inline V merge_lanes(V v) {
  if constexpr (kDistance == 0) {
    return v;
  } else {
    using L = Lanes<T>;
    const V mixed = L::template either<takes_most<L::kLanes, kRun, kDistance>()>(
        v, L::template flipped<kDistance>(v));
    return merge_lanes<T, kRun, kDistance / 2>(mixed);
  }
}

template <class T, int kRun = 2, class V>
inline V sort_lanes(V v) {
  if constexpr (kRun > Lanes<T>::kLanes)
    return v;
  else
    return sort_lanes<T, 2 * kRun>(merge_lanes<T, kRun>(v));
}

/// N sorted registers and N more, as 2 N.
template <class T, int N, class V>
inline void merge_registers(V* v) {
  using L = Lanes<T>;
  V high[N];
#pragma GCC unroll 16
  for (int i = 0; i < N; i++) {
    const V x = v[i], y = L::template flipped<L::kLanes - 1>(v[2 * N - 1 - i]);
    high[i] = L::most(x, y);
    v[i] = L::least(x, y);
  }
#pragma GCC unroll 16
  for (int i = 0; i < N; i++) v[N + i] = high[i];
#pragma GCC unroll 8
  for (int distance = N / 2; distance > 0; distance /= 2) {
#pragma GCC unroll 32
    for (int i = 0; i < 2 * N; i++) {
      if (i & distance) continue;
      const V x = v[i], y = v[i + distance];
      v[i] = L::least(x, y);
      v[i + distance] = L::most(x, y);
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < 2 * N; i++) v[i] = merge_lanes<T, L::kLanes>(v[i]);
}

template <class T, int N, class V>
inline void sort_registers(V* v) {
  if constexpr (N == 1) {
    v[0] = sort_lanes<T>(v[0]);
  } else {
    sort_registers<T, N / 2>(v);
    sort_registers<T, N / 2>(v + N / 2);
    merge_registers<T, N / 2>(v);
  }
}

/// n items, which fit N registers, but not half as many.
template <class T, int N>
void sort_network(T* a, int64_t n) {
  using L = Lanes<T>;
  typename L::V v[N];
  const auto left = [n](int i) {
    const int64_t k = n - int64_t{i} * L::kLanes;
    return k < 0 ? 0 : k < L::kLanes ? k : L::kLanes;
  };
#pragma GCC unroll 16
  for (int i = 0; i < N; i++)
    v[i] = i < N / 2 ? L::load(a + i * L::kLanes) : L::load_first(a + i * L::kLanes, left(i));
  sort_registers<T, N>(v);
#pragma GCC unroll 16
  for (int i = 0; i < N; i++)
    if (i < N / 2)
      L::store(a + i * L::kLanes, v[i]);
    else
      L::store_first(a + i * L::kLanes, left(i), v[i]);
}

constexpr int kMostRegisters = 16;
template <class T>
constexpr int64_t kMostSorted = kMostRegisters* Lanes<T>::kLanes;

template <class T>
void sort_network(T* a, int64_t n) {
  constexpr int kLanes = Lanes<T>::kLanes;
  if (n <= kLanes) return sort_network<T, 1>(a, n);
  if (n <= 2 * kLanes) return sort_network<T, 2>(a, n);
  if (n <= 4 * kLanes) return sort_network<T, 4>(a, n);
  if (n <= 8 * kLanes) return sort_network<T, 8>(a, n);
  sort_network<T, kMostRegisters>(a, n);
}

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
