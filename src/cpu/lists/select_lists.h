// Order statistics of lists, without sorting them.
#pragma once

#include <cstdint>

#include "cpu/lists/lists.h"
#include "graph/selection.h"

namespace serrate::cpu {

/// What sort_lists() and argsort_lists() leave, at the places that are looked at; false, with
/// nothing done, where sorting is as fast. Exactly one of `out` and `order` is not null.
bool select_lists(DType t, const void* keys, const uint8_t* valid, const Lists& lists,
                  bool descending, const graph::Places& places, void* out, int64_t* order);

/// The same of one list of integers, however short: their order.
void select_keys(const int64_t* keys, int64_t n, const graph::Places& places, int64_t* order);

}  // namespace serrate::cpu
