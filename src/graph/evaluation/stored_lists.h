// Barriers over derived lists (what a filter leaves, pairs, slices) are computed from stored forms
// of these. What follows goes on with them: the lists are not made again.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/pointer_map.h"
#include "graph/evaluation/fills.h"
#include "graph/parts/over_stored.h"

namespace serrate::graph {

/// Of lists as if they were stored, for a drawing.
Buffer no_offsets();

class StoredLists {
 public:
  /// Of fills, whose inputs() are `trees`, found in `roots`.
  StoredLists(const Fills& fills, const std::vector<NodeRef>& trees,
              const std::vector<NodeRef>& roots);
  /// Is any of them a barrier over lists that are nowhere stored?
  bool any() const { return any_; }
  /// Trees of the same lists that are to be stored with the inputs, and are noted behind them: what
  /// is read of these lists beside the keys, as the fields of records that a sort puts in order.
  std::vector<NodeRef> others() const;
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
  /// Lists of an input, from axis 0 down to number `level`.
  struct Place {
    size_t input = 0, level = 0;
  };
  /// What is read of these lists beside the keys.
  struct Other {
    Place place;
    std::vector<ColumnRef> columns, values;
  };
  void find_reached(const ColumnRef& c);
  void find_reached(const SpaceRef& s);

  std::optional<Place> place_of(const SpaceRef& s);
  bool is_given(const ColumnRef& c);
  bool reads_places(const ColumnRef& c);
  bool reads_places(const SpaceRef& s);
  bool reads_own_places(const Column& c);
  bool may_be_stored(const ColumnRef& c);
  bool may_be_stored(const SpaceRef& s);
  void find_others(const ColumnRef& c);
  void find_others(const SpaceRef& s);
  void find_others(const Node& n);
  void add_other(const ColumnRef& c, const Place& place);
  void note_other(Other& o, const NodeRef& stored);
  void map_others(const std::vector<bool>& is_mapped);

  bool map_spaces(const Input& input);
  void map_results();

  const Fills& fills_;
  bool any_ = false, has_results_ = false, keeps_others_ = true;
  std::vector<Input> inputs_;
  std::vector<Other> others_;
  PointerFlags given_;             // keys and fills
  std::vector<ColumnRef> counts_;  // of items of lists, which stored ones tell
  PointerFlags reads_places_, may_be_stored_, looked_at_;
  PointerMap<std::optional<Place>> places_;
  PointerFlags reached_;  // columns that something else than a fill reads
  OverStored over_;
};

}  // namespace serrate::graph
