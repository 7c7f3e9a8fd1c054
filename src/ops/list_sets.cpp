// unique, value_counts, group_by, run_lengths, diff: from innermost lists to lists of other
// lengths.
#include <deque>

#include "ops/flatten.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/list_items.h"
#include "ops/sorting.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

Array innermost(const std::string& name, const Array& x, Axis axis, const OnLists& f) {
  return Array(innermost_lists(input(x), name, axis, f));
}

/// Ordered items of a list and where runs of equal ones begin.
struct Groups {
  SpaceRef items;
  ColumnRef order, starts;
  NodeRef sorted;
  Runs runs;

  Groups(const SpaceRef& space, const NodeRef& n) : items(space) {
    order = order_of(items, n, false);
    sorted = in_order(items, n, order);
    starts = starts_run(items, sorted, true);
    runs = runs_of(items, starts);
  }

  /// Of each item the number of its group.
  ColumnRef number() const {
    const ColumnRef group =
        apply(Op::subtract, {barrier(Barrier::sum_scan, items, starts), constant(1)});
    return pick(items, items, group, barrier(Barrier::inverse, items, order));
  }
};

/// The groups of each list, made once for all parts of a result.
class GroupsOnce {
 public:
  const Groups& operator()(const SpaceRef& items, const NodeRef& keys) {
    for (const Known& k : known_)
      if (k.groups.items == items && k.keys == keys) return k.groups;
    known_.push_back({keys, Groups(items, keys)});
    return known_.back().groups;
  }

 private:
  struct Known {
    NodeRef keys;
    Groups groups;
  };
  std::deque<Known> known_;
};

Array along(const std::string& name, const Array& x, Axis axis,
            const std::function<NodeRef(const NodeRef&)>& f) {
  return Array(
      lists_along(input(x), name, axis,
                  [&](const SpaceRef&, const NodeRef& n, const ColumnRef&) { return f(n); }));
}

/// The axis of lists of lists, nothing if it is the innermost one.
std::optional<int> outer_axis(const Array& x, int axis) {
  const int depth = lists_above(*input(x));
  const int a = axis < 0 ? axis + depth : axis;
  check<AxisError>(a >= 0 && a < depth,
                   "diff: axis={} exceeds the depth of the nested list structure (which is {})",
                   axis, depth);
  return a < depth - 1 ? std::optional(a) : std::nullopt;
}

/// Neighbours along an outer axis must be lists of equal lengths.
Array outer_diff(const Array& x, int axis) {
  std::vector<SliceItem> after(static_cast<size_t>(axis), Slice{}), before = after;
  after.push_back(Slice{1});
  before.push_back(Slice{std::nullopt, -1});
  return subtract(getitem(x, after), getitem(x, before));
}

}  // namespace

UniqueParts unique(const Array& x, Axis axis) {
  const NodeRef root = input(x);
  GroupsOnce groups;
  const auto part = [&](auto&& f) {
    return Array(lists_along(root, "unique", axis,
                             [&](const SpaceRef&, const NodeRef& n, const ColumnRef& place) {
                               return f(groups(n->space, n->contents[0]), place);
                             }));
  };
  const auto number_of_group = [](const SpaceRef& space, const NodeRef& n) {
    return leaf(Groups(space, n).number());
  };
  return {
      part([](const Groups& g, const ColumnRef&) {
        return list_node(g.runs.space, rebase_at(g.sorted, g.items, g.runs.space));
      }),
      part([](const Groups& g, const ColumnRef& place) {
        const ColumnRef first = pick(g.items, g.items, place, g.order);
        return list_node(g.runs.space, leaf(at(g.runs.space, 0, first)));
      }),
      is_outer_axis(*root, axis)
          ? Array(map_items(root, {.name = "unique", .axis = axis}, number_of_group))
          : part([&](const Groups& g, const ColumnRef&) {
              return list_node(g.items, leaf(g.number()));
            }),
      part([](const Groups& g, const ColumnRef&) {
        return list_node(g.runs.space, leaf(g.runs.length));
      }),
  };
}

