// Walking to one axis of a tree, counted from the outside or from the inside.
#include "ops/tree/axis.h"

#include "graph/type_text.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

class AxisWalk {
 public:
  AxisWalk(const std::string& name, int axis, const NodeMap& f) : name_(name), axis_(axis), f_(f) {}

  NodeRef step(const SpaceRef& space, const NodeRef& node) const {
    const NodeRef n = axis_ < 0 ? node : option_outside(node);
    const bool record = n->kind == NodeKind::record || n->kind == NodeKind::union_;
    if (!record && space->depth > 0 && here(*n, space->depth)) return f_(space, n);
    if (!record && !is_list(*n) && n->kind != NodeKind::option)
      axis_too_large(name_, axis_, space->depth);
    return map_contents(space, n, [&](const SpaceRef& s, const NodeRef& c) { return step(s, c); });
  }

 private:
  /// Is `n`, over a space of `depth` list levels, what the axis counts items of?
  bool here(const Node& n, int depth) const {
    if (axis_ >= 0) return depth == axis_ + 1;
    const Levels below = levels(n);
    return below.min == below.max && below.max + 1 == -axis_;
  }

  const std::string& name_;
  int axis_;
  const NodeMap& f_;
};

}  // namespace

NodeRef map_axis(const NodeRef& root, const std::string& name, int axis, const NodeMap& f) {
  check<TypeError>(is_list(*root), "{}: expected an array, got {}", name, type_text(*root));
  return AxisWalk(name, axis, f).step(unit(), root);
}

}  // namespace serrate::ops
