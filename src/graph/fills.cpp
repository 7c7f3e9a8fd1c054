// Finding and replacing fills: see fills.h.
#include "graph/fills.h"

#include "graph/barriers.h"
#include "graph/evaluate.h"

namespace serrate::graph {

void Fills::find(const Node& n) {
  if (n.column) n.column->kind == ColumnKind::histogram ? find_below(*n.column) : find(n.column);
  if (n.space) find(n.space);
  for (const auto& c : n.contents) find(*c);
}

bool Fills::find(const SpaceRef& s) {
  if (!s) return false;
  if (const auto it = seen_.find(s.get()); it != seen_.end()) return it->second;
  bool some = find(s->parent);
  for (const auto& b : s->bases) some |= find(b);
  for (const ColumnRef* c : {&s->starts, &s->stops, &s->predicate}) some |= *c && find(*c);
  return seen_[s.get()] = some;
}

bool Fills::find(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return false;
  if (const auto it = seen_.find(c.get()); it != seen_.end()) return it->second;
  const bool below = find_below(*c);
  const bool fills = c->kind == ColumnKind::histogram || c->kind == ColumnKind::barrier;
  if (fills && !below) found_.push_back(c);
  return seen_[c.get()] = below || fills;
}

bool Fills::find_below(const Column& c) {
  bool some = find(c.space);
  some |= find(c.over);
  for (const auto& a : c.args) some |= a && find(a);
  return some;
}

void Fills::fill() {
  // Equal ones are computed once.
  std::vector<ColumnRef> distinct;
  std::vector<size_t> number;
  for (const auto& c : found_) {
    size_t i = 0;
    while (i < distinct.size() && !same(distinct[i], c)) i++;
    if (i == distinct.size()) distinct.push_back(c);
    number.push_back(i);
  }
  // All that they read is evaluated together, in one pass where it shares a space.
  std::vector<NodeRef> trees;
  for (const auto& c : distinct)
    trees.push_back(c->kind == ColumnKind::histogram ? list_node(c->space, leaf(c))
                                                     : barrier_input(*c));
  const std::vector<NodeRef> stored = evaluate(trees);
  std::vector<ColumnRef> results;
  for (size_t i = 0; i < distinct.size(); i++)
    results.push_back(distinct[i]->kind == ColumnKind::histogram
                          ? stored[i]->contents[0]->column
                          : run_barrier(distinct[i], stored[i]));
  for (const size_t i : number) filled_.push_back(results[i]);
}

ColumnRef Fills::replacement(const ColumnRef& c) {
  if (c->kind != ColumnKind::histogram && c->kind != ColumnKind::barrier) return {};
  for (size_t i = 0; i < filled_.size(); i++) {
    if (found_[i] == c) return filled_[i];
  }
  return {};
}

bool Fills::untouched(const void* p) const {
  const auto it = seen_.find(p);
  return it != seen_.end() && !it->second;
}

}  // namespace serrate::graph
