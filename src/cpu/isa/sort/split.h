// Items parted by a pivot, register by register (Bramas 2017).
#pragma once

#include "cpu/isa/sort/lanes.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA {
namespace {

/// More than these, and pivots divide badly.
constexpr int most_splits(int64_t n) { return 2 * (64 - __builtin_clzll(uint64_t(n) | 1)); }

/// Where parts of a list are written to: from a place on, or before it.
template <class T>
struct Upward {
  T* at;
  void store(typename Lanes<T>::Mask set, typename Lanes<T>::V v) {
    Lanes<T>::store(at, Lanes<T>::lanes_first(set, v));
    at += __builtin_popcount(set);
  }
  void store_few(typename Lanes<T>::Mask set, typename Lanes<T>::V v) {
    const int k = __builtin_popcount(set);
    Lanes<T>::store_first(at, k, Lanes<T>::lanes_first(set, v));
    at += k;
  }
};
template <class T>
struct Downward {
  T* at;
  void store(typename Lanes<T>::Mask set, typename Lanes<T>::V v) {
    if constexpr (Lanes<T>::kKeepsOthers) {  // the lanes that are set are the last ones
      Lanes<T>::store(at - Lanes<T>::kLanes, Lanes<T>::lanes_first(set ^ Lanes<T>::kAll, v));
      at -= __builtin_popcount(set);
    } else {
      store_few(set, v);
    }
  }
  void store_few(typename Lanes<T>::Mask set, typename Lanes<T>::V v) {
    const int k = __builtin_popcount(set);
    at -= k;
    Lanes<T>::store_first(at, k, Lanes<T>::lanes_first(set, v));
  }
};

/// f(register, lanes there are, is it among the last few) for all registers of a list, which are
/// read before anything that f writes could lie on them.
template <class T, class F>
[[gnu::always_inline]] inline void each_register(const T* from, int64_t n, F&& f) {
  using L = Lanes<T>;
  constexpr int kTogether = 4;  // so that no compression waits for another
  int64_t i = 0;
  for (; i + (kTogether + 1) * L::kLanes <= n; i += kTogether * L::kLanes) {
    typename L::V v[kTogether];
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) v[k] = L::load(from + i + k * L::kLanes);
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) f(v[k], L::kAll, std::false_type());
  }
  for (; i < n; i += L::kLanes) {
    const int64_t left = n - i < L::kLanes ? n - i : L::kLanes;
    f(L::load_first(from + i, left), L::first(left), std::true_type());
  }
}

/// Items up to the pivot go to the start of `low_to`, the others to that of `high_to`; how many are
/// up to it. `from` may be either of them: what is written has been read before.
template <class T>
int64_t split_by(const T* from, int64_t n, T pivot, T* low_to, T* high_to) {
  using L = Lanes<T>;
  using Mask = typename L::Mask;
  const auto p = L::all(pivot);
  Upward<T> low{low_to}, high{high_to};
  each_register(from, n, [&](typename L::V v, Mask there, auto is_last) {
    const Mask above = L::above(v, p) & there, below = Mask(there & ~above);
    if constexpr (is_last) {
      low.store_few(below, v);
      high.store_few(above, v);
    } else {
      low.store(below, v);
      high.store(above, v);
    }
  });
  return low.at - low_to;
}

/// Items up to the pivot go to `low` and behind it, the others before `high`; both move on. Between
/// them is room for the items that are still to come.
template <class T>
void split_apart(const T* from, int64_t n, T pivot, T** low_end, T** high_end) {
  using L = Lanes<T>;
  using Mask = typename L::Mask;
  const auto p = L::all(pivot);
  T *low = *low_end, *high = *high_end;
  int64_t i = 0;
  // Two whole registers overlap at the end of the room.
  for (; i + L::kLanes <= n && high - low >= 2 * L::kLanes; i += L::kLanes) {
    const auto v = L::load(from + i);
    const Mask above = L::above(v, p);
    const int some = __builtin_popcount(above);
    const auto lows = L::lanes_first(above ^ L::kAll, v);
    L::store(low, lows);
    if constexpr (L::kKeepsOthers)
      L::store(high - L::kLanes, lows);  // the others are at its end
    else
      L::store_first(high - some, some, L::lanes_first(above, v));
    low += L::kLanes - some;
    high -= some;
  }
  for (; i < n; i += L::kLanes) {
    const int64_t left = n - i < L::kLanes ? n - i : L::kLanes;
    const auto v = L::load_first(from + i, left);
    const Mask there = L::first(left), above = Mask(L::above(v, p) & there),
               below = Mask(there & ~above);
    const int k = __builtin_popcount(above), m = __builtin_popcount(below);
    L::store_first(low, m, L::lanes_first(below, v));
    L::store_first(high - k, k, L::lanes_first(above, v));
    low += m;
    high -= k;
  }
  *low_end = low;
  *high_end = high;
}

/// Items up to the pivot come first, where the list lies; how many these are. Registers are read
/// from the side on which there is less room, between what is written and what has not been read
/// (Bramas 2017).
template <class T>
int64_t split_in_place(T* a, int64_t n, T pivot) {
  using L = Lanes<T>;
  using Mask = typename L::Mask;
  constexpr int kTogether = 4;
  constexpr int64_t kBlock = kTogether * L::kLanes;
  if (n < 3 * kBlock) {
    T few[3 * kBlock];
    memcpy(few, a, size_t(n) * sizeof(T));
    T *low = a, *high = a + n;
    split_apart(few, n, pivot, &low, &high);
    return low - a;
  }
  const auto p = L::all(pivot);
  T ends[2 * kBlock], rest[kBlock];
  memcpy(ends, a, sizeof ends / 2);
  memcpy(ends + kBlock, a + n - kBlock, sizeof ends / 2);
  Upward<T> low{a};
  Downward<T> high{a + n};
  T *left = a + kBlock, *right = a + n - kBlock;
  while (right - left >= kBlock) {
    const bool from_left = left - low.at <= high.at - right;
    if (!from_left) right -= kBlock;
    const T* const from = from_left ? left : right;
    if (from_left) left += kBlock;
    typename L::V v[kTogether];
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) v[k] = L::load(from + k * L::kLanes);
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; k++) {
      const Mask above = L::above(v[k], p);
      low.store(Mask(L::kAll & ~above), v[k]);
      high.store(above, v[k]);
    }
  }
  const int64_t last = right - left;
  memcpy(rest, left, size_t(last) * sizeof(T));
  split_apart(rest, last, pivot, &low.at, &high.at);
  split_apart(ends, 2 * kBlock, pivot, &low.at, &high.at);
  return low.at - a;
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
#endif
