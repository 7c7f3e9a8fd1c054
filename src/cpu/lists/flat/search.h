// Places of numbers in a sorted array.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate::cpu {

struct SearchArgs {
  DType sorted_type = DType::float64;
  const void* sorted = nullptr;  // NaN last
  int64_t size = 0;
  DType item_type = DType::float64;
  const void* items = nullptr;
  int64_t count = 0;
  bool right = false;  // behind equal ones, not before them
};

/// Is there a loop for these types? They are compared as their common type, where that is exact for
/// integers: not for int64 beside uint64, integers among complex numbers, float16, times.
bool searches(DType sorted, DType items);
/// out[i]: how many of the sorted ones come before item i. Of types that searches() takes.
void search(const SearchArgs& of, int64_t* out);

}  // namespace serrate::cpu
