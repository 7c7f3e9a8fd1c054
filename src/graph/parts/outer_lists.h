// Few outer lists that are stored before what is inside of them: a device whose threads share the
// outermost stored items would have few of them at work.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/ir.h"

namespace serrate::graph {

class OuterLists {
 public:
  /// Of trees whose largest buffer has so many bytes. `store` gives the stored form of derived
  /// lists over stored ones: as many lists of the same lengths.
  OuterLists(int64_t bytes, std::function<SpaceRef(const SpaceRef&)> store)
      : few_(bytes / kBytes), store_(std::move(store)) {}

  /// Trees over unit, over the stored forms of their few outer lists; nothing where they have none.
  std::optional<std::vector<NodeRef>> operator()(const std::vector<NodeRef>& roots);

 private:
  NodeRef inside(const NodeRef& n);
  SpaceRef stored(const SpaceRef& lists);
  bool has_lists(const Node& n, const Space& below);
  bool has_lists(const ColumnRef& c, const Space& below);
  bool has_lists(const SpaceRef& s, const Space& below);

  static constexpr int64_t kBytes = 1 << 16;  // of an owner's lists, which others would not share

  const int64_t few_;  // the most owners
  const std::function<SpaceRef(const SpaceRef&)> store_;
  std::vector<std::pair<SpaceRef, SpaceRef>> stored_;
  std::unordered_set<const void*> seen_;
};

}  // namespace serrate::graph
