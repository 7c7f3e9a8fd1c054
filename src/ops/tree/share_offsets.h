// Stored lists that are equally long, each with offsets of its own: one of them serves all.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// Whether they have the same items in each list, as far as is known or quickly found: in the
/// host's memory stored offsets are compared, elsewhere if `wait` says so. What is equal is
/// remembered.
bool have_equal_lists(const graph::SpaceRef& a, const graph::SpaceRef& b, bool wait = false);

/// Where lists are equal to those of an earlier space, spaces[i] becomes that, and contents[i] lies
/// over it. Spaces may be null.
void share_offsets(std::vector<graph::SpaceRef>& spaces, std::vector<graph::NodeRef>& contents,
                   bool wait);

}  // namespace serrate::ops
