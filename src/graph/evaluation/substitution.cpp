// Copies of trees: see substitution.h.
#include "graph/evaluation/substitution.h"

#include <utility>

namespace serrate::graph {

template <class T>
bool Substitution::replaced(Ref<T>& x) {
  if (!x) return false;
  Ref<T> now = (*this)(x);
  const bool differs = now != x;
  if (differs) x = std::move(now);
  return differs;
}

std::shared_ptr<const Grouping> Substitution::grouping(const Grouping& g) {
  auto made = std::make_shared<Grouping>(g);
  const bool items = replaced(made->items), order = replaced(made->order);
  return replaced(made->number) || items || order ? made : nullptr;
}

bool Substitution::changes(Space& s) {
  bool any = replaced(s.parent);
  for (ColumnRef* const c : {&s.starts, &s.stops, &s.predicate}) any |= replaced(*c);
  for (SpaceRef& b : s.bases) any |= replaced(b);
  if (!s.grouping) return any;
  if (auto made = grouping(*s.grouping)) {
    s.grouping = std::move(made);
    any = true;
  }
  return any;
}

bool Substitution::changes(Column& c) {
  bool any = replaced(c.space);
  any |= replaced(c.over);
  for (ColumnRef& a : c.args) any |= replaced(a);
  return any;
}

Space* Substitution::copy(const SpaceRef& s) {
  auto* made = new Space(*s);
  const SpaceRef held(made);
  changes(*made);
  spaces_.set(s.get(), held);
  return made;
}

Column* Substitution::copy(const ColumnRef& c) {
  auto* made = new Column(*c);
  const ColumnRef held(made);
  changes(*made);
  columns_.set(c.get(), held);
  return made;
}

SpaceRef Substitution::operator()(const SpaceRef& s) {
  if (const SpaceRef* known = spaces_.find(s.get())) return *known;
  auto* made = new Space(*s);
  SpaceRef result(made);
  if (!changes(*made)) result = s;
  spaces_.set(s.get(), result);
  return result;
}

ColumnRef Substitution::operator()(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant && !c->space) return c;
  if (const ColumnRef* known = columns_.find(c.get())) return *known;
  auto* made = new Column(*c);
  ColumnRef result(made);
  if (!changes(*made)) result = c;
  columns_.set(c.get(), result);
  return result;
}

NodeRef Substitution::operator()(const NodeRef& n) {
  auto* made = new Node(*n);
  const NodeRef result(made);
  bool any = made->column && replaced(made->column);
  any |= replaced(made->space);
  for (NodeRef& c : made->contents) any |= replaced(c);
  return any ? result : n;
}

}  // namespace serrate::graph
