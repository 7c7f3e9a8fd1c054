// Looking at values: trees become a loop nest, the nest runs on a back end, results become stored
// trees.
#include "graph/evaluate.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/seams.h"
#include "cuda/checks.h"
#include "cuda/device.h"
#include "cuda/facts.h"
#include "cuda/run.h"
#include "graph/device.h"
#include "graph/fills.h"
#include "graph/interrupted.h"
#include "graph/nest.h"
#include "graph/plan_cache.h"
#include "graph/steps.h"

namespace serrate::graph {

namespace {
thread_local std::optional<Device> surrounding;

/// While it lives, parts without buffers are evaluated where the whole is.
class Surrounding {
 public:
  explicit Surrounding(Device d) : before_(std::exchange(surrounding, d)) {}
  ~Surrounding() { surrounding = before_; }
  Surrounding(const Surrounding&) = delete;
  Surrounding& operator=(const Surrounding&) = delete;

 private:
  std::optional<Device> before_;
};

thread_local const std::vector<NodeRef>* whole = nullptr;

/// While it lives, errors are those of these trees, whatever parts of them are evaluated before.
class Whole {
 public:
  explicit Whole(const std::vector<NodeRef>& roots) : before_(whole) {
    if (whole == nullptr) whole = &roots;
  }
  ~Whole() { whole = before_; }
  Whole(const Whole&) = delete;
  Whole& operator=(const Whole&) = delete;

 private:
  const std::vector<NodeRef>* before_;
};
}  // namespace

Interrupted::Interrupted()
    : surrounding_(std::exchange(surrounding, std::nullopt)),
      whole_(std::exchange(whole, nullptr)) {}
Interrupted::~Interrupted() {
  surrounding = surrounding_;
  whole = whole_;
}

Device surrounding_device() { return surrounding.value_or(default_device()); }

Device device_of(const std::vector<NodeRef>& roots) {
  return buffers_device(roots).value_or(surrounding_device());
}

Device& default_device() {
  static Device d = Device::cpu;
  return d;
}

namespace {

std::vector<NodeRef> evaluate_noted(const std::vector<NodeRef>& roots, StepsRecorder* recorder);

/// Where trees are evaluated, with what plans of that device depend on added to their signature.
Device place(const std::vector<NodeRef>& roots, Signature& s) {
  const bool is_known = s.is_complete() && !s.is_mixed();
  const Device device = is_known ? s.device().value_or(surrounding_device()) : device_of(roots);
  if (device == Device::cuda) cuda::add_facts(s);
  return device;
}

/// Fills are stored, and loads take their place; nothing where there is no fill.
std::optional<std::vector<NodeRef>> filled(const std::vector<NodeRef>& roots, bool on_gpu,
                                           std::vector<ColumnRef> first = {},
                                           StepsRecorder* recorder = nullptr) {
  Fills fills(on_gpu, std::move(first));
  for (const auto& r : roots) fills.find(*r);
  if (!fills.any()) return {};
  const std::vector<NodeRef> trees = fills.inputs();
  std::optional<Signature> before;
  if (recorder != nullptr) place(trees, before.emplace(trees));
  fills.fill(evaluate(trees));
  if (recorder != nullptr) recorder->step(fills, trees, *before);
  std::vector<NodeRef> rest;
  for (const auto& r : roots) rest.push_back(fills.replace(r));
  if (recorder != nullptr) recorder->replaced(fills);
  return rest;
}

std::vector<Written> results(const cpu::CpuPlan& plan, std::span<const void* const> objects) {
  std::vector<Written> written;
  written.reserve(plan.outputs.size());
  for (auto& r : cpu::run(plan, objects))
    written.push_back({std::move(r.buffer), r.size, r.first, {}});
  return written;
}

/// For SERRATE_CUDA=compile-only, whose kernels never run and whose memory is the host's.
std::vector<Written> run_in_its_place(const std::vector<NodeRef>& roots, std::span<const int> part,
                                      const cuda::Kernels& kernels,
                                      std::span<const void* const> objects) {
  Nest nest;
  Store store;
  for (const auto& r : roots) store.add(r);
  part.empty() ? store.demand(nest) : store.demand(nest, part);
  nest.finish();
  cuda::check_kept(kernels, objects, nest);
  const cpu::NewPlan made = cpu::make_plan(nest);
  std::vector<Written> written = results(made.plan, made.objects);
  for (Written& w : written) {
    const Buffer b = w.buffer;
    w.buffer = Buffer(b.data(), b.bytes(), b.owner(), Device::cuda);
  }
  return written;
}

/// Numbers that kernels of other expressions rely on: they must be right before those are launched.
bool has_positions(const Node& n) {
  return n.kind == NodeKind::categorical || n.kind == NodeKind::union_ ||
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_positions(*c); });
}

struct Runner {
  const std::vector<NodeRef>& roots;
  std::span<const void* const> objects;
  std::span<const int> part = {};  // of the outputs; empty: all

  std::vector<Written> operator()(const cpu::CpuPlan& plan) const {
    return plan.outputs.empty() ? std::vector<Written>() : results(plan, objects);
  }
  std::vector<Written> operator()(const InSteps&) const { return {}; }
  std::vector<Written> operator()(const cuda::Kernels& kernels) const {
    if (kernels.places.empty()) return {};
    const bool is_part = whole != &roots || !part.empty();
    std::vector<Written> written = cuda::run(kernels, objects, {*whole, is_part});
    if (cuda::compile_only()) return run_in_its_place(roots, part, kernels, objects);
    const bool waits =
        std::any_of(roots.begin(), roots.end(), [](const auto& r) { return has_positions(*r); });
    for (const Written& w : written) {
      if (waits) cuda::settle_checks(w.buffer);
    }
    return written;
  }
};

