// Kept plans, run without the trees that they were made for.
#pragma once

#include <optional>
#include <vector>

#include "graph/backend.h"
#include "graph/evaluation/plan_cache.h"
#include "graph/signature.h"

namespace serrate::graph {

/// What evaluates these trees; what plans of it depend on is added to their signature.
Backend& backend_of(const std::vector<NodeRef>& roots, Signature& s);

/// Runs the plan of `roots`, whose objects these are or stand for.
std::vector<Written> run_plan(const KeptPlan& plan, const std::vector<NodeRef>& roots,
                              Objects objects);

/// What a kept plan runs on.
struct Bound {
  const std::vector<NodeRef>& roots;  // trees of the structure that it is for
  const Signature& signature;         // of the roots
  Backend& backend;
  LaterTrees later;  // for who must hold the roots until nothing can fail
};
/// The stored forms of the trees; nothing where the data are not as they were.
std::optional<std::vector<NodeRef>> run_kept(const KeptPlan& plan, const Bound& on);

}  // namespace serrate::graph
