// Products of dense matrices, as a whole.
#pragma once

#include <optional>

#include "serrate/array.h"

namespace serrate::ops {

/// The product of a regular matrix of floating-point or complex numbers and one of them or a
/// vector, or of those in a list of each, computed now by what a back end has for it; nothing for
/// small ones that are alone, for other operands, and where there is nothing. `is_vector`: y is
/// one, or a list of some.
std::optional<Array> dense_product(const Array& x, const Array& y, bool is_vector);

/// The same of two vectors, if both are stored: what must be computed is so in the pass that adds
/// up. `conjugates`: the first one.
std::optional<Array> dense_dot(const Array& x, const Array& y, bool conjugates);

}  // namespace serrate::ops
