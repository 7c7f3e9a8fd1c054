// What evaluation writes out: from value trees to a nest's outputs, and from results back to stored
// trees.
#pragma once

#include <span>
#include <vector>

#include "graph/evaluate.h"
#include "graph/nest.h"

namespace serrate::graph {

/// Lengths of lists as offsets, where a back end has them anyway.
struct KnownOffsets {
  Buffer buffer;                    // int64; empty: not known
  int64_t total = 0, longest = -1;  // -1: on their way
};

/// Offsets of n lists in the memory of their lengths, which nobody else holds; ValueError where
/// there are too many items. `at`: that memory, which has room for one more.
KnownOffsets offsets_in_place(const Buffer& lengths, std::byte* at, int64_t n);

/// A buffer written by a back end: `size` items from domain position `first` on.
struct Written {
  Buffer buffer;
  int64_t size = 0;
  int64_t first = 0;
  KnownOffsets offsets;
};

/// How the stored form of one node of a tree is made of outputs; children in the order of
/// Node::contents. Holds nothing of the tree itself.
struct StorePlan {
  int column = -1;          // output number of its column
  bool reuse = false;       // its column is stored as it is
  bool joined = false;      // the same, of the lists that are joined to one: see joined_items()
  bool repeats = false;     // it is loaded, the same items for each list: see `equal`
  int counts = -1;          // list: output number of its lengths
  bool same_space = false;  // list: its space is stored and its parent is kept
  bool as_first = false;    // list: aligned, and the same holds of its first base
  bool equal = false;       // list: all have one length, which is a constant of the tree
  std::vector<StorePlan> children;
};

/// What is stored already as one of a tree's columns, which is no load.
struct InPlace {
  const Column* of = nullptr;
  ColumnRef load;
};

/// The stored forms of trees.
std::vector<NodeRef> stored_trees(const std::vector<NodeRef>& roots,
                                  const std::vector<StorePlan>& plans,
                                  const std::vector<Written>& written,
                                  std::span<const InPlace> in_place = {});
/// Is it loaded position by position, as stored columns are?
bool is_plain_load(const ColumnRef& c);
/// Lists down to one leaf with another in its place.
NodeRef with_leaf(const Node& lists, NodeRef leaf);
/// Lists that follow each other, between two loads as stored ones have them; over any parent.
bool is_plain_list(const Space& s);
/// Regular lists, one behind the other from the first item on, as stored_fixed() makes them.
bool are_adjacent(const Space& s);
/// Lists between two constants.
bool has_equal_lists(const Space& s);
/// Stored lists whose items are the rows of s, so that nobody needs to count them, or null.
const SpaceRef* joined_items(const Space& s);
/// The column that is seen from flat spaces.
const ColumnRef& below_flats(const ColumnRef& c);

/// The outputs that some value trees need. Stored parts are passed on as they are.
class Store {
 public:
  void add(const NodeRef& root);
  /// Demands all outputs of a nest, in their order.
  void demand(Nest& nest) const;
  /// The same of some, of which a back end computes others by themselves.
  void demand(Nest& nest, std::span<const int> which) const;
  /// The numbers of all outputs, in order, in parts that read about `most` loads, constants and
  /// spaces, and write as many columns, if each output for itself does.
  std::vector<std::vector<int>> parts(size_t most) const;
  /// Columns to store before, where one output for itself reads more than that.
  std::vector<ColumnRef> broad(size_t most) const;
  size_t size() const { return outputs_.size(); }
  /// Calls f(column, space) with each output.
  template <class F>
  void each_output(F&& f) const {
    for (const Output& o : outputs_) f(o.column, o.space);
  }
  /// The stored trees, in the order they were added.
  std::vector<NodeRef> results(const std::vector<Written>& written) const {
    return stored_trees(roots_, plans_, written);
  }
  const std::vector<StorePlan>& plans() const { return plans_; }

 private:
  StorePlan plan(const NodeRef& n, const SpaceRef& s, bool kept, bool equal = false);
  int output(const ColumnRef& c, const SpaceRef& s, bool histogram = false, bool lengths = false);

  struct Output {
    ColumnRef column;
    SpaceRef space;
    bool histogram;
    bool lengths;
  };
  static size_t words_of(const Output& o, class Inputs& inputs);

  std::vector<Output> outputs_;
  std::vector<NodeRef> roots_;
  std::vector<StorePlan> plans_;
};

}  // namespace serrate::graph
