// run_lengths, and categoricals as values.
#include "ops/axis.h"
#include "ops/input.h"
#include "ops/merge.h"
#include "ops/strings.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Where a and b differ; missing is equal to missing only.
ColumnRef differ(const SpaceRef& space, const NodeRef& a, const NodeRef& b) {
  if (a->kind == NodeKind::option) {
    const ColumnRef values = differ(space, a->contents[0], b->contents[0]);
    const ColumnRef either = apply(Op::not_equal, {a->column, b->column});
    return apply(Op::logical_or, {either, apply(Op::logical_and, {a->column, values})});
  }
  if (is_string(*a)) return apply(Op::logical_not, {strings_equal(space, *a, *b)});
  if (a->kind == NodeKind::unknown) return constant(Scalar::boolean(false));
  check<TypeError>(a->kind == NodeKind::leaf, "run_lengths: not defined for {}", type_of(*a).str());
  return apply(Op::not_equal, {a->column, b->column});
}

NodeRef runs(const SpaceRef&, const NodeRef& n) {
  const SpaceRef& items = n->space;
  const NodeRef value = project_categorical(items, n->contents[0]);
  const ColumnRef i = local(items);
  const ColumnRef inner = apply(Op::greater, {i, constant(0)});
  const ColumnRef before = apply(Op::subtract, {i, constant(1)});
  const NodeRef previous = rebase_pick(value, items, items, before, inner);
  const ColumnRef starts =
      apply(Op::logical_or, {apply(Op::logical_not, {inner}), differ(items, value, previous)});
  const SpaceRef run = select(items, starts);
  const ColumnRef start = at(run, 0, i);
  const ColumnRef after = apply(Op::add, {local(run), constant(1)});
  const ColumnRef more = apply(Op::less, {after, parent(run, count(run))});
  const ColumnRef next = pick(run, run, start, after, more);
  const ColumnRef end = apply(Op::where, {more, next, parent(run, count(items))});
  return list_node(run, leaf(apply(Op::subtract, {end, start})));
}

const Node* first_categorical(const Node& n) {
  if (n.kind == NodeKind::categorical) return &n;
  for (const auto& c : n.contents) {
    if (const Node* found = first_categorical(*c)) return found;
  }
  return nullptr;
}

}  // namespace

Array run_lengths(const Array& x) { return Array(map_lists(input(x), "run_lengths", -1, runs)); }

bool is_categorical(const Array& x) {
  const NodeRef n = x.node();
  const Node* inner = is_list(*n) ? n->contents[0].operator->() : n.operator->();
  if (inner->kind == NodeKind::option) inner = inner->contents[0].operator->();
  return inner->kind == NodeKind::categorical;
}

std::optional<Array> categories(const Array& x) {
  const NodeRef n = input(x);
  const Node* c = first_categorical(*n);
  if (!c) return {};
  return Array(list_node(c->space, c->contents[0]));
}

Array from_categorical(const Array& x) {
  return Array(map_leaves(unit(), input(x), [](const SpaceRef&, const NodeRef& n) { return n; }));
}

}  // namespace serrate
