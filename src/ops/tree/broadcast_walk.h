// The walk of broadcast.cpp; what it does with lists is in broadcast_lists.cpp.
#pragma once

#include <string>
#include <vector>

#include "ops/tree/broadcast.h"

namespace serrate::ops {

class BroadcastWalk {
 public:
  using Nodes = std::vector<graph::NodeRef>;
  BroadcastWalk(const BroadcastOptions& options, const BroadcastLeaves& leaf)
      : options_(options), leaf_(leaf) {}

  /// `guard`: where it is false nobody looks at the result, so lists may differ in length there.
  Nodes step(const graph::SpaceRef& space, Nodes nodes, const graph::ColumnRef& guard);

 private:
  using Guard = graph::ColumnRef;
  /// How long the lists of the operands are, as far as that is known.
  struct Dimension {
    std::vector<int64_t> sizes;  // of each operand: 1 where it is repeated
    bool variable = false;       // some are of variable length
    int64_t size = 0;            // of the result
    /// A dimension of 1 repeats, unless all are.
    bool stretches(size_t i) const { return sizes[i] == 1 && (variable || size != 1); }
  };

  std::string in_function() const;

  /// NumPy's rule: where everything is regular, shallower operands get dimensions of 1 in front.
  void pad_regular(const graph::SpaceRef& space, Nodes& nodes) const;
  graph::NodeRef pad(const graph::SpaceRef& space, const graph::NodeRef& n) const;

  Nodes unions(const graph::SpaceRef& space, const Nodes& nodes, const Guard& guard);
  Nodes options(const graph::SpaceRef& space, const Nodes& operands, const Guard& guard);
  Nodes records(const graph::SpaceRef& space, const Nodes& nodes, const Guard& guard);

  Nodes lists(const graph::SpaceRef& space, const Nodes& nodes, Guard guard);
  /// Lists of one space, with what is repeated for their items: the usual case, done quickly.
  Nodes same_lists(const graph::SpaceRef& space, const Nodes& nodes, const graph::SpaceRef& child,
                   const Guard& guard);
  /// Regular dimensions of which one is empty: so is the result.
  Nodes no_lists(const graph::SpaceRef& space, const Nodes& nodes);
  Dimension dimension(const graph::SpaceRef& space, const Nodes& nodes) const;
  /// The size that regular dimensions have in common; 0 wins, then 1 stretches.
  int64_t common_size(const Nodes& nodes, const std::vector<int64_t>& sizes) const;
  /// The results as lists of `child` over `space`, of this size if they are regular.
  Nodes under_lists(const graph::SpaceRef& space, const graph::SpaceRef& child, int64_t size,
                    const Nodes& operands, Nodes results) const;

  const BroadcastOptions& options_;
  const BroadcastLeaves& leaf_;
};

}  // namespace serrate::ops
