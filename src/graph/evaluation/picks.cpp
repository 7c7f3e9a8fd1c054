// Items of derived lists by their index, loaded from lists that are stored first.
#include "graph/evaluation/picks.h"

#include <algorithm>
#include <unordered_map>

#include "core/seams.h"
#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/extremes.h"
#include "graph/lengths.h"

namespace serrate::graph {
namespace {

bool is_derived(const Space& s) { return !s.bases.empty(); }

bool counts_its_way(const LongPick& p) {
  return p.over && p.column->kind != ColumnKind::constant && is_derived(*p.over);
}

/// How deep columns that count their way are inside one another, where a column or a space is
/// computed.
class CountedLevels {
 public:
  int of(const ColumnRef& c) {
    if (c->kind == ColumnKind::constant) return 0;
    return below(*c, counts_its_way(looked_at(*c)) && !extreme_carrying(*c) ? 1 : 0);
  }
  int of(const SpaceRef& s) { return below(*s, 0); }

 private:
  template <class SpaceOrColumn>
  int below(const SpaceOrColumn& x, int own) {
    const auto known = known_.find(&x);
    if (known != known_.end()) return known->second;
    int most = 0;
    each_below(x, [&](const auto& b) { most = std::max(most, of(b)); });
    return known_[&x] = most + own;
  }

  std::unordered_map<const void*, int> known_;
};

/// Loops in a loop that an item's text may have: with each of them it doubles.
constexpr int kMostLoops = 1;

}  // namespace

LongPick looked_at(const Column& c) {
  if (c.kind == ColumnKind::pick) return {c.over, c.args[0], c.args[1], c.args[2]};
  if (c.kind == ColumnKind::at && c.space->kind == SpaceKind::aligned)
    return {c.space->bases[static_cast<size_t>(c.link)], c.args[0], {}, {}};
  return {};
}

LongPick long_pick(const Column& c) {
  const LongPick p = looked_at(c);
  if (!counts_its_way(p) || extreme_carrying(c)) return {};
  if (longest(*p.over) > static_cast<double>(seams().short_list)) return p;
  // Short ones are stored, too, where each item would need loops in loops in loops.
  CountedLevels levels;
  return std::max(levels.of(p.column), levels.of(p.over)) > kMostLoops ? p : LongPick();
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
  const ColumnRef start = first_of_list(p.over, s);
  ColumnRef at = apply(Op::add, {lift(start, p.over->parent, space), index});
  if (p.guard) at = apply(Op::where, {p.guard, at, constant(0)});
  return load(n->column->buffer.slice(stored_first(s) * itemsize(t)), t, at);
}

}  // namespace serrate::graph
