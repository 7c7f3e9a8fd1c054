// Lists that gain or lose missing items: drop_none, pad_none, firsts, singletons.
#include <algorithm>

#include "graph/type_text.h"
#include "ops/axis.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/merge.h"
#include "ops/shift.h"
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
  switch (n->kind) {
    case NodeKind::list: {
      if (is_string(*n)) return n;
      const NodeRef d = dropped(n);
      // Which lengths remain is not known, so regular lists become variable ones.
      return list_node(d->space, drop_all(d->space, d->contents[0]), -1, n->parameters);
    }
    case NodeKind::option:
      return option_node(n->column, drop_all(space, n->contents[0]));
    case NodeKind::union_:
    case NodeKind::record: {
      std::vector<NodeRef> contents;
      for (const auto& c : n->contents) contents.push_back(drop_all(space, c));
      if (n->kind == NodeKind::union_) return simplified_union(space, n->column, contents);
      return n->is_tuple ? tuple_node(contents, n->parameters)
                         : record_node(*n->fields, contents, n->parameters);
    }
    default:
      return n;
  }
}

/// The items of n at the same place in the lists of `longer`, missing where there are none.
NodeRef padded(const NodeRef& n, const SpaceRef& longer, int64_t size) {
  const ColumnRef i = local(longer);
  const ColumnRef length = lift(count(n->space), n->space->parent, longer);
  const ColumnRef has = apply(Op::less, {i, length});
  const NodeRef content = option_node(has, rebase_pick(n->contents[0], longer, n->space, i, has));
  return list_node(longer, content, size, n->parameters);
}

}  // namespace

Array drop_none(const Array& x, Axis axis) {
  const NodeRef n = input(x);
  check<TypeError>(is_list(*n), "drop_none: expected an array, got {}", type_text(*n));
  if (!axis) return Array(drop_all(unit(), n));
  if (*axis < -levels(*n).max) return x;  // as in Awkward, and there only for negative ones
  return Array(map_lists(n, "drop_none", *axis,
                         [](const SpaceRef&, const NodeRef& list) { return dropped(list); }));
}

Array pad_none(const Array& x, int64_t target, int axis, bool clip) {
  check<ValueError>(target >= 0 || !clip, "pad_none: can't clip lists to {} items", target);
  target = std::max<int64_t>(target, -1);  // less than any length
  return Array(map_lists(
      input(x), "pad_none", axis,
      [&](const SpaceRef& space, const NodeRef& n) -> NodeRef {
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
        return padded(n, list(space, constant(0), length), -1);
      },
      true));
}

Array firsts(const Array& x, int axis) {
  return settle_missing(Array(
      map_lists(input(x), "firsts", axis, [&](const SpaceRef& space, const NodeRef& n) -> NodeRef {
        const ColumnRef some = apply(Op::greater, {count(n->space), constant(0)});
        return option_node(some, rebase_pick(n->contents[0], space, n->space, constant(0), some));
      })));
}

Array singletons(const Array& x, int axis) {
  return Array(map_axis(input(x), "singletons", axis, [](const SpaceRef& space, const NodeRef& n) {
    const ColumnRef p = is_plain(space) ? position(space) : constant(0);
    const SpaceRef one = list(space, p, apply(Op::add, {p, constant(1)}), is_plain(space));
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
