// Nodes with other contents.
#pragma once

#include <functional>
#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

/// What becomes of a node over a space.
using NodeMap = std::function<graph::NodeRef(const graph::SpaceRef&, const graph::NodeRef&)>;

/// The record or tuple of these.
graph::NodeRef record_like(const graph::Node& like, std::vector<graph::NodeRef> contents);

/// f of each content of a list, an option, a record or a union in its place; unions are simplified.
/// Strings, leaves and categoricals stay as they are.
graph::NodeRef map_contents(const graph::SpaceRef& space, const graph::NodeRef& n,
                            const NodeMap& f);

/// Members of unions that go together as one, at all levels.
graph::NodeRef with_simplified_unions(const graph::SpaceRef& space, const graph::NodeRef& n);

/// The node with other parameters.
graph::NodeRef with_parameters(const graph::NodeRef& n, Parameters p);

}  // namespace serrate::ops
