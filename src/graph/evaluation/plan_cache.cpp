// Plans kept by structure: see plan_cache.h.
#include "graph/evaluation/plan_cache.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

#include "core/process_mutex.h"
#include "core/seams.h"

namespace serrate::graph {
namespace {

/// Each hash has a few places, the plan that was asked for last in the first of them.
struct PlanCache {
  static constexpr size_t kSets = 128, kWays = 4;
  using Ways = std::array<std::shared_ptr<const KeptPlan>, kWays>;
  ProcessMutex mutex;
  std::array<Ways, kSets> sets;

  Ways& ways(const Signature& s) {
    return sets[s.hash() % std::min<uint64_t>(kSets, static_cast<uint64_t>(seams().plans))];
  }
};

// Never destroyed: arrays may be looked at while static objects end.
PlanCache& cache() {
  static PlanCache& c = *new PlanCache;
  return c;
}

PlanCache::Ways::iterator find(PlanCache::Ways& ways, const Signature& s) {
  return std::find_if(ways.begin(), ways.end(),
                      [&](const auto& p) { return p && std::ranges::equal(p->words, s.words()); });
}

void keep(const Signature& s, std::shared_ptr<const KeptPlan> kept) {
  PlanCache& c = cache();
  const std::lock_guard hold(c.mutex);
  auto& ways = c.ways(s);
  auto place = find(ways, s);
  if (place == ways.end()) place--;
  std::swap(*place, kept);  // what goes ends behind the lock
  std::rotate(ways.begin(), place, place + 1);
}

}  // namespace

std::shared_ptr<const KeptPlan> find_plan(const Signature& s) {
  if (!s.is_complete()) return {};
  PlanCache& c = cache();
  const std::lock_guard hold(c.mutex);
  auto& ways = c.ways(s);
  const auto found = find(ways, s);
  if (found == ways.end()) return {};
  std::rotate(ways.begin(), found, found + 1);
  return ways.front();
}

void keep_plan(const Signature& s, const std::vector<StorePlan>& stores,
               std::vector<CompiledPart> parts) {
  if (!s.is_complete()) return;
  auto kept = std::make_shared<KeptPlan>();
  bool has_all = true;
  std::unordered_map<const void*, int> number;
  for (const void* object : s.objects())
    number.try_emplace(object, static_cast<int>(number.size()));
  for (CompiledPart& part : parts) {
    part.made.executable->each_object([&](int& object) {
      if (object < 0) return;
      const auto at = number.find(part.made.objects[static_cast<size_t>(object)]);
      has_all &= at != number.end();
      if (!has_all) return;
      object = at->second;
      kept->used.push_back(object);
    });
    kept->parts.push_back({std::move(part.made.executable), std::move(part.outputs)});
  }
  if (!has_all) return;
  std::ranges::sort(kept->used);
  kept->used.erase(std::unique(kept->used.begin(), kept->used.end()), kept->used.end());
  kept->words.assign(s.words().begin(), s.words().end());
  kept->stores = stores;
  keep(s, std::move(kept));
}

void keep_steps(const Signature& s, InSteps steps) {
  if (!s.is_complete()) return;
  auto kept = std::make_shared<KeptPlan>();
  kept->words.assign(s.words().begin(), s.words().end());
  kept->in_steps = std::move(steps);
  keep(s, std::move(kept));
}

}  // namespace serrate::graph
