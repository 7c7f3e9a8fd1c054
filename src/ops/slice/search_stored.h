// Places in a sorted array, now.
#pragma once

#include <optional>

#include "graph/ir.h"

namespace serrate::ops {

/// Where stored numbers over `space` belong in a stored sorted array, as memory of its own. Nothing
/// where they are searched for by expressions: other back ends, types, what is not stored.
std::optional<graph::ColumnRef> searched_stored(const graph::SpaceRef& space,
                                                const graph::Node& item, const graph::Node& sorted,
                                                bool right);

}  // namespace serrate::ops
