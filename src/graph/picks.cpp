// Items of derived lists by their index, loaded from lists that are stored first.
#include "graph/picks.h"

#include "graph/barriers.h"
#include "graph/evaluate.h"
#include "graph/lengths.h"

namespace serrate::graph {
namespace {

bool is_derived(const Space& s) { return !s.bases.empty(); }

}  // namespace

LongPick looked_at(const Column& c) {
  if (c.kind == ColumnKind::pick) return {c.over, c.args[0], c.args[1], c.args[2]};
  if (c.kind == ColumnKind::at && c.space->kind == SpaceKind::aligned)
    return {c.space->bases[static_cast<size_t>(c.link)], c.args[0], {}, {}};
  return {};
}

LongPick long_pick(const Column& c) {
  LongPick p = looked_at(c);
  const bool looks = p.over && p.column->kind != ColumnKind::constant;
  if (!looks || !is_derived(*p.over) || longest(*p.over) <= kShort) p.over = {};
  return p;
}

NodeRef picked_input(const LongPick& p) { return lists_down_to(p.over, leaf(p.column)); }

ColumnRef picked(const LongPick& p, const SpaceRef& space, const NodeRef& stored) {
  NodeRef n = stored;
  SpaceRef s;
  while (n->kind == NodeKind::list) {
    s = n->space;
    n = n->contents[0];
  }
  if (!s) return n->column;  // a single value
  const DType t = p.column->dtype;
  const ColumnRef index = p.index ? cast(p.index, DType::int64) : local(space);
  const ColumnRef start = first_of_list(p.over, s, n->column->buffer.device());
  ColumnRef at = apply(Op::add, {lift(start, p.over->parent, space), index});
  if (p.guard) at = apply(Op::where, {p.guard, at, constant(0)});
  return load(n->column->buffer.slice(stored_extent(s).first * itemsize(t)), t, at);
}

}  // namespace serrate::graph
