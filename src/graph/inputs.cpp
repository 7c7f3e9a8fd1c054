// What trees read: see inputs.h.
#include "graph/inputs.h"

namespace serrate::graph {
namespace {

size_t words_of(const Column& c) {
  switch (c.kind) {
    case ColumnKind::load:
    case ColumnKind::constant:
      return 1;
    case ColumnKind::reduce:  // joining a block's threads is much text
      return c.space->kind == SpaceKind::unit ? 8 : 0;
    case ColumnKind::histogram:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

size_t Inputs::add(const ColumnRef& c) {
  if (!c || !seen_.insert(c.get()).second) return 0;
  size_t n = words_of(*c) + add(c->space) + add(c->over);
  for (const auto& a : c->args) n += add(a);
  if (n <= most_ || c->kind != ColumnKind::op || !c->space) return n;
  broad_.push_back(c);
  return 1;
}

size_t Inputs::add(const SpaceRef& s) {
  if (!s || !seen_.insert(s.get()).second) return 0;
  size_t n = 1 + add(s->parent);
  for (const ColumnRef* c : {&s->starts, &s->stops, &s->predicate}) n += add(*c);
  for (const auto& b : s->bases) n += add(b);
  return n;
}

}  // namespace serrate::graph
