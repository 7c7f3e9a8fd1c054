// Items of memory that are equally far apart, as slices with a step look at.
#pragma once

#include <cstdint>

#include "cpu/machine/isa.h"

namespace serrate::cpu {

/// out[i] = from[i * step] for n items of `size` bytes: 1, 2, 4, 8 or 16. Nothing else is read or
/// written; steps may be negative or 0.
using CopyStrided = void (*)(int size, const void* from, int64_t step, int64_t n, void* out);
CopyStrided copy_strided(Isa isa = best_isa());

}  // namespace serrate::cpu
