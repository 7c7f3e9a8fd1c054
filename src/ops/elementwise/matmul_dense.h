// Products of dense matrices, as a whole.
#pragma once

#include <optional>

#include "serrate/array.h"

namespace serrate::ops {

/// The product of a regular matrix of floating-point or complex numbers and one of them or a
/// vector, computed now by the library that a back end has for it; nothing for small ones, for
/// other operands, and where there is none.
std::optional<Array> dense_product(const Array& x, const Array& y);

}  // namespace serrate::ops
