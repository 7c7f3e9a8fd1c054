// The loops of sorting that are compiled once per instruction set: keys, and lists of them.
//
// Values of any type become signed integers of 32 or 64 bits in the same order, the keys, small
// ones of 16 bits where registers of these can be compressed; positions travel with them in the low
// half of a 64-bit item, or in an item of two words.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/machine/isa.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

/// A 64-bit key and the position it came from.
struct KeyAt {
  int64_t key;
  int64_t position;
};

/// True where keys have 32 bits.
constexpr bool has_narrow_keys(DType t) { return itemsize(t) <= 4; }
/// True where they have twice 64, the first of which are what kernels make of them as keys.
constexpr bool has_two_keys(DType t) { return t == DType::complex128; }
/// True where they may have 16.
constexpr bool may_have_short_keys(DType t) { return itemsize(t) <= 2; }

/// Sorts list i, items[offsets[i]] .. (counts[i] of them if given, else all), for `lists` lists;
/// `room` is as large as `items`. Stable by key (int64_t: by all bits). The `skipped` lowest bytes
/// of keys are in order already wherever the others are equal.
template <class T>
using SortLists = void (*)(T* items, T* room, const int64_t* offsets, const int64_t* counts,
                           int64_t lists, int skipped);
/// Merges n sorted items of a and m of b, a's first where keys are equal.
template <class T>
using Merge = void (*)(const T* a, int64_t n, const T* b, int64_t m, T* out);

/// Sorts n items by registers, which may be in `out` already; false: pivots divide them so badly
/// that others are to do it, the same items are there in any order. `room` for `most` items: fewer
/// take longer.
template <class T>
using QuickSort = bool (*)(const T* items, int64_t n, T* out, T* room, int64_t most);
/// Items up to the pivot go to `low`, the others before `high`; both move on.
template <class T>
using SplitItems = void (*)(const T* items, int64_t n, T pivot, T** low, T** high);
/// Puts the item of rank k where it belongs, smaller ones before it; false as QuickSort.
template <class T>
using QuickSelect = bool (*)(T* items, int64_t n, int64_t k, T* room);

template <class T>
struct SortItems {
  SortLists<T> sort;
  Merge<T> merge;
  QuickSort<T> quick;  // these are null where registers can't be compressed, or of positions beside
  SplitItems<T> split;
  QuickSelect<T> select;
};

/// order[offsets[i]] ..: the indexes of list i's keys in order. `items` and `room` have place for
/// an item per key (int64_t for narrow keys, else KeyAt), which only longer lists need.
template <class K, class T>
using OrderLists = void (*)(const K* keys, T* items, T* room, const int64_t* offsets, int64_t lists,
                            int64_t* order);

/// A block of keys, of which those from low to high are selected.
template <class K>
struct BlockBetween {
  const K* keys;
  int64_t n;
  K low, high;
  K* inside;      // room for n keys and a register, or null: they are only counted
  uint8_t* mask;  // room for n
  K most;         // the largest key so far
  int64_t less = 0, kept = 0;
};
/// A block of keys and their items: those below the pivot, equal to it, above it.
template <class K>
struct BlockSplit {
  const K* keys;
  int64_t n;
  K pivot;
  const void* items;  // of `size` bytes, or null: only masks are wanted
  int size;
  void* to[3];        // where items are moved to, each kind in their order
  uint8_t* masks[3];  // room for n each
  int64_t moved[3] = {};
};
/// True: keys or items are where they belong. False: the masks say which these are.
template <class K>
struct BlockKernels {
  bool (*between)(BlockBetween<K>&);
  bool (*split)(BlockSplit<K>&);
};

/// Keys of n values. NaN and NaT get the largest one. False if there is a -0.0, whose key is that
/// of 0.0.
using ToKeys = bool (*)(DType t, const void* values, int64_t n, bool descending, void* keys);
/// Second keys of n complex128.
using SecondKeys = void (*)(const void* values, int64_t n, bool descending, int64_t* keys);
using FromKeys = void (*)(DType t, const void* keys, int64_t n, bool descending, void* values);

/// Numbers of four or eight bytes in order, none of them NaN, without those that equal the one
/// before; how many are left.
using DropRepeats = int64_t (*)(DType t, void* items, int64_t n);

struct SortKernels {
  ToKeys to_keys;  // as int32_t or int64_t
  FromKeys from_keys;
  SecondKeys second_keys;  // where has_two_keys()
  /// float32, float64 as they are, if there is room; false: NaN or -0.0, or subnormal numbers would
  /// be lost.
  ToKeys copy_numbers;
  ToKeys to_shorts;  // as int16_t
  FromKeys from_shorts;
  SortItems<int16_t> shorts;  // null where there are none
  SortItems<float> floats;    // of numbers that are neither NaN nor -0.0; null where there are none
  SortItems<double> doubles;
  SortItems<int32_t> narrow;
  SortItems<int64_t> wide;
  SortItems<KeyAt> pairs;
  OrderLists<int32_t, int64_t> order_narrow;
  OrderLists<int64_t, KeyAt> order_wide;
  BlockKernels<int32_t> narrow_blocks;
  BlockKernels<int64_t> wide_blocks;
  DropRepeats drop_repeats;
};

const SortKernels& sort_kernels(Isa isa = best_isa());

/// The kernels of keys of a type.
template <class K>
const SortItems<K>& sort_kernels_of() {
  if constexpr (std::is_same_v<K, double>)
    return sort_kernels().doubles;
  else if constexpr (std::is_same_v<K, float>)
    return sort_kernels().floats;
  else if constexpr (sizeof(K) == 8)
    return sort_kernels().wide;
  else if constexpr (sizeof(K) == 4)
    return sort_kernels().narrow;
  else
    return sort_kernels().shorts;
}
template <class K>
ToKeys to_keys_of() {
  if constexpr (std::is_floating_point_v<K>) return sort_kernels().copy_numbers;
  return sizeof(K) == 2 ? sort_kernels().to_shorts : sort_kernels().to_keys;
}
template <class K>
FromKeys from_keys_of() {
  return sizeof(K) == 2 ? sort_kernels().from_shorts : sort_kernels().from_keys;
}

}  // namespace serrate::cpu
