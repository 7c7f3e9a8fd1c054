// Items at places, now.
#pragma once

#include <optional>

#include "serrate/array.h"

namespace serrate::ops {

/// x[places] of flat arrays of numbers that are stored in the host's memory, as memory of its own.
/// Nothing where another way must be taken: a place is none, x is something else, or somebody
/// writes down what is done (graph/evaluate.h).
std::optional<Array> take_stored(const Array& x, const Array& places);

}  // namespace serrate::ops
