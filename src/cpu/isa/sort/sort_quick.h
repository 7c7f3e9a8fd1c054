// Quicksort by registers (Bramas 2017; Blacher, Giesen, Kuehne 2021): lists are partitioned by
// compressing registers until they are short enough for networks. They are compressed in a register
// and stored whole, as compressing stores are slow on some CPUs.
#pragma once

#include "cpu/isa/sort/sort_networks.h"
#include "cpu/isa/sort/split.h"

#if defined(__AVX2__)
namespace serrate::cpu::SERRATE_ISA {
namespace {

/// The same in three parts, up to two different pivots and above both.
template <class T, class Low, class Middle, class High>
void split_in_three(const T* from, int64_t n, T first, T second, Low& low, Middle& middle,
                    High& high) {
  using L = Lanes<T>;
  using Mask = typename L::Mask;
  const auto p = L::all(first), q = L::all(second);
  each_register(from, n, [&](typename L::V v, Mask there, auto is_last) {
    const Mask above = L::above(v, p) & there, highest = L::above(v, q) & there;
    const Mask below = Mask(there & ~above), between = Mask(above & ~highest);
    if constexpr (is_last) {
      low.store_few(below, v);
      middle.store_few(between, v);
      high.store_few(highest, v);
    } else {
      low.store(below, v);
      middle.store(between, v);
      high.store(highest, v);
    }
  });
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

/// The largest number below x, which is neither the smallest one nor -0.0.
template <class T>
T number_below(T x) {
  if constexpr (std::is_integral_v<T>) {
    return T(x - 1);
  } else {
    using Bits = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    if (x == 0) return -std::numeric_limits<T>::denorm_min();
    const auto bits = __builtin_bit_cast(Bits, x);
    return __builtin_bit_cast(T, Bits(bits > 0 ? bits - 1 : bits + 1));
  }
}

/// Behind `low` items up to a pivot, of which `less` are less, those that equal it.
template <class T>
void fill_equal(T* out, int64_t less, int64_t low, T pivot) {
  for (int64_t i = less; i < low; i++) out[i] = pivot;
}

/// Longer lists, which are in the second cache, are split in three: what bounds that are the items
/// that come and go, not what is done with them.
template <class T>
constexpr int64_t kInFirstCache = 24576 / int64_t{sizeof(T)};

template <class T>
bool sort_quick(const T* from, int64_t n, T* out, T* room, int splits);

/// Each part by itself; false as sort_quick.
template <class T>
bool sort_three(const T* from, int64_t n, T first, T second, T* out, T* room, int splits) {
  Upward<T> low{out};
  if (from == room) {
    Downward<T> middle{out + n};
    Upward<T> high{room};
    split_in_three(from, n, first, second, low, middle, high);
    const int64_t lows = low.at - out, highs = high.at - room, middles = n - lows - highs;
    // The middle goes first: where it is the others will be.
    const bool sorted = sort_quick(middle.at, middles, out + lows, room + highs, splits) &&
                        sort_quick(out, lows, out, room + highs, splits);
    if (sorted) return sort_quick(room, highs, out + n - highs, room, splits);
    memcpy(out + n - highs, room, size_t(highs) * sizeof(T));
    return false;
  }
  Upward<T> middle{room};
  Downward<T> high{room + n};
  split_in_three(from, n, first, second, low, middle, high);
  const int64_t lows = low.at - out, middles = middle.at - room, highs = n - lows - middles;
  const bool low_sorted = sort_quick(out, lows, out, room + middles, splits);
  const bool sorted = low_sorted && sort_quick(room, middles, out + lows, room, splits);
  if (sorted) return sort_quick(high.at, highs, out + n - highs, high.at, splits);
  if (!low_sorted) memcpy(out + lows, room, size_t(middles) * sizeof(T));
  memcpy(out + n - highs, high.at, size_t(highs) * sizeof(T));
  return false;
}

/// False where pivots divide badly, so often that others sort faster: the list is in another order.
/// `from` is `out` or `room`, which have n items, or another list.
template <class T>
bool sort_quick(const T* from, int64_t n, T* out, T* room, int splits) {
  while (n > kMostSorted<T>) {
    if (splits-- == 0) {
      if (from != out) memmove(out, from, size_t(n) * sizeof(T));
      return false;
    }
    if (n > kInFirstCache<T>) {
      const Sample<T, sizeof(T)> sample(from, n);
      const T first = sample.items[sample.kItems / 3], second = sample.items[sample.kItems * 2 / 3];
      if (first != second) return sort_three(from, n, first, second, out, room, splits);
    }
    const T pivot = pivot_of(from, n);
    int64_t low = split_by(from, n, pivot, out, room);
    from = out;
    if (low == n) {
      // Nothing is larger: those that are equal to the pivot are where they belong.
      if (pivot == kSmallest<T>) return true;
      n = split_by(from, n, number_below(pivot), out, room);
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

/// The same with room for fewer items: longer lists are split where results lie.
template <class T>
bool sort_parts(T* a, int64_t n, T* room, int64_t most, int splits) {
  while (n > most) {
    if (splits-- == 0) return false;
    const Sample<T, sizeof(T)> sample(a, n);
    const T pivot = sample.items[sample.kItems / 2];
    const int64_t low = split_in_place(a, n, pivot);
    if (low < n) {
      if (!sort_parts(a, low, room, most, splits)) return false;
      a += low;
      n -= low;
    } else if (pivot == kSmallest<T>) {
      return true;
    } else {
      n = split_in_place(a, n, number_below(pivot));
      fill_equal(a, n, low, pivot);
    }
  }
  return sort_quick(static_cast<const T*>(a), n, a, room, splits);
}

/// `room` for `most` items.
template <class T>
bool sort_quick(const T* from, int64_t n, T* out, T* room, int64_t most) {
  const int splits = most_splits(n);
  if (n <= most) return sort_quick(from, n, out, room, splits);
  if (from != out) {
    const Sample<T, sizeof(T)> sample(from, n);
    T *low = out, *high = out + n;
    split_apart(from, n, sample.items[sample.kItems / 2], &low, &high);
    return sort_parts(out, low - out, room, most, splits) &&
           sort_parts(low, out + n - low, room, most, splits);
  }
  return sort_parts(out, n, room, most, splits);
}

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
#endif
