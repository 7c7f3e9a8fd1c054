// Quickselect by registers (Hoare 1961; pivots of samples: Floyd, Rivest 1975).
#pragma once

#include <limits>

#include "cpu/isa/sort/sort_quick.h"
#include "cpu/isa/sort/split.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA {
namespace {

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

/// Item k is the one that a sort puts there, smaller ones are before it, larger ones behind. `from`
/// is `a` or, where `a` is to be written, `room`. False: pivots divided badly; still the same
/// items.
template <class T>
bool select_quick(T* a, int64_t n, int64_t k, T* room) {
  const T* from = a;
  for (int splits = most_splits(n); n > kMostSorted<T>; splits--) {
    if (splits == 0) {
      if (from != a) memcpy(a, from, size_t(n) * sizeof(T));
      return false;
    }
    // A pivot that leaves few items on the side of k, which is larger than the other one.
    const Sample<T, sizeof(T)> sample(from, n);
    constexpr int64_t kItems = sample.kItems, kMargin = kItems / 16;
    const int64_t at = k * kItems / n + (2 * k < n ? kMargin : -kMargin);
    const T pivot = sample.items[at < 0 ? 0 : at < kItems ? at : kItems - 1];
    const int64_t low = split_by(from, n, pivot, a, room);
    if (low == n) {
      if (pivot == std::numeric_limits<T>::min()) return true;
      n = split_by<T>(a, n, T(pivot - 1), a, room);
      fill_equal(a, n, low, pivot);
      if (k >= n) return true;
      from = a;
    } else if (k < low) {
      memcpy(a + low, room, size_t(n - low) * sizeof(T));
      from = a;
      n = low;
    } else {
      from = room;
      a += low;
      k -= low;
      n -= low;
    }
  }
  if (n > 0) sort_network(from, n, a);
  return true;
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
#endif
