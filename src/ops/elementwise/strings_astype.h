// Texts as numbers and times.
#pragma once

#include <string>

#include "serrate/ops.h"

namespace serrate::ops {

/// Of times in this unit; "" is the coarsest that says all of every text.
Array strings_astype(const Array& x, DType to, const std::string& unit);

}  // namespace serrate::ops
