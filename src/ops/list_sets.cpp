// unique, is_unique, diff: from innermost lists to lists of other lengths.
#include "ops/flatten.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/list_items.h"
#include "ops/merge.h"
#include "ops/sorting.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Replaces the innermost lists. f gets their items, see OnItems, and gives a node over `space`,
/// the owner of the lists.
using OnList = std::function<NodeRef(const SpaceRef& space, const NodeRef& list)>;

NodeRef map_innermost(const std::string& name, const SpaceRef& space, const NodeRef& n,
                      const OnList& f) {
  switch (n->kind) {
    case NodeKind::option:
      return option_node(n->column, map_innermost(name, space, n->contents[0], f));
    case NodeKind::categorical:
      return map_innermost(name, space, project_categorical(space, n), f);
    case NodeKind::list: {
      NodeRef c = n->contents[0];
      if (c->kind == NodeKind::categorical) c = project_categorical(n->space, c);
      const NodeRef& inside = c->kind == NodeKind::option ? c->contents[0] : c;
      if (inside->kind == NodeKind::leaf || inside->kind == NodeKind::unknown || is_string(*inside))
        return f(space, list_node(n->space, c));
      if (is_list(*inside))
        return list_node(n->space, map_innermost(name, n->space, c, f), n->size, n->parameters);
      [[fallthrough]];
    }
    default:
      throw TypeError(fmt::format("{}: not defined for {}", name, type_of(*n).str()));
  }
}

Array innermost(const std::string& name, const Array& x, Axis axis, const OnList& f) {
  NodeRef root = input(x);
  check<TypeError>(is_list(*root), "{}: expected an array, got {}", name, type_of(*root).str());
  if (!axis) {
    root = flatten_all(root, true);
  } else {
    const int depth = levels(*root).max;
    check<ValueError>(*axis == -1 || *axis == depth - 1,
                      "{}: only along the innermost axis ({}) or axis=None, got axis={}", name,
                      depth - 1, *axis);
  }
  return Array(map_innermost(name, unit(), root, f));
}

/// Ordered items of a list and where runs of equal ones begin.
struct Groups {
  SpaceRef items;
  ColumnRef order, starts;
  NodeRef sorted;
  Runs runs;

  explicit Groups(const Node& list) : items(list.space) {
    const NodeRef& n = list.contents[0];
    order = order_of(items, n, false);
    sorted = rebase_pick(n, items, items, order);
    starts = starts_run(items, sorted, true);
    runs = runs_of(items, starts);
  }
};

}  // namespace

UniqueParts unique(const Array& x, Axis axis) {
  const auto part = [&](auto&& f) {
    return innermost("unique", x, axis,
                     [&](const SpaceRef&, const NodeRef& n) { return f(Groups(*n)); });
  };
  return {
      part([](const Groups& g) {
        return list_node(g.runs.space, rebase_at(g.sorted, g.items, g.runs.space));
      }),
      part([](const Groups& g) {
        return list_node(g.runs.space, leaf(at(g.runs.space, 0, g.order)));
      }),
      part([](const Groups& g) {
        const ColumnRef group =
            apply(Op::subtract, {barrier(Barrier::sum_scan, g.items, g.starts), constant(1)});
        return list_node(g.items, leaf(pick(g.items, g.items, group,
                                            barrier(Barrier::inverse, g.items, g.order))));
      }),
      part([](const Groups& g) { return list_node(g.runs.space, leaf(g.runs.length)); }),
  };
}

Array is_unique(const Array& x, Axis axis) {
  return innermost("is_unique", x, axis, [](const SpaceRef&, const NodeRef& n) {
    const Groups g(*n);
    return leaf(reduce(Reducer::all, g.items, g.starts));
  });
}

Array diff(const Array& x, int n, int axis) {
  check<ValueError>(n >= 0, "diff: n must not be negative, got {}", n);
  if (n == 0) return x;
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
    check<TypeError>(!is_string(*x), "diff: not defined for strings");
    const Op op = x->column->dtype == DType::boolean ? Op::not_equal : Op::subtract;
    NodeRef out = leaf(apply(op, {y->column, x->column}), x->unit);
    if (a->kind == NodeKind::option) out = option_node(both(a->column, b->column), out);
    return list_node(to, out);
  });
  return diff(once, n - 1, axis);
}

}  // namespace serrate
