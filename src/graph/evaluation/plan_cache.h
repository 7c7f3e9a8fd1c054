// Executables of all back ends, kept by the structure of what they evaluate: a repeated expression
// is not planned again.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/backend.h"
#include "graph/signature.h"
#include "graph/store.h"

namespace serrate::graph {

class Steps;

/// What has barriers is evaluated in several steps, each with a plan of its own.
struct InSteps {
  std::shared_ptr<const Steps> steps;  // null: not known how, or it cannot be said
  int noted = 0;                       // how often somebody tried to
  bool by_rows = false;                // many rows are evaluated some at a time
};

/// What writes some of the outputs of trees, or (empty) all of them.
struct KeptPart {
  std::shared_ptr<const Executable> executable;
  std::vector<int> outputs;
};

/// How trees of one structure are evaluated. The objects of the executables are those of a
/// signature.
struct KeptPlan {
  std::vector<uint64_t> words;
  std::vector<StorePlan> stores;
  std::optional<InSteps> in_steps;  // else:
  std::vector<KeptPart> parts;      // none if all is stored already
  std::vector<int> used;            // objects that they look at
};

/// The plan kept for trees of this structure, or null.
std::shared_ptr<const KeptPlan> find_plan(const Signature& s);
/// What was compiled for a part.
struct CompiledPart {
  Compiled made;
  std::vector<int> outputs;
};
/// Keeps a plan, in place of one of the same structure, or of that not asked for the longest.
/// Nothing is kept if it needs objects that the trees do not have.
void keep_plan(const Signature& s, const std::vector<StorePlan>& stores,
               std::vector<CompiledPart> parts);
void keep_steps(const Signature& s, InSteps steps);

/// While it lives, this thread keeps plans of what could do without: somebody will ask for them.
class WithPlans {
 public:
  WithPlans() : before_(std::exchange(wanted_, true)) {}
  ~WithPlans() { wanted_ = before_; }
  WithPlans(const WithPlans&) = delete;
  WithPlans& operator=(const WithPlans&) = delete;
  static bool wanted() { return wanted_; }

 private:
  static inline constinit thread_local bool wanted_ = false;
  bool before_;
};

}  // namespace serrate::graph
