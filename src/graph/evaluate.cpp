// Looking at values: trees become a loop nest, the nest runs on a back end, results become stored
// trees.
#include "graph/evaluate.h"

#include <algorithm>
#include <optional>
#include <span>

#include "cuda/device.h"
#include "cuda/run.h"
#include "graph/device.h"
#include "graph/fills.h"
#include "graph/nest.h"
#include "graph/plan_cache.h"

namespace serrate::graph {

namespace {

std::vector<NodeRef> run(const std::vector<NodeRef>& roots, const std::vector<StorePlan>& stores,
                         const cpu::CpuPlan& plan, std::span<const void* const> objects) {
  std::vector<Written> written;
  if (!plan.outputs.empty()) {
    written.reserve(plan.outputs.size());
    for (auto& r : cpu::run(plan, objects))
      written.push_back({std::move(r.buffer), r.size, r.first});
  }
  return stored_trees(roots, stores, written);
}

}  // namespace

Device device_of(const std::vector<NodeRef>& roots) {
  return buffers_device(roots).value_or(default_device());
}

Device& default_device() {
  static Device d = Device::cpu;
  return d;
}

namespace {

/// The same trees with fills as stored columns; none where there is no fill.
std::optional<std::vector<NodeRef>> filled(const std::vector<NodeRef>& roots, bool picks) {
  Fills fills(picks);
  for (const auto& r : roots) fills.find(*r);
  if (!fills.any()) return {};
  fills.fill();
  std::vector<NodeRef> rest;
  for (const auto& r : roots) rest.push_back(fills.replace(r));
  return rest;
}

/// For SERRATE_CUDA=compile-only, whose kernels never run and whose memory is the host's.
std::vector<Written> run_in_its_place(const std::vector<NodeRef>& roots) {
  Nest nest;
  Store store(nest);
  for (const auto& r : roots) store.add(r);
  nest.finish();
  const cpu::NewPlan made = cpu::make_plan(nest);
  std::vector<Written> written;
  for (const auto& r : cpu::run(made.plan, made.objects)) {
    const Buffer& b = r.buffer;
    written.push_back({Buffer(b.data(), b.bytes(), b.owner(), Device::cuda), r.size, r.first});
  }
  return written;
}

std::vector<NodeRef> evaluate_on_gpu(const std::vector<NodeRef>& roots) {
  Nest nest;
  Store store(nest);
  for (const auto& r : roots) store.add(r);
  if (nest.needs_fills() || nest.has_long_picks()) {
    if (const auto rest = filled(roots, true)) return evaluate(*rest);
  }
  std::vector<Written> written;
  if (!nest.outputs().empty()) {
    nest.finish();
    written = cuda::run(nest);
    if (cuda::compile_only()) written = run_in_its_place(roots);
  }
  return stored_trees(roots, store.plans(), written);
}

}  // namespace

std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots) {
  if (device_of(roots) == Device::cuda) return evaluate_on_gpu(roots);  // mixed ones raise
  const Signature signature(roots);
  if (const auto kept = find_plan(signature))
    return run(roots, kept->stores, kept->plan, signature.objects());
  Nest nest;
  Store store(nest);
  for (const auto& r : roots) store.add(r);
  if (nest.needs_fills()) return evaluate(filled(roots, false).value());
  cpu::NewPlan made;
  if (!nest.outputs().empty()) {
    nest.finish();
    made = cpu::make_plan(nest);
  }
  std::vector<NodeRef> results = run(roots, store.plans(), made.plan, made.objects);
  keep_plan(signature, store.plans(), std::move(made));
  return results;
}

}  // namespace serrate::graph
