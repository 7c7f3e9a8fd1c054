// Items of memory at places that an array of integers says.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate::cpu {

struct TakeArgs {
  const void* items = nullptr;
  int64_t size = 0;  // number of items
  int itemsize = 0;  // 1, 2, 4, 8 or 16
  DType index_type = DType::int64;
  const void* index = nullptr;  // places; those below 0 are counted from the end
  int64_t count = 0;
};

/// out[i] = items[index[i]]. False if a place is none; then some of out is written.
bool take(const TakeArgs& of, void* out);

}  // namespace serrate::cpu
