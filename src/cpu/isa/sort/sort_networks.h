// Networks of registers (Batcher 1968; Blacher, Giesen, Kuehne 2021): lists of a few registers have
// their columns sorted, then merged, and are transposed at the end.
#pragma once

#if defined(__AVX2__)
#include <cstdint>
#include <type_traits>

#include "cpu/isa/sort/lanes.h"
#include "cpu/machine/subnormals.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

#if defined(__AVX512F__)
/// Integers as doubles in the same order, by their bits. Zero and -1, which would be the two zeros,
/// are kept apart by counting zero and what is above from 1.
struct AsDoubles {
  using L = Lanes<int64_t>;
  using V = Lanes<double>::V;
  /// The integer that becomes infinity: those above, and those as far below, are NaN, but for the
  /// largest one, which `wraps`.
  static constexpr int64_t kMost = 0x7ff0000000000000 - 1;

  static V to(L::V v, L::V& wraps) {
    const L::V next = v - L::all(-1);
    wraps |= ~v & next;  // their signs
    return reinterpret_cast<V>(turned(v, next));
  }
  static L::V from(V v) {
    const auto k = reinterpret_cast<L::V>(v);
    return turned(k, k + L::all(-1));
  }

 private:
  /// All but the sign of what is negative is flipped, all else is `other`.
  static L::V turned(L::V k, L::V other) {
    const L::V rest = L::all(std::numeric_limits<int64_t>::max());
    return L::cooked(_mm512_mask_xor_epi64(L::raw(other), L::negative(k), L::raw(k), L::raw(rest)));
  }
};
#endif

/// Lanes whose number has this bit.
template <int kLanes>
constexpr uint32_t lanes_with(int bit) {
  uint32_t mask = 0;
  for (int i = 0; i < kLanes; i++)
    if (i & bit) mask |= uint32_t{1} << i;
  return mask;
}

