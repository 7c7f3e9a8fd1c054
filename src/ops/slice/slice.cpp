// getitem: the walk down a value tree, one list level per item.
#include "ops/slice/slice.h"

#include <algorithm>

#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/columns.h"
#include "ops/lists/flatten.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;
using Kind = SliceStep::Kind;

NodeRef Slicer::next(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  if (i == steps_.size()) return n;
  switch (steps_[i].kind) {
    case Kind::ellipsis:
      return ellipsis(space, n, i, guard);
    case Kind::newaxis:
      return newaxis(space, n, i, guard);
    default:
      return inside(space, n, i, guard);
  }
}

/// Down to the lists that step i is about. An ellipsis passes here too, on its way to more of them.
NodeRef Slicer::inside(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  switch (n->kind) {
    case NodeKind::list:
      return lists(space, n, i, guard);
    case NodeKind::option:
      return option_node(n->column, next(space, n->contents[0], i, both(guard, n->column)));
    case NodeKind::categorical:
      return next(space, project_categorical(space, n), i, guard);
    case NodeKind::record: {
      std::vector<NodeRef> contents;
      for (const auto& c : n->contents) contents.push_back(next(space, c, i, guard));
      return record_like(*n, std::move(contents));
    }
    case NodeKind::union_: {
      std::vector<NodeRef> contents;
      for (size_t k = 0; k < n->contents.size(); k++) {
        const ColumnRef here = is_member(*n, k);
        contents.push_back(next(space, n->contents[k], i, both(guard, here)));
      }
      return simplified_union(space, n->column, contents);
    }
    default:
      // Where an array of positions is empty, nothing is looked at; what would be is unknown still.
      if (n->kind == NodeKind::unknown && has_empty_array()) return n;
      throw IndexError(fmt::format(
          "getitem: too many indices: {} has no further dimension for item {}", type_text(*n), i));
  }
}

bool Slicer::has_empty_array() const {
  return std::ranges::any_of(steps_, [](const SliceStep& s) {
    if (s.kind != Kind::array && s.kind != Kind::mask) return false;
    for (const Node* n = s.tree.get(); is_list(*n); n = n->contents[0].get())
      if (shown_size(*n) == 0) return true;
    return false;
  });
}

NodeRef Slicer::lists(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  const SliceStep& step = steps_[i];
  switch (step.kind) {
    case Kind::at: {
      const ColumnRef index = item_index(space, *n, i, guard);
      of_item_ = of_item_ || space->kind == SpaceKind::unit;
      return next(space, rebase_pick(n->contents[0], space, n->space, index, guard), i + 1, guard);
    }
    case Kind::range: {
      RangeBounds r = slice_lists(*n, space, step.slice);
      const Guard below = guard ? lift(guard, space, r.space) : guard;
      return list_node(r.space, next(r.space, r.content, i + 1, below), r.size, n->parameters);
    }
    case Kind::array:
      return array(space, n, i, guard);
    case Kind::missing:
      return missing(space, n, i, guard);
    case Kind::mask:
      return mask(space, n, i, guard);
    case Kind::jagged:
      return jagged(space, n, i, guard);
    default: {  // an ellipsis that stands for this level
      const Guard below = guard ? lift(guard, space, n->space) : guard;
      return list_node(n->space, next(n->space, n->contents[0], i, below), n->size, n->parameters);
    }
  }
}

/// The integer of step i, ready to pick from each list of n.
ColumnRef Slicer::item_index(const SpaceRef& space, const Node& n, size_t i,
                             const Guard& guard) const {
  ColumnRef some;
  // Next to arrays an integer is an array of one value: where they are empty, nothing is picked.
  for (const auto& s : steps_) {
    if (s.kind != Kind::array) continue;
    some = both(some, apply(Op::greater, {count(s.tree->space), constant(0)}));
  }
  const ColumnRef& index = steps_[i].index;
  // The length of regular lists is known even where there are none.
  check<IndexError>(some || n.size < 0 || index->kind != ColumnKind::constant ||
                        (index->scalar.i >= -n.size && index->scalar.i < n.size),
                    "getitem: index {} is out of range for size {}", index->scalar.i, n.size);
  if (some) some = lift(some, unit(), space);
  const ColumnRef checked =
      checked_index(space, n.space, lift(index, unit(), space), both(guard, some), "getitem");
  return some ? apply(Op::where, {some, checked, constant(0)}) : checked;
}

NodeRef Slicer::ellipsis(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  if (i + 1 == steps_.size()) return n;
  int wanted = 0;
  for (size_t k = i + 1; k < steps_.size(); k++) {
    const SliceStep& s = steps_[k];
    if (s.kind == Kind::newaxis) continue;
    wanted += s.kind == Kind::jagged || s.kind == Kind::mask ? levels(*s.tree).max : 1;
  }
  const Levels l = levels(*n);
  if (l.min == wanted && l.max == wanted) return next(space, n, i + 1, guard);
  check<IndexError>(l.min != wanted && l.max != wanted,
                    "getitem: ellipsis (...) can't be used on data with different numbers of "
                    "dimensions, {} to {}",
                    l.min, l.max);
  return inside(space, n, i, guard);
}

NodeRef Slicer::newaxis(const SpaceRef& space, const NodeRef& n, size_t i, const Guard& guard) {
  // Lists of one item each, which stand where their owners do: what is stored stays so.
  const SpaceRef one = adjacent_lists(space, 1);
  NodeRef content = next(space, n, i + 1, guard);
  // The one list of a whole array would be walked by few threads.
  if (space->kind == SpaceKind::unit && !has_stored_lists(*content) &&
      !capabilities_of(content).shares_lists)
    content = evaluate(content);
  // The whole array has one length, which the type shows then.
  const auto lifted = of_item_ ? rebase_lift : lift_node;
  return list_node(one, lifted(content, space, one), 1);
}

/// One item has one type: a look tells which member of a union it is and whether it is missing.
NodeRef present(const NodeRef& item) {
  NodeRef n = item;
  while (true) {
    if (n->kind == NodeKind::union_) {
      n = n->contents[static_cast<size_t>(look(n->column))];
    } else if (n->kind == NodeKind::option && look(n->column) != 0) {
      n = n->contents[0];
    } else {
      return n;
    }
  }
}

}  // namespace serrate::ops

namespace serrate {

Array getitem(const Array& x, const std::vector<SliceItem>& items) {
  const graph::Operation operation;
  if (items.empty()) return x;
  ops::SlicePlan plan = ops::plan_slice(items);
  graph::NodeRef n = ops::sliced_input(x, plan.steps);
  ops::integers_as_arrays(plan, n);
  // Fields commute with positions.
  if (!plan.fields.empty()) n = ops::slice_fields(graph::unit(), n, plan.fields);
  const bool was_list = ops::is_list(*n);
  n = ops::Slicer(plan.steps).next(graph::unit(), n, 0, {});
  return Array(was_list ? ops::present(n) : n);
}

}  // namespace serrate
