// Plans for the CPU and kernels for the GPU, kept by the structure of what they evaluate: a
// repeated expression is not planned again.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "cpu/plan.h"
#include "cuda/generate.h"
#include "graph/signature.h"
#include "graph/store.h"

namespace serrate::graph {

class Steps;

/// What has barriers is evaluated in several steps, each with a plan of its own.
struct InSteps {
  std::shared_ptr<const Steps> steps;  // null: not known how, or it cannot be said
  int noted = 0;                       // how often somebody tried to
};
using Plan = std::variant<cpu::CpuPlan, cuda::Kernels, InSteps>;

/// How trees of one structure are evaluated. The plan's objects are those of a signature.
struct KeptPlan {
  std::vector<uint64_t> words;
  std::vector<StorePlan> stores;
  Plan plan;              // without outputs if all is stored already
  std::vector<int> used;  // objects that the plan looks at
};

/// The plan kept for trees of this structure, or null.
std::shared_ptr<const KeptPlan> find_plan(const Signature& s);
/// Keeps a plan, in place of one of the same structure, or of that not asked for the longest.
/// Nothing is kept if it needs objects that the trees do not have.
void keep_plan(const Signature& s, const std::vector<StorePlan>& stores, Plan plan,
               std::span<const void* const> objects);

}  // namespace serrate::graph
