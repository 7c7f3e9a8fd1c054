// Removing list levels.
#pragma once

#include "graph/ir.h"

namespace serrate::ops {

/// All leaves of an array as one list; `keep_none` keeps missing leaves (missing lists never
/// count).
graph::NodeRef flatten_all(const graph::NodeRef& array, bool keep_none);

/// The items of stored lists of stored lists joined, as they lie; null of others, and where a GPU
/// would have to be asked.
graph::NodeRef joined_stored(const graph::Node& lists);

/// All items of lists in lists that are stored: numbers, maybe missing, or what is computed of
/// each. One list with a known number of items is what the fastest loops take. Null of others.
graph::NodeRef items_side_by_side(const graph::Node& lists);

/// Without the members of unions that no value has: looks which.
graph::NodeRef without_absent(const graph::SpaceRef& space, const graph::NodeRef& n);

/// n over `space` as the content of one array with an item per position of `space`.
graph::NodeRef list_of(const graph::SpaceRef& space, const graph::NodeRef& n);

/// Has it no positions? Looks at the data where that depends on them.
bool is_empty(const graph::SpaceRef& space);

/// Arrays end to end; types merged.
graph::NodeRef join(const std::vector<graph::NodeRef>& arrays, bool mergebool);

/// Lists over `space` end to end. Missing lists count as empty.
graph::NodeRef join_lists(const graph::SpaceRef& space, const std::vector<graph::NodeRef>& parts,
                          bool mergebool);

/// A union whose members are lists, maybe missing, as lists of unions; missing ones are empty.
graph::NodeRef list_of_union(const graph::SpaceRef& space, const graph::Node& n,
                             bool mergebool = false);

}  // namespace serrate::ops
