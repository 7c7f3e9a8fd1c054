// Items of derived lists by their index, loaded from lists that are stored first.
#include "graph/picks.h"

#include <algorithm>
#include <unordered_set>

#include "graph/barriers.h"
#include "graph/evaluate.h"
#include "graph/lengths.h"

namespace serrate::graph {
namespace {

bool is_derived(const Space& s) { return !s.bases.empty(); }

bool counts_its_way(const LongPick& p) {
  return p.over && p.column->kind != ColumnKind::constant && is_derived(*p.over);
}

/// Whether something that a column or a space is computed from counts its way.
class CountsBelow {
 public:
  bool in(const ColumnRef& c) {
    if (!c || c->kind == ColumnKind::constant || !seen_.insert(c.get()).second) return false;
    return counts_its_way(looked_at(*c)) || in(c->space) || in(c->over) ||
           std::any_of(std::begin(c->args), std::end(c->args),
                       [&](const ColumnRef& a) { return in(a); });
  }
  bool in(const SpaceRef& s) {
    if (!s || !seen_.insert(s.get()).second) return false;
    return in(s->parent) || in(s->starts) || in(s->stops) || in(s->predicate) ||
           std::any_of(s->bases.begin(), s->bases.end(), [&](const SpaceRef& b) { return in(b); });
  }

 private:
  std::unordered_set<const void*> seen_;
};

}  // namespace

LongPick looked_at(const Column& c) {
  if (c.kind == ColumnKind::pick) return {c.over, c.args[0], c.args[1], c.args[2]};
  if (c.kind == ColumnKind::at && c.space->kind == SpaceKind::aligned)
    return {c.space->bases[static_cast<size_t>(c.link)], c.args[0], {}, {}};
  return {};
}

LongPick long_pick(const Column& c) {
  const LongPick p = looked_at(c);
  if (!counts_its_way(p)) return {};
  if (longest(*p.over) > kShort) return p;
  // Short ones are stored, too, where each item would need loops in loops.
  CountsBelow below;
  return below.in(p.column) || below.in(p.over) ? p : LongPick();
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
  return load(n->column->buffer.slice(stored_first(s) * itemsize(t)), t, at);
}

}  // namespace serrate::graph
