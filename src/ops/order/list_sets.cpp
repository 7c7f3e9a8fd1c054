// unique, value_counts, group_by, diff: from innermost lists to lists of other
// lengths.
#include <algorithm>

#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/flatten.h"
#include "ops/lists/list_items.h"
#include "ops/order/groups.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/shift.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

Array innermost(const std::string& name, const Array& x, Axis axis, const OnLists& f) {
  return Array(innermost_lists(input(x), name, axis, f));
}

Array along(const std::string& name, const Array& x, Axis axis,
            const std::function<NodeRef(const NodeRef&)>& f, bool numbers = false) {
  const auto of_list = [&](const SpaceRef&, const NodeRef& n, const ColumnRef&) { return f(n); };
  return Array(lists_along(input(x), name, axis, false, of_list, numbers));
}

/// One list of all items, stored where a back end would count its way to what groups have.
NodeRef stored_to_be_grouped(const NodeRef& list) {
  const bool is_whole = list->space->parent->kind == SpaceKind::unit;
  if (!is_whole || is_stored(list->space) || looks_of_thread != nullptr ||
      !backend(surrounding_device()).capabilities().counts_to_picks)
    return list;
  return evaluate(list);
}

/// What f makes of lists along an axis, of several parts each. Along an outer axis, and of all
/// items, they are made at once, as the lists are made for it; else each when it is looked at.
using PartsOf = std::function<NodeRef(const NodeRef& list, const ColumnRef& place, size_t part)>;
std::vector<Array> parts_along(const std::string& name, const NodeRef& root, Axis axis,
                               size_t parts, bool with_place, const PartsOf& f) {
  std::vector<Array> out;
  if (axis && !is_outer_axis(*root, axis)) {
    for (size_t k = 0; k < parts; k++)
      out.push_back(Array(lists_along(root, name, axis, with_place,
                                      [&](const SpaceRef&, const NodeRef& n,
                                          const ColumnRef& place) { return f(n, place, k); })));
    return out;
  }
  const Array all(lists_along(root, name, axis, with_place,
                              [&](const SpaceRef&, const NodeRef& list, const ColumnRef& place) {
                                const NodeRef n = place ? list : stored_to_be_grouped(list);
                                std::vector<NodeRef> of;
                                for (size_t k = 0; k < parts; k++) of.push_back(f(n, place, k));
                                return tuple_node(of);
                              }));
  for (size_t k = 0; k < parts; k++) out.push_back(all[std::to_string(k)]);
  return out;
}

/// Is it one array of numbers or booleans, and nothing else?
bool is_flat(const Node& root) { return is_list(root) && root.contents[0]->kind == NodeKind::leaf; }

/// Are its items booleans?
bool is_boolean(const Node& n) {
  if (is_list(n)) return is_boolean(*n.contents[0]);
  return n.kind == NodeKind::leaf && n.column->dtype == DType::boolean;
}

/// The axis of lists of lists, or of a flat array; nothing if it is the innermost one.
std::optional<int> outer_axis(const Array& x, int axis) {
  const NodeRef root = input(x);
  const int depth = lists_above(*root);
  const int a = axis < 0 ? axis + depth : axis;
  check<AxisError>(a >= 0 && a < depth,
                   "diff: axis={} exceeds the depth of the nested list structure (which is {})",
                   axis, depth);
  return a < depth - 1 || (depth == 1 && is_flat(*root)) ? std::optional(a) : std::nullopt;
}

/// Neighbours, regular below the axis, are subtracted as they are.
Array regular_diff(const Array& x, int axis) {
  std::vector<SliceItem> after(static_cast<size_t>(axis), Slice{}), before = after;
  after.push_back(Slice{1});
  before.push_back(Slice{std::nullopt, -1});
  const Array b = getitem(x, after), a = getitem(x, before);
  return is_boolean(*input(x)) ? not_equal(b, a) : subtract(b, a);
}

/// Are all lists below an axis regular?
bool is_regular_below(const Node& n, int axis) {
  if (!is_list(n)) return n.kind == NodeKind::leaf || n.kind == NodeKind::unknown;
  return (axis >= 0 || n.size >= 0) && is_regular_below(*n.contents[0], axis - 1);
}

/// b - a of leaves and options of them.
NodeRef difference(const NodeRef& b, const NodeRef& a) {
  const bool missing = a->kind == NodeKind::option;
  const NodeRef &x = missing ? a->contents[0] : a, &y = missing ? b->contents[0] : b;
  if (x->kind == NodeKind::unknown) return a;
  check<TypeError>(x->kind == NodeKind::leaf, "diff: not defined for {}", type_text(*x));
  const Op op = x->column->dtype == DType::boolean ? Op::not_equal : Op::subtract;
  const NodeRef out = leaf(apply(op, {y->column, x->column}), x->unit);
  return missing ? option_node(both(a->column, b->column), out) : out;
}

/// Each item less its predecessor in the column, the items at the same place of all lists; those
/// without one are dropped.
Array outer_diff(const Array& x, int axis) {
  const auto to_predecessor = [](const SpaceRef& space, const NodeRef& n) {
    const ColumnRef has = apply(Op::greater, {local(space), constant(0)});
    const ColumnRef before = apply(Op::subtract, {local(space), constant(1)});
    return tuple_node({leaf(has), difference(n, rebase_pick(n, space, space, before, has))});
  };
  const NodeRef all = map_items(input(x), {.name = "diff", .axis = axis}, to_predecessor);
  const Array kept = innermost("diff", Array(all), -1, [](const SpaceRef&, const NodeRef& list) {
    const NodeRef& pair = list->contents[0];
    const SpaceRef some = select(list->space, pair->contents[0]->column);
    return list_node(some, rebase_at(pair->contents[1], list->space, some));
  });
  std::vector<SliceItem> after(static_cast<size_t>(axis), Slice{});
  after.push_back(Slice{1});
  return getitem(kept, after);
}

}  // namespace

