// Trees over the stored forms of their lists, where an array that they are made of has been stored
// since.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/pointer_map.h"
#include "graph/ir.h"
#include "graph/pointer_flags.h"

namespace serrate::graph {

class OverStored {
 public:
  /// Lists, derived or not, have become stored ones. What stays the same is not noted.
  void set(const SpaceRef& s, SpaceRef stored);
  /// Nothing but where plain lists begin and end has: their items lie where they lay.
  void set_lists(const SpaceRef& s, SpaceRef stored);
  /// What a column over such lists, or over ones that were stored before, has become. The first
  /// counts.
  void set(const ColumnRef& c, ColumnRef stored);
  /// All of an array: its lists, its columns. `stored` is what it was evaluated to.
  void set(const Node& n, const Node& stored);
  bool any() const { return !spaces_given_.empty() || any_column_; }

  /// A tree over what is stored; null where it asks for more of the lists than what lies over them:
  /// which item of those before is the one here is not stored.
  NodeRef operator()(const NodeRef& n);
  /// What lists have become, or null.
  const SpaceRef* mapped(const SpaceRef& s);

 private:
  static bool is_numbered_on(const Space& s);
  bool is_renumbered(const Space& s) const {
    return std::ranges::find(renumbered_, &s) != renumbered_.end();
  }
  SpaceRef space(const SpaceRef& s);
  ColumnRef column(const ColumnRef& c);
  ColumnRef over_stored(const ColumnRef& c);
  ColumnRef position_before(const Space& s, const SpaceRef& to);
  const ColumnRef* mapped(const ColumnRef& c) { return values_.find(c.get()); }
  template <class SpaceOrColumn>
  bool touches(const SpaceOrColumn& x);

  std::vector<std::pair<SpaceRef, SpaceRef>> spaces_given_;
  std::vector<std::pair<ColumnRef, ColumnRef>> counts_;  // of their items
  bool any_column_ = false, keeps_items_ = false;
  PointerMap<ColumnRef> values_;
  PointerFlags touches_;  // is there something mapped in or below it?
  PointerMap<SpaceRef> spaces_;
  PointerMap<ColumnRef> columns_;
  std::vector<const Space*> renumbered_;  // whose positions, where they are read, are others now
};

}  // namespace serrate::graph