Array is_unique(const Array& x, Axis axis) {
  return along("is_unique", x, axis, [](const NodeRef& n) {
    const Groups g(n->space, n->contents[0]);
    return leaf(reduce(Reducer::all, g.items, g.starts));
  });
}

Array value_counts(const Array& x, Axis axis) {
  return along("value_counts", x, axis, [](const NodeRef& n) {
    const Groups g(n->space, n->contents[0]);
    return list_node(g.runs.space,
                     record_node({"value", "count"}, {rebase_at(g.sorted, g.items, g.runs.space),
                                                      leaf(g.runs.length)}));
  });
}

Grouped group_by(const Array& x, const Array& keys, Axis axis) {
  const NodeRef k = input(keys);
  check<TypeError>(is_list(*k), "group_by: expected an array of keys, got {}", type_of(*k).str());
  // Items beside their keys, in lists as the keys are.
  const Array pairs = zip(std::vector<Array>{keys, x}, {.depth_limit = lists_above(*k)});
  GroupsOnce groups;
  const auto part = [&](auto&& f) {
    return along("group_by", pairs, axis, [&](const NodeRef& list) {
      const NodeRef& pair = list->contents[0];
      check<TypeError>(pair->kind == NodeKind::record,
                       "group_by: lists of keys and items must be missing together");
      return f(groups(list->space, pair->contents[0]), pair->contents[1]);
    });
  };
  return {part([](const Groups& g, const NodeRef&) {
            return list_node(g.runs.space, rebase_at(g.sorted, g.items, g.runs.space));
          }),
          part([](const Groups& g, const NodeRef& items) {
            const SpaceRef group = list(g.runs.space, constant(0), g.runs.length);
            const ColumnRef slot = apply(Op::add, {parent(group, g.runs.first), local(group)});
            const ColumnRef place = pick(group, g.items, g.order, slot);
            return list_node(g.runs.space,
                             list_node(group, rebase_pick(items, group, g.items, place)));
          })};
}

Array run_lengths(const Array& x, Axis axis) {
  return along("run_lengths", x, axis, [](const NodeRef& n) {
    const Runs runs = runs_of(n->space, starts_run(n->space, n->contents[0], false));
    return list_node(runs.space, leaf(runs.length));
  });
}

Array diff(const Array& x, int n, int axis) {
  check<ValueError>(n >= 0, "diff: n must not be negative, got {}", n);
  if (n == 0) return x;
  if (const auto outer = outer_axis(x, axis)) return diff(outer_diff(x, *outer), n - 1, axis);
  const Array once = innermost("diff", x, axis, [](const SpaceRef& space, const NodeRef& list) {
    const SpaceRef& from = list->space;
    const NodeRef& c = list->contents[0];
    const ColumnRef size = count(from);
    const SpaceRef to = fresh_lists(
        space, apply(Op::maximum, {apply(Op::subtract, {size, constant(1)}), constant(0)}));
    const NodeRef a = rebase_pick(c, to, from, local(to));
    const NodeRef b = rebase_pick(c, to, from, apply(Op::add, {local(to), constant(1)}));
    const NodeRef &x = a->kind == NodeKind::option ? a->contents[0] : a,
                  &y = b->kind == NodeKind::option ? b->contents[0] : b;
    if (x->kind == NodeKind::unknown) return list_node(to, a);
    check<TypeError>(x->kind == NodeKind::leaf, "diff: not defined for {}", type_of(*x).str());
    const Op op = x->column->dtype == DType::boolean ? Op::not_equal : Op::subtract;
    NodeRef out = leaf(apply(op, {y->column, x->column}), x->unit);
    if (a->kind == NodeKind::option) out = option_node(both(a->column, b->column), out);
    return list_node(to, out);
  });
  return diff(once, n - 1, axis);
}

}  // namespace serrate
