// sort, argsort, rank: whole lists in order.
#include "ops/sorting.h"

#include "ops/input.h"
#include "ops/list_items.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

struct Items {
  ColumnRef valid;  // null: all
  NodeRef values;

  explicit Items(const NodeRef& n)
      : valid(n->kind == NodeKind::option ? n->column : ColumnRef()),
        values(n->kind == NodeKind::option ? n->contents[0] : n) {}
};

NodeRef sorted(const SpaceRef& space, const NodeRef& n, bool descending) {
  const Items items(n);
  const Node& v = *items.values;
  if (v.kind == NodeKind::unknown) return n;
  if (v.kind != NodeKind::leaf) return rebase_pick(n, space, space, order_of(space, n, descending));
  const NodeRef out =
      leaf(barrier(Barrier::sort, space, v.column, items.valid, descending), v.unit, v.parameters);
  if (!items.valid) return out;
  const ColumnRef present = parent(space, reduce(Reducer::sum, space, items.valid));
  return option_node(apply(Op::less, {local(space), present}), out);
}

/// Lists at an axis, taken together for results of other lengths than theirs.
NodeRef lists_at(const std::string& name, const Array& x, Axis axis, const OnItems& f,
                 bool records = false) {
  return map_items(input(x), {name, axis, records, false}, f);
}

}  // namespace

graph::ColumnRef ops::order_of(const SpaceRef& space, const NodeRef& n, bool descending) {
  const Items items(n);
  const Node& v = *items.values;
  if (is_string(v))
    return barrier_of_strings(v.space, v.contents[0]->column, items.valid, descending);
  const ColumnRef key = v.kind == NodeKind::unknown ? constant(0) : v.column;
  return barrier(Barrier::argsort, space, key, items.valid, descending);
}

Array sort(const Array& x, SortOptions o) {
  return Array(lists_at(
      "sort", x, o.axis,
      [&](const SpaceRef& space, const NodeRef& n) { return sorted(space, n, !o.ascending); },
      true));
}

Array argsort(const Array& x, SortOptions o) {
  const ItemsOptions options{"argsort", o.axis, false, true};
  return Array(map_items(input(x), options, [&](const SpaceRef& space, const NodeRef& n) {
    return leaf(order_of(space, n, !o.ascending));
  }));
}

Array rank(const Array& x, RankMethod method, SortOptions o) {
  return Array(lists_at("rank", x, o.axis, [&](const SpaceRef& space, const NodeRef& n) -> NodeRef {
    const ColumnRef order = order_of(space, n, !o.ascending);
    const ColumnRef starts = starts_run(space, rebase_pick(n, space, space, order), true);
    const ColumnRef one = constant(1);
    ColumnRef r = apply(Op::add, {local(space), one});
    const ColumnRef run = barrier(Barrier::sum_scan, space, starts);
    if (method == RankMethod::dense) {
      r = run;
    } else if (method != RankMethod::ordinal) {
      const Runs runs = runs_of(space, starts);
      const ColumnRef which = apply(Op::subtract, {run, one});
      const ColumnRef first = pick(space, runs.space, apply(Op::add, {runs.first, one}), which);
      const ColumnRef last =
          pick(space, runs.space, apply(Op::add, {runs.first, runs.length}), which);
      if (method == RankMethod::min) r = first;
      if (method == RankMethod::max) r = last;
      if (method == RankMethod::average)
        r = apply(Op::divide, {apply(Op::add, {first, last}), constant(Scalar::of(2.0))});
    }
    const NodeRef ranks = leaf(pick(space, space, r, barrier(Barrier::inverse, space, order)));
    return n->kind == NodeKind::option ? option_node(n->column, ranks) : ranks;
  }));
}

}  // namespace serrate
