// Which indexes are in range without a look, and whose items folds carry: see extremes.h.
#include "graph/extremes.h"

#include <algorithm>
#include <unordered_set>

#include "core/types/reducer_info.h"

namespace serrate::graph {
namespace {

const Column& seen_from_above(const Column& c) {
  const Column* at = &c;
  while (at->kind == ColumnKind::parent) at = at->args[0].get();
  return *at;
}

/// Does it hold only where there are items? As reducers say so: number of them > 0.
bool implies(const Column& guard, const ColumnRef& items) {
  const Column& g = seen_from_above(guard);
  if (g.kind != ColumnKind::op) return false;
  if (g.op == Op::logical_and) return implies(*g.args[0], items) || implies(*g.args[1], items);
  return g.op == Op::greater && g.args[1]->kind == ColumnKind::constant &&
         g.args[1]->scalar.i == 0 && same(g.args[0], items);
}

/// Is it known wherever items are, with no walk but that over them, and without a failure?
bool is_known_of_items(const Column& c, std::unordered_set<const Column*>& seen) {
  switch (c.kind) {
    case ColumnKind::constant:
    case ColumnKind::position:
    case ColumnKind::local:
      return true;
    case ColumnKind::load:
    case ColumnKind::op:
    case ColumnKind::cast:
    case ColumnKind::parent:
    case ColumnKind::at:
      return !seen.insert(&c).second || std::ranges::all_of(c.args, [&](const ColumnRef& a) {
        return !a || is_known_of_items(*a, seen);
      });
    default:
      return false;
  }
}

}  // namespace

bool is_index_of_extreme(const Column& index, const SpaceRef& over, const ColumnRef& guard) {
  const Column& c = seen_from_above(index);
  if (!guard || c.kind != ColumnKind::reduce || !info(c.reducer).has_index()) return false;
  if (!same(c.over, over)) return false;
  const ColumnRef& take_part = c.args[1];
  return implies(*guard, take_part ? reduce(Reducer::sum, over, take_part) : count(over));
}

bool is_index_in_order(const Column& index, const SpaceRef& over) {
  const bool has_all = index.kind == ColumnKind::barrier &&
                       (index.barrier == Barrier::argsort || index.barrier == Barrier::inverse);
  return has_all && same(index.space, over);
}

const Column* extreme_carrying(const Column& c) {
  // A pick from plain lists reads one item. Lists along axis 0 are reduced by all threads.
  if (c.kind != ColumnKind::pick || c.over->bases.empty() || c.over->depth < 2) return nullptr;
  const ColumnRef &value = c.args[0], &index = c.args[1], &guard = c.args[2];
  if (value->kind == ColumnKind::constant || !is_index_of_extreme(*index, c.over, guard))
    return nullptr;
  std::unordered_set<const Column*> seen;
  return is_known_of_items(*value, seen) ? &seen_from_above(*index) : nullptr;
}

}  // namespace serrate::graph
