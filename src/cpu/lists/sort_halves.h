// The order of a long list of 64-bit keys in no more memory than the order itself takes.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate::cpu {

/// The longest list whose positions fit beside half of a key.
inline constexpr int64_t kMostHalves = int64_t{1} << 32;

/// order[0 .. n-1]: the indexes of n values of a type with 64-bit keys, stably in order, by the
/// calling thread; if `valid` is not null, those of items where it is 0 come last. First the upper
/// halves of keys are sorted, positions in the low halves of the same words; then, where upper
/// halves are equal, the lower ones.
void argsort_by_halves(DType t, const void* values, const uint8_t* valid, int64_t n,
                       bool descending, int64_t* order);

}  // namespace serrate::cpu
