// Many stored lists that are equally long, each with offsets of its own: one of them serves all.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// Where they are stored and have the offsets of the first stored one, spaces[i] becomes that, and
/// contents[i] lies over it. Spaces may be null.
void share_offsets(std::vector<graph::SpaceRef>& spaces, std::vector<graph::NodeRef>& contents);

}  // namespace serrate::ops
