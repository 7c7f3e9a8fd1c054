// Copies of trees: see substitution.h.
#include "graph/parts/substitution.h"

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

template <class T>
T* Substitution::copy(const Ref<T>& x, PointerMap<Ref<T>>& known) {
  auto* made = new T(*x);
  const Ref<T> held(made);
  changes(*made);
  known.set(x.get(), held);
  return made;
}
template Space* Substitution::copy(const SpaceRef&, PointerMap<SpaceRef>&);
template Column* Substitution::copy(const ColumnRef&, PointerMap<ColumnRef>&);

template <class T>
Ref<T> Substitution::substitute(const Ref<T>& x, PointerMap<Ref<T>>& known) {
  if (const Ref<T>* by = known.find(x.get())) return *by;
  auto* made = new T(*x);
  Ref<T> result(made);
  if (!changes(*made)) result = x;
  known.set(x.get(), result);
  return result;
}
template SpaceRef Substitution::substitute(const SpaceRef&, PointerMap<SpaceRef>&);

ColumnRef Substitution::operator()(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant && !c->space) return c;
  return substitute(c, columns_);
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
