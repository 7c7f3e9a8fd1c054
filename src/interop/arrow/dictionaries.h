// Chunks whose dictionaries differ, as one array with one dictionary.
#pragma once

#include <vector>

#include "graph/ir.h"
#include "serrate/array.h"

namespace serrate::interop::arrow {

/// Deltas and replacements of Arrow's streams give each chunk a dictionary of its own. Joined as
/// they are, categoricals would become their values: so they are joined as numbers of the
/// categories that all chunks have together, in the order in which these come first.
class Dictionaries {
 public:
  /// The pieces with numbers in the place of categoricals. Where categories cannot be compared
  /// (lists) or a chunk has none, these stay.
  std::vector<Array> numbered(const std::vector<Array>& pieces);
  /// What was joined of them, with categoricals again.
  Array restored(const Array& joined) const;

 private:
  using Nodes = std::vector<graph::NodeRef>;
  using Spaces = std::vector<graph::SpaceRef>;
  Nodes walk(const Nodes& nodes, const Spaces& spaces);
  Nodes number(const Nodes& nodes, const Spaces& spaces);
  graph::NodeRef restore(const graph::NodeRef& n) const;

  struct Dictionary {
    graph::SpaceRef rows;
    graph::NodeRef content;
    Parameters parameters;
  };
  std::vector<Dictionary> found_;
};

}  // namespace serrate::interop::arrow
