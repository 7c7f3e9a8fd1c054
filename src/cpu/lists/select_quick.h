// A partition around one place of a list that one thread does, by registers: see select_quick.cpp.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate::cpu {

/// n items with the one of rank k where a sort puts it, smaller ones before it. False: nothing is
/// known of `out`, others are to do it (no AVX-512, keys of another size than items, a -0.0).
bool partition_quickly(DType t, const void* items, int64_t n, bool descending, int64_t k,
                       void* out);

}  // namespace serrate::cpu
