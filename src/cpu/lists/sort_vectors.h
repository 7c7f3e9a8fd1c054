// Vectorised quicksort of integers, by a library made for it.
#pragma once

#include <cstdint>

namespace serrate::cpu {

/// Sorts n integers in place; false, with nothing done, if the library was not there when this was
/// built. Not stable, which integers cannot tell.
bool sort_by_vectors(int32_t* items, int64_t n);
bool sort_by_vectors(int64_t* items, int64_t n);

}  // namespace serrate::cpu
