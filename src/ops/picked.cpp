// Items by their index: the index must be checked even where the item does not depend on it.
#include <algorithm>

#include "graph/device.h"
#include "graph/pointer_flags.h"
#include "ops/flatten.h"
#include "ops/levels.h"
#include "ops/slice.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Whether `wanted` is in or below a tree.
class Search {
 public:
  explicit Search(const Column* wanted) : wanted_(wanted) {}

  bool has(const Node& n) {
    return has(n.column) || has(n.space) ||
           std::any_of(n.contents.begin(), n.contents.end(),
                       [this](const NodeRef& c) { return has(*c); });
  }

 private:
  bool has(const ColumnRef& c) {
    if (!c) return false;
    if (c.get() == wanted_) return true;
    if (c->kind == ColumnKind::constant || seen_.find(c.get())) return false;
    seen_.set(c.get(), true);
    return has(c->args[0]) || has(c->args[1]) || has(c->args[2]) || has(c->over) || has(c->space);
  }
  bool has(const SpaceRef& s) {
    if (!s || seen_.find(s.get())) return false;
    seen_.set(s.get(), true);
    return has(s->starts) || has(s->stops) || has(s->predicate) ||
           std::any_of(s->bases.begin(), s->bases.end(),
                       [this](const SpaceRef& b) { return has(b); }) ||
           has(s->parent);
  }

  const Column* wanted_;
  PointerFlags seen_;
};

/// The column of a picked item as it is without a detour: loaded from a place that the index says.
bool is_plainly_at(const Node& n, const Column* index) {
  if (n.kind != NodeKind::leaf || n.column->kind != ColumnKind::load) return false;
  const Column& at = *n.column->args[0];
  return &at == index ||
         (at.kind == ColumnKind::op && (at.args[0].get() == index || at.args[1].get() == index));
}

/// n with a column that asks for the index; null where none can.
NodeRef asking(const NodeRef& n, const ColumnRef& index) {
  NodeRef changed;
  switch (n->kind) {
    case NodeKind::leaf:
    case NodeKind::option:
    case NodeKind::union_: {
      if (n->column->kind == ColumnKind::constant) return {};
      const ColumnRef is_there = apply(Op::greater_equal, {index, constant(0)});
      auto* r = new Node(*n);
      changed = r;
      r->column = apply(Op::where, {is_there, n->column, n->column});
      return changed;
    }
    case NodeKind::record:
      for (size_t i = 0; i < n->contents.size() && !changed; i++) {
        const NodeRef content = asking(n->contents[i], index);
        if (!content) continue;
        auto* r = new Node(*n);
        changed = r;
        r->contents[i] = content;
      }
      return changed;
    default:
      return {};
  }
}

}  // namespace

NodeRef picked(const Node& n, const SpaceRef& space, const ColumnRef& index,
               const ColumnRef& guard) {
  const NodeRef out = rebase_pick(n.contents[0], space, n.space, index, guard);
  if (index->kind == ColumnKind::constant || is_plainly_at(*out, index.get()) ||
      Search(index.get()).has(*out))
    return out;
  // No column asks for the index: items without content, or the same all along a list.
  if (const NodeRef checked = asking(out, index)) return checked;
  const NodeRef all = list_of(space, leaf(index));
  look(reduce(Reducer::sum, all->space, all->contents[0]->column));
  return out;
}

}  // namespace serrate::ops