UniqueParts unique(const Array& x, Axis axis) {
  const graph::Operation operation;
  const NodeRef root = input(x);
  GroupsOnce groups({.members = true});
  enum { values, first_index, counts, inverse };
  const bool is_outer = is_outer_axis(*root, axis);  // whose lists are not those of the items
  const std::vector<Array> parts =
      parts_along("unique", root, axis, is_outer ? 3 : 4, true,
                  [&](const NodeRef& n, const ColumnRef& place, size_t part) {
                    const Groups& g = groups(n->space, n->contents[0]);
                    if (part == values) return list_node(g.space, g.keys);
                    if (part == counts) return list_node(g.space, leaf(g.length));
                    if (part == inverse) return list_node(g.items, leaf(g.number));
                    return list_node(g.space, leaf(pick(g.space, g.items, place, g.first)));
                  });
  const auto number_of_group = [](const SpaceRef& space, const NodeRef& n) {
    return leaf(groups_of(space, n, {.members = true}).number);
  };
  return {parts[values], parts[first_index],
          is_outer ? Array(map_items(root, {.name = "unique", .axis = axis}, number_of_group))
                   : parts[inverse],
          parts[counts]};
}

Array ops::unique_values(const Array& x, Axis axis) {
  const graph::Operation operation;
  return along("unique", x, axis, [](const NodeRef& n) {
    if (NodeRef numbers = distinct_numbers(n)) return numbers;
    const Groups g = groups_of(n->space, n->contents[0], {});
    return list_node(g.space, g.keys);
  });
}

Array is_unique(const Array& x, Axis axis) {
  const graph::Operation operation;
  return along(
      "is_unique", x, axis,
      [](const NodeRef& n) {
        const Groups g = groups_of(n->space, n->contents[0], {});
        return leaf(apply(Op::equal, {count(g.space), count(n->space)}));
      },
      true);
}

Array value_counts(const Array& x, Axis axis) {
  const graph::Operation operation;
  return along("value_counts", x, axis, [](const NodeRef& n) {
    const Groups g = groups_of(n->space, n->contents[0], {});
    return list_node(g.space, record_node({"value", "count"}, {g.keys, leaf(g.length)}));
  });
}

Grouped group_by(const Array& x, const Array& keys, Axis axis) {
  const graph::Operation operation;
  const NodeRef k = input(keys);
  check<TypeError>(is_list(*k), "group_by: expected an array of keys, got {}", type_text(*k));
  // Items beside their keys, in lists as the keys are.
  const Array pairs = zip(std::vector<Array>{keys, x}, {.depth_limit = lists_above(*k)});
  GroupsOnce groups({.members = true});
  const std::vector<Array> parts =
      parts_along("group_by", input(pairs), axis, 2, false,
                  [&](const NodeRef& list, const ColumnRef&, size_t part) {
                    const NodeRef& pair = list->contents[0];
                    check<TypeError>(pair->kind == NodeKind::record,
                                     "group_by: lists of keys and items must be missing together");
                    const Groups& g = groups(list->space, pair->contents[0]);
                    return part == 0 ? list_node(g.space, g.keys) : g.lists_of(pair->contents[1]);
                  });
  return {parts[0], parts[1]};
}

Array diff(const Array& x, int n, int axis) {
  const graph::Operation operation;
  check<ValueError>(n >= 0, "diff: n must not be negative, got {}", n);
  if (n == 0) return x;
  if (const auto outer = outer_axis(x, axis))
    return diff(
        is_regular_below(*input(x), *outer) ? regular_diff(x, *outer) : outer_diff(x, *outer),
        n - 1, *outer);
  const Array once = innermost("diff", x, axis, [](const SpaceRef& space, const NodeRef& list) {
    const SpaceRef& from = list->space;
    const NodeRef& c = list->contents[0];
    if (from->kind == SpaceKind::list) {  // in place
      const ColumnRef first = cast(from->starts, DType::int64);
      const ColumnRef last = apply(Op::add, {cast(from->stops, DType::int64), constant(-1)});
      const SpaceRef to = graph::list(space, first, apply(Op::maximum, {last, first}));
      const NodeRef a = rebase_shift(c, from, to), b = rebase_shift(c, from, to, 1);
      return list_node(to, difference(b, a));
    }
    const int64_t regular = list->size < 0 ? -1 : std::max<int64_t>(list->size - 1, 0);
    const SpaceRef to =
        regular >= 0
            ? adjacent_lists(space, regular)
            : fresh_lists(space,
                          apply(Op::maximum,
                                {apply(Op::subtract, {count(from), constant(1)}), constant(0)}));
    const NodeRef a = rebase_pick(c, to, from, local(to));
    const NodeRef b = rebase_pick(c, to, from, apply(Op::add, {local(to), constant(1)}));
    return list_node(to, difference(b, a), regular);
  });
  return diff(once, n - 1, axis);
}

}  // namespace serrate
