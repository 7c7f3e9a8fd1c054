// What needs all items of a list at once: sorting and running sums, list by list.
//
// Lists are given by offsets: list i has the items offsets[i] .. offsets[i + 1] - 1, offsets[0] is
// 0. Work is shared by the threads of the pool; results are the same for any number of them.
#pragma once

#include <cstdint>

#include "core/types/reducer.h"
#include "serrate/dtype.h"
#include "serrate/op.h"

namespace serrate::cpu {

struct Lists {
  const int64_t* offsets = nullptr;
  int64_t count = 0;
  int64_t items() const { return offsets[count]; }
};

/// Each list in order. NaN and NaT come last in either direction, -0.0 equals 0.0, equal items stay
/// in order, items that are not `valid` (null: all are) come last. Complex numbers as NumPy has
/// them.
void sort_lists(DType t, const void* keys, const uint8_t* valid, const Lists& lists,
                bool descending, void* out);
/// The index in its list of the item that comes at each place.
void argsort_lists(DType t, const void* keys, const uint8_t* valid, const Lists& lists,
                   bool descending, int64_t* order);
/// The same of strings: item i is the bytes offsets[i] .. offsets[i + 1] - 1 of `bytes`, in the
/// order of their bytes, which for UTF-8 is that of the code points. `first`: only so many places
/// of each list are looked at; 0: all.
void argsort_strings(const uint8_t* bytes, const int64_t* offsets, const uint8_t* valid,
                     const Lists& lists, bool descending, int64_t* order, int64_t first = 0);
/// out[order[i]] = i in each list of a permutation.
void invert_lists(const int64_t* order, const Lists& lists, int64_t* out);

/// The running sum (prod, min, max) of the items of a list up to each place; items that are not
/// `valid` add nothing. `out` has the type of the
/// items, of sums and products of integers uint64_t (int64_t for signed ones). NaN and NaT stay.
/// Sums are added up in an order that depends on the lists only.
void scan_lists(Reducer r, DType t, const void* items, const uint8_t* valid, const Lists& lists,
                void* out);

/// The same by any operation on two values of t that gives one; there is nothing that adds nothing,
/// so all items take part. Strictly from the first item to the last.
void scan_lists(Op op, DType t, const void* items, const Lists& lists, void* out);

}  // namespace serrate::cpu
