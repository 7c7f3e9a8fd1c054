// Quickselect by registers (Hoare 1961; pivots of samples: Floyd, Rivest 1975).
#pragma once

#include <limits>

#include "cpu/isa/sort/sort_quick.h"
#include "cpu/isa/sort/split.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA {
namespace {

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
