// What evaluation writes out: from value trees to a nest's outputs, and from results back to stored
// trees.
#pragma once

#include <functional>
#include <vector>

#include "graph/evaluate.h"
#include "graph/nest.h"

namespace serrate::graph {

/// A buffer written by a back end: `size` items from domain position `first` on.
struct Written {
  Buffer buffer;
  int64_t size = 0;
  int64_t first = 0;
};

/// The outputs that some value trees need. Stored parts are passed on as they are.
class Store {
 public:
  explicit Store(Nest& nest) : nest_(nest) {}
  void add(const NodeRef& root);
  /// The stored trees, in the order they were added.
  std::vector<NodeRef> results(const std::vector<Written>& written) const;

 private:
  /// How one node of a tree is rebuilt; children in the order of Node::contents.
  struct Plan {
    NodeRef node;
    int column = -1;          // output number of its column
    bool reuse = false;       // its column is stored as it is
    int counts = -1;          // list: output number of its lengths
    bool same_space = false;  // list: its space is stored and its parent is kept
    bool histogram = false;
    std::vector<Plan> children;
  };
  Plan plan(const NodeRef& n, const SpaceRef& s, bool kept);
  NodeRef build(const Plan& p, const SpaceRef& s, int64_t size,
                const std::vector<Written>& written) const;
  ColumnRef column(const Plan& p, const SpaceRef& s, const std::vector<Written>& written) const;

  Nest& nest_;
  std::vector<Plan> plans_;
  std::vector<ColumnRef> keep_;
};

}  // namespace serrate::graph
