// What is to be known of places before items are read or written there.
#pragma once

#include <cstdint>

#include "cpu/machine/isa.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

/// Some places are none, some are counted from the end: bits.
constexpr unsigned kOutside = 1, kBelow = 2;

/// Of `n` places of this type in an array of `size` items.
using LookAtPlaces = unsigned (*)(DType type, const void* places, int64_t n, int64_t size);
LookAtPlaces look_at_places(Isa isa = best_isa());

}  // namespace serrate::cpu
