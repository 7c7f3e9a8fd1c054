// What trees read, as the size that it gives to the text of a kernel.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "graph/ir.h"

namespace serrate::graph {

/// Counts words of what is seen for the first time: loads, constants and spaces, and more for what
/// is much text.
class Inputs {
 public:
  /// Operations that bring more than `broad` words are noted, and count as one from there on.
  explicit Inputs(size_t broad = SIZE_MAX) : most_(broad) {}
  size_t add(const ColumnRef& c);
  size_t add(const SpaceRef& s);
  /// The deepest first.
  const std::vector<ColumnRef>& broad() const { return broad_; }

 private:
  size_t most_;
  std::unordered_set<const void*> seen_;
  std::vector<ColumnRef> broad_;
};

/// Can its evaluation find something wrong: lists of unequal lengths, an index out of range ...?
bool may_fail(const NodeRef& n);

}  // namespace serrate::graph
