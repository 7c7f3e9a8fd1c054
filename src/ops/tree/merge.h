// Merging value trees over one space: by a tag, by a condition, with types unified as Awkward does.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// At each position of `space` the content that `tag` (an integer column) says. Contents of
/// mergeable types become one (numbers promote, lists and records merge inside, options move
/// outside); what remains is a union. `mergebool`: booleans merge with numbers (where users ask).
graph::NodeRef simplified_union(const graph::SpaceRef& space, const graph::ColumnRef& tag,
                                const std::vector<graph::NodeRef>& contents,
                                bool mergebool = false);

/// x where `condition` (boolean column over `space`) holds, else y; types merged as above.
graph::NodeRef choose(const graph::SpaceRef& space, const graph::ColumnRef& condition,
                      const graph::NodeRef& x, const graph::NodeRef& y, bool mergebool = true);

/// The same of numbers without units and parameters; null where those would be a union.
graph::ColumnRef choose_numbers(const graph::ColumnRef& condition, const graph::ColumnRef& x,
                                const graph::ColumnRef& y, bool mergebool);

/// The plain values of a categorical; any other node unchanged.
graph::NodeRef project_categorical(const graph::SpaceRef& space, const graph::NodeRef& n);

/// A union whose members may be missing as an option of a union; any other node unchanged.
graph::NodeRef option_outside(const graph::NodeRef& n);

/// list_node over `space`'s child with the parameters and size of `like` and another space.
graph::NodeRef list_like(const graph::Node& like, const graph::SpaceRef& child,
                         const graph::NodeRef& content);

}  // namespace serrate::ops
