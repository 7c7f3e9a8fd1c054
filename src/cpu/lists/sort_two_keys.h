// Lists of items with two keys of 64 bits, that are sorted by the first one, then, where these are
// equal, by the second (multikey sorts: Bentley, Sedgewick 1997).
#pragma once

#include <cstdint>

#include "cpu/lists/lists.h"

namespace serrate::cpu {

/// argsort_lists() and sort_lists() of a type that has_two_keys().
void argsort_by_two_keys(DType t, const void* items, const uint8_t* valid, const Lists& lists,
                         bool descending, int64_t* order);
void sort_by_two_keys(DType t, const void* items, const uint8_t* valid, const Lists& lists,
                      bool descending, void* out);

/// Second keys of the items at n positions.
void second_keys_at(const void* items, const int64_t* positions, int64_t n, bool descending,
                    int64_t* keys);
/// Positions of items whose first keys are equal, stably in the order of the second ones.
void order_by_second(const void* items, bool descending, int64_t* positions, int64_t n);

/// f(begin, end) for what is in begin .. end - 1 of n items, of which key(i) is the first key: runs
/// of two equal ones or more.
template <class Key, class F>
void each_equal_run(int64_t n, Key&& key, F&& f) {
  for (int64_t i = 1; i < n; i++) {
    if (key(i) != key(i - 1)) continue;
    const int64_t begin = i - 1;
    while (i < n && key(i) == key(begin)) i++;
    f(begin, i);
  }
}

}  // namespace serrate::cpu
