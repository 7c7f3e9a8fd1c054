// Lists that gain or lose missing items: drop_none, pad_none, firsts, singletons.
#include <algorithm>

#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/axis.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "ops/tree/shift.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// The list without its missing items; unchanged if none can be missing.
NodeRef dropped(const NodeRef& n) {
  const NodeRef& content = n->contents[0];
  if (content->kind != NodeKind::option) return n;
  const SpaceRef present = select(n->space, content->column);
  return list_node(present, rebase_at(content->contents[0], n->space, present), -1, n->parameters);
}

NodeRef drop_all(const SpaceRef& space, const NodeRef& n) {
  if (!is_list(*n)) return map_contents(space, n, drop_all);
  const NodeRef d = dropped(n);
  // Which lengths remain is not known, so regular lists become variable ones.
  return list_node(d->space, drop_all(d->space, d->contents[0]), -1, n->parameters);
}

/// The items of n at the same place in the lists of `longer`, missing where there are none.
NodeRef padded(const NodeRef& n, const SpaceRef& longer, int64_t size) {
  const ColumnRef i = local(longer);
  const bool same_start = longer->kind == SpaceKind::list && longer->starts == n->space->starts;
  const auto here = [&](const ColumnRef& c) { return lift(c, n->space->parent, longer); };
  const ColumnRef has =
      same_start ? apply(Op::less, {position(longer), here(cast(n->space->stops, DType::int64))})
                 : apply(Op::less, {i, here(count(n->space))});
  const NodeRef content = option_node(has, rebase_pick(n->contents[0], longer, n->space, i, has));
  return list_node(longer, content, size, n->parameters);
}

}  // namespace

Array drop_none(const Array& x, Axis axis) {
  const graph::Operation operation;
  const NodeRef n = input(x);
  check<TypeError>(is_list(*n), "drop_none: expected an array, got {}", type_text(*n));
  if (!axis) return Array(drop_all(unit(), n));
  if (*axis < -levels(*n).max) return x;  // as in Awkward, and there only for negative ones
  return Array(at_axis(n, *axis, "drop_none",
                       [](const NodeRef& list, const ColumnRef&) { return dropped(list); },
                       {.simplify = true}));
}

Array pad_none(const Array& x, int64_t target, int axis, bool clip) {
  const graph::Operation operation;
  check<ValueError>(target >= 0 || !clip, "pad_none: can't clip lists to {} items", target);
  target = std::max<int64_t>(target, -1);  // less than any length
  const NodeRef root = input(x);
  check<TypeError>(is_list(*root), "pad_none: expected an array, got {}", type_text(*root));
  return Array(at_axis(
      root, axis, "pad_none",
      [&](const NodeRef& n, const ColumnRef&) -> NodeRef {
        const SpaceRef& space = n->space->parent;
        const bool outermost = space->kind == SpaceKind::unit;
        const int64_t size = outermost ? x.size() : n->size;
        // Lists of just that length become optional all the same, as in Awkward.
        if (!clip && size > target)
          return outermost && n->contents[0]->kind != NodeKind::leaf
                     ? list_node(n->space,
                                 option_node(constant(Scalar::boolean(true)), n->contents[0]), -1,
                                 n->parameters)
                     : n;
        if (clip || size >= 0) {
          // Not clipped, but known to be shorter.
          if (outermost) return padded(n, rows(target), -1);
          return padded(n, adjacent_lists(space, target), target);
        }
        const ColumnRef length = apply(Op::maximum, {count(n->space), constant(target)});
        if (n->space->kind != SpaceKind::list || n->space->starts->dtype != DType::int64)
          return padded(n, list(space, constant(0), length), -1);
        // Where items are is known without their indexes, if lists begin where they did.
        const ColumnRef& starts = n->space->starts;
        return padded(n, list(space, starts, apply(Op::add, {starts, length})), -1);
      },
      {.simplify = true, .skip = true}));
}

Array firsts(const Array& x, int axis) {
  const graph::Operation operation;
  const NodeRef root = input(x);
  check<TypeError>(is_list(*root), "firsts: expected an array, got {}", type_text(*root));
  const auto first = [](const NodeRef& n, const ColumnRef&) {
    const ColumnRef some = apply(Op::greater, {count(n->space), constant(0)});
    return option_node(some,
                       rebase_pick(n->contents[0], n->space->parent, n->space, constant(0), some));
  };
  return settle_missing(Array(at_axis(root, axis, "firsts", first, {.simplify = true})));
}

Array singletons(const Array& x, int axis) {
  const graph::Operation operation;
  return Array(map_axis(input(x), "singletons", axis, [](const SpaceRef& space, const NodeRef& n) {
    const SpaceRef one = adjacent_lists(space, 1);  // a view of the items, if none is missing
    if (n->kind != NodeKind::option) return list_node(one, rebase_lift(n, space, one));
    const SpaceRef present = select(one, parent(one, n->column));
    auto lists_of = [&](const NodeRef& items) {
      return list_node(present, rebase_at(rebase_lift(items, space, one), one, present));
    };
    const NodeRef& content = n->contents[0];
    if (content->kind != NodeKind::union_) return lists_of(content);
    // As in Awkward, a union of lists.
    std::vector<NodeRef> members;
    for (const auto& c : content->contents) members.push_back(lists_of(c));
    return simplified_union(space, content->column, members);
  }));
}

}  // namespace serrate
