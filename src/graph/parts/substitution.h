// Copies of trees in which some of the spaces and columns are others.
#pragma once

#include <memory>

#include "core/pointer_map.h"
#include "graph/ir.h"

namespace serrate::graph {

/// What is made of nothing that is replaced stays the same object. Nothing is simplified: the copy
/// has the structure of what it is of.
class Substitution {
 public:
  void set(const Space* s, SpaceRef by) { spaces_.set(s, std::move(by)); }
  void set(const Column* c, ColumnRef by) { columns_.set(c, std::move(by)); }
  /// A copy of its own of s or c, made of what its parts are replaced by, in its place from now on.
  Space* copy(const SpaceRef& s) { return copy(s, spaces_); }
  Column* copy(const ColumnRef& c) { return copy(c, columns_); }

  NodeRef operator()(const NodeRef& n);
  SpaceRef operator()(const SpaceRef& s) { return substitute(s, spaces_); }
  ColumnRef operator()(const ColumnRef& c);

 private:
  bool changes(Space& s);
  bool changes(Column& c);
  template <class T>
  T* copy(const Ref<T>& x, PointerMap<Ref<T>>& known);
  template <class T>
  Ref<T> substitute(const Ref<T>& x, PointerMap<Ref<T>>& known);
  template <class T>
  bool replaced(Ref<T>& x);
  std::shared_ptr<const Grouping> grouping(const Grouping& g);

  PointerMap<SpaceRef> spaces_;
  PointerMap<ColumnRef> columns_;
};

}  // namespace serrate::graph
