// How long the lists of a space can be, as far as its structure and known sizes say.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// Items that a list of this space has at most: what is known of stored lists, what slices leave of
/// any (`x[:, :2]`), what filters and tuples make of these. Infinity if nothing is known.
double longest(const Space& s);

/// Somebody has looked for the longest of these stored lists: longest_list() tells from now on.
void note_longest_list(const SpaceRef& s, int64_t longest);

/// longest_list() of stored lists; computed, where nobody has looked yet, and noted.
int64_t look_for_longest(const SpaceRef& s);

}  // namespace serrate::graph
