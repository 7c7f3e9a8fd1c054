// Plans for the CPU, kept by the structure of what they evaluate: a repeated expression is not
// planned again.
#pragma once

#include <memory>
#include <vector>

#include "cpu/plan.h"
#include "graph/signature.h"
#include "graph/store.h"

namespace serrate::graph {

/// How trees of one structure are evaluated. The plan's objects are those of a signature.
struct KeptPlan {
  std::vector<uint64_t> words;
  std::vector<StorePlan> stores;
  cpu::CpuPlan plan;  // without outputs if all is stored already
};

/// The plan kept for trees of this structure, or null.
std::shared_ptr<const KeptPlan> find_plan(const Signature& s);
/// Keeps a plan in place of an older one. Nothing is kept if it has objects that the trees do not
/// have.
void keep_plan(const Signature& s, const std::vector<StorePlan>& stores, cpu::NewPlan plan);

}  // namespace serrate::graph
