// Plans kept by structure: see plan_cache.h.
#include "graph/plan_cache.h"

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

template <class F>
void each_object(cpu::CpuPlan& plan, F&& f) {
  for (auto& x : plan.frames) f(x.space);
  for (auto& slot : plan.slots) f(slot.object);
  for (auto& check : plan.checks) f(check.object);
  for (auto& b : plan.bounds) f(b.column);
}

template <class F>
void each_object(InSteps&, F&&) {}

template <class F>
void each_object(cuda::Kernels& kernels, F&& f) {
  for (auto& word : kernels.words) f(word.object);
  for (auto& place : kernels.places) f(place.size.object);
  for (auto& check : kernels.checks) f(check);
  for (auto& space : kernels.aligned) f(space);
  for (auto& walk : kernels.walks) {
    f(walk.items.object);
    f(walk.kept.lists.object);
    f(walk.lists);
    for (auto& x : walk.appends) {
      f(x.most.object);
      f(x.inner_lists.object);
      for (auto& s : x.sums) {
        f(s.starts);
        f(s.stops);
        f(s.number.object);
      }
    }
    for (auto& t : walk.temporaries) f(t.bytes.of.object);
    for (auto& step : walk.steps) f(step.blocks.of.object);
  }
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

void keep_plan(const Signature& s, const std::vector<StorePlan>& stores, Plan plan,
               std::span<const void* const> objects) {
  if (!s.is_complete()) return;
  auto kept = std::make_shared<KeptPlan>();
  bool has_all = true;
  std::unordered_map<const void*, int> number;
  for (const void* object : s.objects())
    number.try_emplace(object, static_cast<int>(number.size()));
  const auto renumber = [&](int& object) {
    if (object < 0) return;
    const auto at = number.find(objects[static_cast<size_t>(object)]);
    has_all &= at != number.end();
    if (!has_all) return;
    object = at->second;
    kept->used.push_back(object);
  };
  std::visit([&](auto& p) { each_object(p, renumber); }, plan);
  if (!has_all) return;
  std::ranges::sort(kept->used);
  kept->used.erase(std::ranges::unique(kept->used).begin(), kept->used.end());
  kept->words.assign(s.words().begin(), s.words().end());
  kept->stores = stores;
  kept->plan = std::move(plan);
  PlanCache& c = cache();
  std::shared_ptr<const KeptPlan> old = std::move(kept);
  const std::lock_guard hold(c.mutex);
  auto& ways = c.ways(s);
  auto place = find(ways, s);
  if (place == ways.end()) place--;
  std::swap(*place, old);
  std::rotate(ways.begin(), place, place + 1);
}

}  // namespace serrate::graph
