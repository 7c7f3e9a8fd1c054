// An evaluation that is interrupted: what its thread evaluates meanwhile is no part of it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/ir.h"

namespace serrate::graph {

/// While it lives, what this thread evaluates knows nothing of what it was evaluating.
class Interrupted {
 public:
  Interrupted();
  ~Interrupted();
  Interrupted(const Interrupted&) = delete;
  Interrupted& operator=(const Interrupted&) = delete;

 private:
  std::optional<Device> surrounding_;
  const std::vector<NodeRef>* whole_;
  const std::function<std::vector<NodeRef>()>* later_;
};

}  // namespace serrate::graph
