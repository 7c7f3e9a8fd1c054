// Finding and replacing fills: see fills.h.
#include "graph/fills.h"

#include <algorithm>

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
  if (const auto seen = seen_.find(s.get())) return *seen;
  bool some = find(s->parent);
  for (const auto& b : s->bases) some |= find(b);
  for (const ColumnRef* c : {&s->starts, &s->stops, &s->predicate}) some |= *c && find(*c);
  return seen_.set(s.get(), some);
}

bool Fills::find(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return false;
  if (const auto seen = seen_.find(c.get())) return *seen;
  const bool below = find_below(*c);
  const bool fills = is_fill(*c);
  if (fills && !below) found_.push_back(c);
  return seen_.set(c.get(), below || fills);
}

bool Fills::is_fill(const Column& c) const {
  return c.kind == ColumnKind::histogram || c.kind == ColumnKind::barrier || stored_list_of(c).over;
}

LongPick Fills::stored_list_of(const Column& c) const {
  const auto is_it = [&](const ColumnRef& f) { return f.get() == &c; };
  if (std::any_of(first_.begin(), first_.end(), is_it)) return {c.space, ColumnRef(&c), {}, {}};
  return picks_ ? long_pick(c) : LongPick();
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
  std::vector<size_t> tree_of;
  std::vector<LongPick> lists;  // of the trees that are such
  for (const auto& c : distinct) {
    const LongPick p = stored_list_of(*c);
    size_t t = trees.size();
    if (p.over) {
      t = 0;
      while (t < trees.size() &&
             !(lists[t].over && same(lists[t].over, p.over) && same(lists[t].column, p.column)))
        t++;
    }
    tree_of.push_back(t);
    if (t < trees.size()) continue;
    lists.push_back(p);
    trees.push_back(p.over                             ? picked_input(p)
                    : c->kind == ColumnKind::histogram ? list_node(c->space, leaf(c))
                                                       : barrier_input(*c));
  }
  const std::vector<NodeRef> stored = evaluate(trees);
  std::vector<ColumnRef> results;
  for (size_t i = 0; i < distinct.size(); i++) {
    const ColumnRef& c = distinct[i];
    const NodeRef& tree = stored[tree_of[i]];
    const LongPick p = stored_list_of(*c);
    results.push_back(p.over                             ? picked(p, c->space, tree)
                      : c->kind == ColumnKind::histogram ? tree->contents[0]->column
                                                         : run_barrier(c, tree));
  }
  for (const size_t i : number) filled_.push_back(results[i]);
}

ColumnRef Fills::replacement(const ColumnRef& c) {
  if (!is_fill(*c)) return {};
  for (size_t i = 0; i < filled_.size(); i++) {
    if (found_[i] == c) return filled_[i];
  }
  return {};
}

bool Fills::untouched(const void* p) const {
  const auto seen = seen_.find(p);
  return seen && !*seen;
}

}  // namespace serrate::graph
