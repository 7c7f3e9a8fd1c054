// Few derived lists that are stored before what is inside of them: a device whose threads share the
// innermost stored items would have few of them at work.
#pragma once

#include <functional>
#include <optional>
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
  std::optional<std::vector<NodeRef>> operator()(const std::vector<NodeRef>& roots) const;

 private:
  static constexpr int64_t kBytes = 1 << 16;  // of an owner's lists, which others would not share

  const int64_t few_;  // the most owners
  const std::function<SpaceRef(const SpaceRef&)> store_;
};

}  // namespace serrate::graph
