// Broadcasting: value trees over one space walked down together, by Awkward's and NumPy's rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/ir.h"

namespace serrate::ops {

struct BroadcastOptions {
  std::string where;            ///< the operation, for messages: "cannot broadcast ... in `add`"
  bool left_broadcast = true;   ///< a shallower operand repeats for every item of a var list
  bool right_broadcast = true;  ///< NumPy's rule where all dimensions of all operands are regular
  /// Set before each call of a leaf: where its result counts (null: everywhere).
  graph::ColumnRef* guard = nullptr;
  bool allow_records = false;  ///< false: ValueError where a record remains
  /// Parameters of the lists and records of the results: those that all operands have, all if they
  /// are the same, those of the operand of the same number, or none.
  enum class Rule : uint8_t { intersect, all_or_nothing, one_to_one, none } rule = Rule::intersect;
};

/// Called at every level, outermost first, with nodes over `space`; a result ends the walk there.
/// The nodes may be of any kind; space->depth is the number of list levels passed (1: items of axis
/// 0).
using BroadcastLeaf = std::function<std::optional<graph::NodeRef>(
    const graph::SpaceRef& space, const std::vector<graph::NodeRef>& nodes)>;
using BroadcastLeaves = std::function<std::optional<std::vector<graph::NodeRef>>(
    const graph::SpaceRef& space, const std::vector<graph::NodeRef>& nodes)>;

/// Walks `nodes` (all over `space`) down together. At each level: unknown counts as float64,
/// categoricals as their values, unions give a union over all combinations of tags, options one
/// option around the result, lists one list (equal lengths, checked when evaluated), records are
/// matched field by field if allowed. Strings are never descended into.
/// ValueError where the operands cannot match.
graph::NodeRef broadcast_apply(const graph::SpaceRef& space,
                               const std::vector<graph::NodeRef>& nodes,
                               const BroadcastOptions& options, const BroadcastLeaf& leaf);

/// The same with several results: each call of `leaf` must give the same number of nodes.
std::vector<graph::NodeRef> broadcast_many(const graph::SpaceRef& space,
                                           const std::vector<graph::NodeRef>& nodes,
                                           const BroadcastOptions& options,
                                           const BroadcastLeaves& leaf);

/// List levels down to the leaves along the outermost path (1: no list; strings count as leaves).
int purelist_depth(const graph::Node& n);

}  // namespace serrate::ops
