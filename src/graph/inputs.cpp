// What trees read: see inputs.h.
#include "graph/inputs.h"

#include <algorithm>

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

namespace {

/// Walks whatever a tree is computed from, each thing once.
class Failing {
 public:
  bool in(const NodeRef& n) {
    if (n->column) look(n->column);
    if (n->space) look(n->space);
    return found_ || std::any_of(n->contents.begin(), n->contents.end(),
                                 [&](const NodeRef& c) { return in(c); });
  }

 private:
  static bool fails(const Column& c) { return c.kind == ColumnKind::check; }
  static bool fails(const Space& s) { return s.kind == SpaceKind::aligned; }
  template <class Ref>
  void look(const Ref& x) {
    if (found_ || !seen_.insert(x.get()).second) return;
    found_ = fails(*x);
    each_below(*x, [&](const auto& below) { look(below); });
  }
  std::unordered_set<const void*> seen_;
  bool found_ = false;
};

}  // namespace

bool may_fail(const NodeRef& n) { return Failing().in(n); }

}  // namespace serrate::graph
