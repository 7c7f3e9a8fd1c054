// Walking to one axis of a tree, counted from the outside or from the inside.
#include "ops/axis.h"

#include "graph/type_text.h"
#include "ops/input.h"
#include "ops/merge.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// List levels from here down to the leaves; -1 if branches differ.
int levels_below(const Node& n) {
  switch (n.kind) {
    case NodeKind::list:
      if (is_string(n)) return 0;
      {
        const int below = levels_below(*n.contents[0]);
        return below < 0 ? -1 : below + 1;
      }
    case NodeKind::option:
      return levels_below(*n.contents[0]);
    case NodeKind::record:
    case NodeKind::union_: {
      int all = -2;
      for (const auto& c : n.contents) {
        const int k = levels_below(*c);
        if (all != -2 && all != k) return -1;
        all = k;
      }
      return all == -2 ? 0 : all;
    }
    default:
      return 0;
  }
}

struct AxisWalk {
  const std::string& name;
  int axis;
  const AxisMap& f;
  bool lists;  // f gets the lists whose items the axis counts, not the items
  bool skip;   // branches that are not deep enough stay as they are, if others are

  /// Is `n`, over a space of `depth` list levels, what the axis counts items of?
  bool here(const Node& n, int depth) const {
    if (lists && !is_list(n)) return false;
    if (axis >= 0) return depth == (lists ? axis : axis + 1);
    const int below = levels_below(n);
    return below >= 0 && below + (lists ? 0 : 1) == -axis;
  }

  /// `mixed`: the axis counts from the inside, and branches above differ in depth.
  NodeRef step(const SpaceRef& space, const NodeRef& node, bool mixed = false) const {
    const NodeRef n = lists || axis < 0 ? node : option_outside(node);
    if (n->kind == NodeKind::record || n->kind == NodeKind::union_) {
      mixed = mixed || (axis < 0 && levels_below(*n) < 0);
      std::vector<NodeRef> contents;
      for (const auto& c : n->contents) contents.push_back(step(space, c, mixed));
      if (n->kind == NodeKind::union_) return simplified_union(space, n->column, contents);
      return n->is_tuple ? tuple_node(contents, n->parameters)
                         : record_node(*n->fields, contents, n->parameters);
    }
    if ((lists || space->depth > 0) && here(*n, space->depth)) return f(space, n);
    switch (n->kind) {
      case NodeKind::option:
        return option_node(n->column, step(space, n->contents[0], mixed));
      case NodeKind::list:
        if (!is_string(*n))
          return list_node(n->space, step(n->space, n->contents[0], mixed), n->size, n->parameters);
        [[fallthrough]];
      default:
        if (mixed && skip) return n;
        throw AxisError(
            fmt::format("{}: axis={} exceeds the depth of the nested list structure (which is {})",
                        name, axis, space->depth));
    }
  }
};

}  // namespace

NodeRef map_axis(const NodeRef& root, const std::string& name, int axis, const AxisMap& f) {
  check<TypeError>(is_list(*root), "{}: expected an array, got {}", name, type_text(*root));
  return AxisWalk{name, axis, f, false, false}.step(unit(), root);
}

NodeRef map_lists(const NodeRef& root, const std::string& name, int axis, const AxisMap& f,
                  bool skip) {
  check<TypeError>(is_list(*root), "{}: expected an array, got {}", name, type_text(*root));
  return AxisWalk{name, axis, f, true, skip}.step(unit(), root);
}

}  // namespace serrate::ops
