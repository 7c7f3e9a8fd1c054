// Sorting integers that take few different values: counting them, in three passes.
#pragma once

#include "cpu/lists/lists.h"

namespace serrate::cpu {

/// A list of n keys of one type, whose order or sorted values (one of them null) are wanted.
struct CountedList {
  DType type;
  const void* keys;
  const uint8_t* valid;  // or null: all
  int64_t n;
  bool descending;
  int64_t* order;
  void* out;
};

/// Sorts stably, items that are not valid last. False, and nothing is written, where the keys are
/// no integers or differ by too much.
bool sort_by_counting(const CountedList& list);

}  // namespace serrate::cpu
