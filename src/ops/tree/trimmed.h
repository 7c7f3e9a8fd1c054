// Lists that are others without some items at their ends, as x[:, 1:] and x[:, :-1].
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// Operands whose lists differ in where the same lists were cut, but not in how much of them was
/// (x[:, 1:] - x[:, :-1]), over the space of the one of them that begins first. Their lengths are
/// equal, so nobody need compare them, and what is added to a position is an address.
void share_trimmed(std::vector<graph::SpaceRef>& spaces, std::vector<graph::NodeRef>& contents);

}  // namespace serrate::ops
