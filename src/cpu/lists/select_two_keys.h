// Selection among items of two keys that are equal by the first one: multikey quickselect, as
// multikey sorts are (Bentley, Sedgewick 1997).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/lists/sort_kernels.h"

namespace serrate::cpu {

/// Items up to a first key, each with its own, become those that come first in order, stably:
/// `equal` of those of this key stay. They stand by position in `items`.
void order_leading(const std::byte* items, bool descending, int64_t key, int64_t equal,
                   std::vector<KeyAt>& leading);

/// Puts that of n items of one first key that belongs to a place there, with none behind it before
/// it: their positions in `items`, or they themselves.
void partition_order(const std::byte* items, bool descending, int64_t place, int64_t n,
                     int64_t* positions);
void partition_items(bool descending, int64_t place, int64_t n, std::byte* items);

}  // namespace serrate::cpu
