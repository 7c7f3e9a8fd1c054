// Plans kept by structure: see plan_cache.h.
#include "graph/plan_cache.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace serrate::graph {
namespace {

/// One place per hash: the latest plan stays.
struct PlanCache {
  std::mutex mutex;
  std::array<std::shared_ptr<const KeptPlan>, 512> plans;
};

// Never destroyed: arrays may be looked at while static objects end.
PlanCache& cache() {
  static PlanCache& c = *new PlanCache;
  return c;
}

std::shared_ptr<const KeptPlan>& place(PlanCache& c, const Signature& s) {
  return c.plans[s.hash() % c.plans.size()];
}

}  // namespace

std::shared_ptr<const KeptPlan> find_plan(const Signature& s) {
  if (!s.is_complete()) return {};
  PlanCache& c = cache();
  std::shared_ptr<const KeptPlan> found;
  {
    const std::lock_guard hold(c.mutex);
    found = place(c, s);
  }
  return found && std::ranges::equal(found->words, s.words()) ? found : nullptr;
}

void keep_plan(const Signature& s, const std::vector<StorePlan>& stores, cpu::NewPlan made) {
  if (!s.is_complete()) return;
  std::vector<int> numbers;
  for (const void* p : made.objects) {
    const auto at = std::find(s.objects().begin(), s.objects().end(), p);
    if (at == s.objects().end()) return;
    numbers.push_back(static_cast<int>(at - s.objects().begin()));
  }
  auto renumber = [&](int& object) {
    if (object >= 0) object = numbers[static_cast<size_t>(object)];
  };
  for (auto& f : made.plan.frames) renumber(f.space);
  for (auto& slot : made.plan.slots) renumber(slot.object);
  for (auto& check : made.plan.checks) renumber(check.object);
  auto kept = std::make_shared<KeptPlan>();
  kept->words.assign(s.words().begin(), s.words().end());
  kept->stores = stores;
  kept->plan = std::move(made.plan);
  PlanCache& c = cache();
  std::shared_ptr<const KeptPlan> old = std::move(kept);
  const std::lock_guard hold(c.mutex);
  std::swap(place(c, s), old);
}

}  // namespace serrate::graph
