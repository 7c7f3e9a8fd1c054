// Checks that are made by nobody's sinks: see Nest::find_checks.
#include <algorithm>
#include <unordered_set>

#include "graph/evaluate.h"
#include "graph/nest.h"

namespace serrate::graph {
namespace {

/// What is computed at every position of a frame, as its sinks ask for it there.
class Everywhere {
 public:
  bool has(const Column* c) const { return seen_.contains(c); }
  void add(const ColumnRef& c) {
    if (!c || c->kind == ColumnKind::constant || !seen_.insert(c.get()).second) return;
    switch (c->kind) {
      case ColumnKind::parent:
      case ColumnKind::at:
      case ColumnKind::reduce:
      case ColumnKind::histogram:
      case ColumnKind::barrier:
        return;  // elsewhere
      case ColumnKind::pick:
        add(c->args[1]);
        return add(c->args[2]);
      default:
        for (const ColumnRef& a : c->args) add(a);
    }
  }

 private:
  std::unordered_set<const Column*> seen_;
};

}  // namespace

void Nest::find_checks() {
  for (Frame& f : frames_) f.checks.clear();
  const bool any = std::ranges::any_of(
      demanded_, [](const auto& d) { return d.first->kind == ColumnKind::check; });
  if (!any) return;
  for (Frame& f : frames_) {
    Everywhere done;
    for (const Output& o : outputs_) {
      // Lengths may be left to the walk over the lists.
      if (o.frame == f.id && !o.histogram && !o.lengths) done.add(o.column);
    }
    // What takes no part in a reduction is not computed for it.
    for (const Fold& x : f.folds) done.add(x.column->args[x.column->args[1] ? 1 : 0]);
    for (const Column* c : f.histograms) done.add(c->args[0]);
    for (const Frame& inner : frames_) {
      if (inner.inside == f.id) done.add(inner.space->predicate);
      if (inner.parent != f.id || inner.inside >= 0 || is_stored(inner.space)) continue;
      // Where lists begin that have no items nobody needs to know.
      if (inner.space->kind != SpaceKind::fixed || inner.space->size > 0)
        done.add(inner.space->starts);
      done.add(inner.space->stops);
    }
    for (const auto& [column, frame] : demanded_) {
      if (frame != f.id || column->kind != ColumnKind::check || done.has(column)) continue;
      done.add(ColumnRef(column));
      f.checks.push_back(column);
    }
  }
}

}  // namespace serrate::graph