/// Networks of the fewest comparisons of 2, 4, 8 and 16 (Green 1969).
struct Comparison {
  int first, second;
};
template <int N>
inline constexpr Comparison kNetwork[] = {{0, 1}};
template <>
inline constexpr Comparison kNetwork<4>[] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}};
template <>
inline constexpr Comparison kNetwork<8>[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                             {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                             {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
template <>
inline constexpr Comparison kNetwork<16>[] = {
    {0, 13}, {1, 12}, {2, 15},  {3, 14},  {4, 8},   {5, 6},   {7, 11},  {9, 10},  {0, 5},
    {1, 7},  {2, 9},  {3, 4},   {6, 13},  {8, 14},  {10, 15}, {11, 12}, {0, 1},   {2, 3},
    {4, 5},  {6, 8},  {7, 9},   {10, 11}, {12, 13}, {14, 15}, {0, 2},   {1, 3},   {4, 10},
    {5, 11}, {6, 7},  {8, 9},   {12, 14}, {13, 15}, {1, 2},   {3, 12},  {4, 6},   {5, 7},
    {8, 10}, {9, 11}, {13, 14}, {1, 4},   {2, 6},   {5, 8},   {7, 10},  {9, 13},  {11, 14},
    {2, 4},  {3, 6},  {9, 12},  {11, 13}, {3, 5},   {6, 8},   {7, 9},   {10, 12}, {3, 4},
    {5, 6},  {7, 8},  {9, 10},  {11, 12}, {6, 7},   {8, 9}};

/// Each lane of the registers in order.
template <class T, int N, class V>
[[gnu::always_inline]] inline void sort_columns(V* v) {
  [&]<size_t... C>(std::index_sequence<C...>) {
    const auto compare = [v](const Comparison& c) {
      const V x = v[c.first], y = v[c.second];
      v[c.first] = Lanes<T>::least(x, y);
      v[c.second] = Lanes<T>::most(x, y);
    };
    (compare(kNetwork<N>[C]), ...);
  }
  (std::make_index_sequence<sizeof(kNetwork<N>) / sizeof(Comparison)>());
}

/// Lanes at this distance in order, and at all smaller ones.
template <class T, int N, int kDistance, class V>
[[gnu::always_inline]] inline void merge_lanes(V* v) {
  if constexpr (kDistance > 0) {
    using L = Lanes<T>;
#pragma GCC unroll 32
    for (int i = 0; i < N; i++)
      v[i] = L::template either<lanes_with<L::kLanes>(kDistance)>(
          v[i], L::template flipped<kDistance>(v[i]));
    merge_lanes<T, N, kDistance / 2>(v);
  }
}

/// Registers at this distance in order, and at all smaller ones.
template <class T, int N, class V>
[[gnu::always_inline]] inline void merge_registers(V* v) {
  using L = Lanes<T>;
#pragma GCC unroll 4
  for (int distance = N / 2; distance > 0; distance /= 2)
#pragma GCC unroll 32
    for (int i = 0; i < N; i++) {
      if (i & distance) continue;
      const V x = v[i], y = v[i + distance];
      v[i] = L::least(x, y);
      v[i + distance] = L::most(x, y);
    }
}

/// Columns in order become pairs of columns in order, and so on; the lanes of a register are far
/// apart in what is sorted, registers are neighbours, which need no shuffles.
template <class T, int N, int kColumns, class V>
[[gnu::always_inline]] inline void merge_columns(V* v) {
  using L = Lanes<T>;
  if constexpr (kColumns <= L::kLanes) {
    constexpr uint32_t kUpper = lanes_with<L::kLanes>(kColumns / 2);
    // The second half is walked from its end.
#pragma GCC unroll 8
    for (int i = 0; i < (N + 1) / 2; i++) {
      const V x = v[i], y = v[N - 1 - i];
      v[i] = L::template either<kUpper>(x, L::template flipped<kColumns - 1>(y));
      if (N > 1) v[N - 1 - i] = L::template either<kUpper>(y, L::template flipped<kColumns - 1>(x));
    }
    merge_lanes<T, N, kColumns / 4>(v);
    merge_registers<T, N>(v);
    merge_columns<T, N, 2 * kColumns>(v);
  }
}

/// Columns behind each other: the bits of a register's number go behind those of a lane's.
template <class T, int N, class V>
[[gnu::always_inline]] inline void columns_in_a_row(V* v) {
  constexpr int kLanes = Lanes<T>::kLanes;
#pragma GCC unroll 4
  for (int done = 1; done < N; done *= 2) {
    V w[N];
#pragma GCC unroll 8
    for (int i = 0; i < N / 2; i++) [&]<int... L>(std::integer_sequence<int, L...>) {
        w[2 * i] = __builtin_shufflevector(v[i], v[i + N / 2], (L / 2 + L % 2 * kLanes)...);
        w[2 * i + 1] =
            __builtin_shufflevector(v[i], v[i + N / 2], (kLanes / 2 + L / 2 + L % 2 * kLanes)...);
      }
    (std::make_integer_sequence<int, kLanes>());
#pragma GCC unroll 32
    for (int i = 0; i < N; i++) v[i] = w[i];
  }
}

/// N registers in order and N more, as 2 N.
template <class T, int N, class V>
[[gnu::always_inline]] inline void merge_halves(V* v) {
  using L = Lanes<T>;
  constexpr int kAll = L::kLanes - 1;
#pragma GCC unroll 8
  for (int i = 0; i < N / 2; i++) {
    const int k = N - 1 - i;
    const V x = v[i], y = L::template flipped<kAll>(v[N + k]);
    const V z = v[k], w = L::template flipped<kAll>(v[N + i]);
    v[i] = L::least(x, y);
    v[N + i] = L::most(x, y);
    v[k] = L::least(z, w);
    v[N + k] = L::most(z, w);
  }
  for (V* half = v; half < v + 2 * N; half += N) {
    merge_registers<T, N>(half);
    merge_lanes<T, N, L::kLanes / 2>(half);
  }
}

template <class T, int N, class V>
inline void sort_registers(V* v) {
  if constexpr (N > 16) {
    sort_registers<T, N / 2>(v);
    sort_registers<T, N / 2>(v + N / 2);
    merge_halves<T, N / 2>(v);
  } else {
    if constexpr (N > 1) sort_columns<T, N>(v);
    merge_columns<T, N, 2>(v);
    columns_in_a_row<T, N>(v);
  }
}

/// N registers; those behind kUsed have the largest number everywhere.
template <class T, int N, int kUsed, class V>
inline void sort_used(V* v) {
  if constexpr (kUsed < N) {
    sort_registers<T, N / 2>(v);
    sort_registers<T, kUsed - N / 2>(v + N / 2);
    merge_halves<T, N / 2>(v);
  } else {
    sort_registers<T, N>(v);
  }
}

/// n items in registers, `fill` behind them.
template <class T, int N, int kUsed>
struct Loaded {
  using L = Lanes<T>;
  int64_t n;
  int left(int i) const {
    const int64_t k = n - int64_t{i} * L::kLanes;
    return int(k < 0 ? 0 : k < L::kLanes ? k : L::kLanes);
  }
  typename L::V load(const T* from, int i, T fill) const {
    return i < N / 2   ? L::load(from + i * L::kLanes)
           : i < kUsed ? L::load_first(from + i * L::kLanes, left(i), fill)
                       : L::all(fill);
  }
  void store(T* to, int i, typename L::V v) const {
    if (i < N / 2)
      L::store(to + i * L::kLanes, v);
    else
      L::store_first(to + i * L::kLanes, left(i), v);
  }
};

#if defined(__AVX512F__)
/// As doubles; false where some are not in their range.
template <int N, int kUsed>
bool sort_as_doubles(const int64_t* from, int64_t n, int64_t* to) {
  if (reads_subnormals_as_zeros()) return false;  // small integers are such
  using L = Lanes<double>;
  const Loaded<int64_t, N, kUsed> items{n};
  L::V v[N];
  Lanes<int64_t>::V wraps{};
#pragma GCC unroll 64
  for (int i = 0; i < N; i++) v[i] = AsDoubles::to(items.load(from, i, AsDoubles::kMost), wraps);
  L::Mask nan = Lanes<int64_t>::negative(wraps);
#pragma GCC unroll 32
  for (int i = 0; i < kUsed; i += 2) nan |= L::unordered(v[i], v[i + 1 < N ? i + 1 : i]);
  if (nan != 0) return false;
  sort_used<double, N, kUsed>(v);
#pragma GCC unroll 64
  for (int i = 0; i < kUsed; i++) items.store(to, i, AsDoubles::from(v[i]));
  return true;
}
#endif

/// n items, which fit kUsed of N registers, but not N / 2; `to` may be where they come from.
template <class T, int N, int kUsed = N>
void sort_network(const T* from, int64_t n, T* to) {
#if defined(__AVX512F__)  // with AVX2 choices of integers take no longer
  if constexpr (std::is_same_v<T, int64_t>)
    if (sort_as_doubles<N, kUsed>(from, n, to)) return;
#endif
  const Loaded<T, N, kUsed> items{n};
  typename Lanes<T>::V v[N];
#pragma GCC unroll 32
  for (int i = 0; i < N; i++) v[i] = items.load(from, i, kLargest<T>);
  sort_used<T, N, kUsed>(v);
#pragma GCC unroll 32
  for (int i = 0; i < kUsed; i++) items.store(to, i, v[i]);
}

/// The halves of more than 32 registers are in memory, which pays where registers have few items.
template <class T>
constexpr int kMostRegisters = sizeof(T) == 8 ? 64 : 32;
template <class T>
constexpr int64_t kMostSorted = kMostRegisters<T>* Lanes<T>::kLanes;

template <class T>
void sort_network(const T* from, int64_t n, T* to) {
  constexpr int kLanes = Lanes<T>::kLanes;
  if (n <= kLanes) return sort_network<T, 1>(from, n, to);
  if (n <= 2 * kLanes) return sort_network<T, 2>(from, n, to);
  if (n <= 4 * kLanes) return sort_network<T, 4>(from, n, to);
  if (n <= 8 * kLanes) return sort_network<T, 8>(from, n, to);
  if (n <= 16 * kLanes) return sort_network<T, 16>(from, n, to);
  if (n <= 24 * kLanes) return sort_network<T, 32, 24>(from, n, to);
  if (n <= 32 * kLanes || kMostRegisters<T> == 32) return sort_network<T, 32>(from, n, to);
  if constexpr (kMostRegisters < T >> 32) {
    if (n <= 40 * kLanes) return sort_network<T, 64, 40>(from, n, to);
    if (n <= 48 * kLanes) return sort_network<T, 64, 48>(from, n, to);
    sort_network<T, 64>(from, n, to);
  }
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
#endif
