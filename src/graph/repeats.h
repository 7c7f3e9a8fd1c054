// Lists that are looked at again for each item of another list of their owner, as those of the
// inner level of a nested product are.
#pragma once

#include "core/pointer_map.h"
#include "graph/ir.h"

namespace serrate::graph {

/// Such a space V is list(C, starts, stops) where both bounds are `parent` columns over C: they are
/// those of lists over the parent of C. What is said of an item of V that depends on its place in
/// those lists alone can be computed once for each of their items.
class Repeats {
 public:
  /// The lists that those of s repeat; null if they repeat none. Along axis 0 none do.
  SpaceRef lists(const SpaceRef& s);
  /// A column over such a space as one over lists(c->space). Null where it depends on who looks, or
  /// is the same for all items.
  ColumnRef once(const ColumnRef& c);
  /// A space or column that was made here stands for one of the expression; others for themselves.
  const void* original(const void* p);
  bool is_made(const Space& s) { return original(&s) != &s; }

 private:
  ColumnRef over_lists(const ColumnRef& c, const SpaceRef& s);
  ColumnRef made_over_lists(const ColumnRef& c, const SpaceRef& s);
  ColumnRef copied(const Column& c, const SpaceRef& s);

  PointerMap<SpaceRef> lists_;
  PointerMap<ColumnRef> once_;
  PointerMap<const void*> originals_;
};

}  // namespace serrate::graph
