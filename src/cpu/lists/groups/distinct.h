// The different numbers of one list, in order.
#pragma once

#include <cstdint>
#include <optional>

#include "serrate/buffer.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

/// Equal are items that sorts leave in their order, of which the first is kept. Nothing for few
/// items, for floating-point numbers of two bytes, and for what several threads group faster.
std::optional<Buffer> distinct_numbers(DType t, const void* items, int64_t n);

}  // namespace serrate::cpu