/// On a CPU: plans of more take time as the square of them.
constexpr size_t kMostCpuInputs = 2000;

/// Outputs in parts, each by a plan of its own: see `seams().inputs`.
std::vector<Written> run_in_parts(const std::vector<NodeRef>& roots, const Store& store,
                                  const std::vector<std::vector<int>>& parts, bool on_gpu) {
  std::vector<Written> written(store.size());
  for (const auto& part : parts) {
    Nest nest;
    store.demand(nest, part);
    nest.finish();
    std::vector<Written> some;
    if (on_gpu) {
      const cuda::NewKernels made = cuda::make_kernels(nest);
      some = Runner{roots, made.objects, part}(made.kernels);
    } else {
      const cpu::NewPlan made = cpu::make_plan(nest);
      some = results(made.plan, made.objects);
    }
    for (size_t i = 0; i < part.size(); i++)
      written[static_cast<size_t>(part[i])] = std::move(some[i]);
  }
  return written;
}

/// What has fills: as it was done before, if that is known, else one step after the other, which is
/// noted. Nothing where there is no fill.
std::optional<std::vector<NodeRef>> evaluate_in_steps(const std::vector<NodeRef>& roots,
                                                      const Signature& signature, bool on_gpu,
                                                      const InSteps* known, StepsRecorder* outer) {
  // Of trees whose data differ in what steps depend on.
  const bool checks = cuda::compile_only(), has_steps = known != nullptr && known->steps;
  if (outer == nullptr && has_steps && !checks) {
    if (auto stored = known->steps->run(roots, signature)) return stored;
  }
  const int noted = known == nullptr ? 0 : known->noted;
  std::optional<StepsRecorder> own;
  if (outer == nullptr && (noted < seams().notes || checks)) own.emplace(roots, signature, on_gpu);
  StepsRecorder* const recorder = own ? &*own : outer;
  const auto rest = filled(roots, on_gpu, {}, recorder);
  if (!rest) return {};
  if (!own && known == nullptr) keep_plan(signature, {}, InSteps(), {});
  std::vector<NodeRef> stored = evaluate_noted(*rest, recorder);
  if (!own) return stored;
  const std::shared_ptr<const Steps> steps = own->done();
  if (checks && has_steps && steps && known->steps->contradicts(*steps))
    throw std::logic_error("evaluate: kept steps are not those that are needed");
  keep_plan(signature, {}, InSteps{steps, noted + 1}, {});
  // Elsewhere they run when the expression is repeated.
  if (checks && !on_gpu && steps) return steps->run(roots, signature).value();
  return stored;
}

std::vector<NodeRef> evaluate_noted(const std::vector<NodeRef>& roots, StepsRecorder* recorder) {
  Signature signature(roots);
  const Device device = place(roots, signature);
  const Surrounding whole(device);
  const bool on_gpu = device == Device::cuda;
  const auto note = [&](std::vector<NodeRef> stored) {
    if (recorder != nullptr) recorder->last(roots, signature);
    return stored;
  };
  if (const auto kept = find_plan(signature)) {
    if (const auto* steps = std::get_if<InSteps>(&kept->plan))
      return evaluate_in_steps(roots, signature, on_gpu, steps, recorder).value();
    return note(
        stored_trees(roots, kept->stores, run_plan(kept->plan, roots, signature.objects())));
  }
  Store store;
  for (const auto& r : roots) store.add(r);
  if (on_gpu) {
    if (std::vector<ColumnRef> first = store.broad(static_cast<size_t>(seams().inputs));
        !first.empty())
      return evaluate(filled(roots, true, std::move(first)).value());
  }
  const size_t most = on_gpu ? static_cast<size_t>(seams().inputs) : kMostCpuInputs;
  if (const auto parts = store.parts(most); parts.size() > 1) {
    if (const auto rest = filled(roots, on_gpu)) return evaluate(*rest);
    return stored_trees(roots, store.plans(), run_in_parts(roots, store, parts, on_gpu));
  }
  Nest nest;
  store.demand(nest);
  if (nest.needs_fills() || (on_gpu && nest.has_long_picks())) {
    if (auto stored = evaluate_in_steps(roots, signature, on_gpu, nullptr, recorder))
      return *stored;
  }
  Plan plan = cpu::CpuPlan();
  std::vector<const void*> objects;
  if (!nest.outputs().empty()) {
    nest.finish();
    if (on_gpu) {
      cuda::NewKernels made = cuda::make_kernels(nest);
      plan = std::move(made.kernels);
      objects = std::move(made.objects);
    } else {
      cpu::NewPlan made = cpu::make_plan(nest);
      plan = std::move(made.plan);
      objects = std::move(made.objects);
    }
  }
  std::vector<NodeRef> trees = stored_trees(roots, store.plans(), run_plan(plan, roots, objects));
  keep_plan(signature, store.plans(), std::move(plan), objects);
  return note(std::move(trees));
}

}  // namespace

std::vector<Written> run_plan(const Plan& plan, const std::vector<NodeRef>& roots,
                              std::span<const void* const> objects) {
  return std::visit(Runner{roots, objects}, plan);
}

std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots) {
  const Whole all(roots);
  return evaluate_noted(roots, nullptr);
}

NodeRef evaluate_beside(const NodeRef& root, const Node& like) {
  const Surrounding whole(some_device(NodeRef(&like)).value_or(surrounding_device()));
  return evaluate(root);
}

}  // namespace serrate::graph
