// How many items there may be: so that no sum or product of sizes, or of bytes, overflows.
#pragma once

#include <cstdint>

#include "serrate/error.h"

namespace serrate::graph {

inline constexpr int64_t kMaxItems = int64_t{1} << 56;

/// Items of a tuple that combinations make, which are as many fields.
inline constexpr int kMostCombined = 64;

/// Of `lists` lists with `size` items each, neither negative. ValueError if they are too many.
inline int64_t items_of(int64_t lists, int64_t size) {
  int64_t items = 0;
  const bool fits = !__builtin_mul_overflow(lists, size, &items) && items <= kMaxItems;
  check<ValueError>(fits, "{} x {} items are too many for an array: at most {}", lists, size,
                    kMaxItems);
  return items;
}

}  // namespace serrate::graph
