// What trees read: see inputs.h.
#include "graph/inputs.h"

#include "graph/below.h"

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
  if (!seen_.insert(c.get()).second) return 0;
  size_t n = words_of(*c);
  each_below(*c, [&](const auto& x) { n += add(x); });
  if (n <= most_ || c->kind != ColumnKind::op || !c->space) return n;
  broad_.push_back(c);
  return 1;
}

size_t Inputs::add(const SpaceRef& s) {
  if (!seen_.insert(s.get()).second) return 0;
  size_t n = 1;
  each_below(*s, [&](const auto& x) { n += add(x); });
  return n;
}

}  // namespace serrate::graph
