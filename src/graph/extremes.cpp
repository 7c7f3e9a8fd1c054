// Which indexes are in range without a look: see extremes.h.
#include "graph/extremes.h"

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

}  // namespace

bool is_index_of_extreme(const Column& index, const SpaceRef& over, const ColumnRef& guard) {
  const Column& c = seen_from_above(index);
  if (!guard || c.kind != ColumnKind::reduce || !info(c.reducer).has_index()) return false;
  if (!same(c.over, over)) return false;
  const ColumnRef& take_part = c.args[1];
  return implies(*guard, take_part ? reduce(Reducer::sum, over, take_part) : count(over));
}

}  // namespace serrate::graph
