// Barriers over derived lists (what a filter leaves, pairs, slices) are computed from stored forms
// of these. What follows goes on with them: the lists are not made again.
#pragma once

#include <vector>

#include "core/pointer_map.h"
#include "graph/evaluation/fills.h"

namespace serrate::graph {

class StoredLists {
 public:
  /// Of fills, whose inputs() are `trees`, found in `roots`.
  StoredLists(const Fills& fills, const std::vector<NodeRef>& trees,
              const std::vector<NodeRef>& roots);
  /// Is any of them a barrier over lists that are nowhere stored?
  bool any() const { return any_; }
  /// Before the inputs, in their stored form, are taken apart.
  void note(const std::vector<NodeRef>& stored);
  /// As if they were stored, for a drawing: of how many rows is not known.
  void pretend();
  /// When the fills have their results: a root over the stored lists; null where it asks for more
  /// of the derived lists than what lies over them.
  NodeRef operator()(const NodeRef& root);

 private:
  /// Lists of a tree, and what lies over the innermost of them; what is stored of both.
  struct Input {
    std::vector<SpaceRef> spaces, stored;  // from axis 0 down
    std::vector<ColumnRef> columns, values;
    bool is_derived = false;
  };
  void find_reached(const ColumnRef& c);
  void find_reached(const SpaceRef& s);
  bool map_spaces(const Input& input);
  void map_results();

  NodeRef tree(const NodeRef& n);
  SpaceRef space(const SpaceRef& s);
  ColumnRef column(const ColumnRef& c);
  ColumnRef over_stored(const ColumnRef& c);
  const SpaceRef* mapped(const SpaceRef& s);
  const ColumnRef* mapped(const ColumnRef& c) { return values_.find(c.get()); }
  template <class SpaceOrColumn>
  bool touches(const SpaceOrColumn& x);

  const Fills& fills_;
  bool any_ = false, has_results_ = false;
  std::vector<Input> inputs_;
  PointerFlags reached_;  // columns that something else than a fill reads
  std::vector<std::pair<SpaceRef, SpaceRef>> mapped_;
  PointerMap<ColumnRef> values_;
  PointerFlags touches_;  // is there something mapped in or below it?
  PointerMap<SpaceRef> spaces_;
  PointerMap<ColumnRef> columns_;
};

}  // namespace serrate::graph
