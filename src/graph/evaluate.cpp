// Looking at values: trees become a loop nest, the nest runs on a back end, results become stored
// trees.
#include "graph/evaluate.h"

#include <algorithm>
#include <span>

#include "cuda/device.h"
#include "cuda/run.h"
#include "graph/device.h"
#include "graph/nest.h"
#include "graph/plan_cache.h"

namespace serrate::graph {

namespace {

/// Histograms that something is computed from must be filled before.
class Fills : public Rebase {
 public:
  Fills() : Rebase(unit(), unit()) {}

  void find(const Node& n) {
    if (n.column && n.column->kind != ColumnKind::histogram) find(n.column);
    if (n.column && n.column->kind == ColumnKind::histogram) find_below(*n.column);
    if (n.space) find(n.space);
    for (const auto& c : n.contents) find(*c);
  }

  void fill() {
    std::vector<NodeRef> trees;
    for (const auto& c : found_) trees.push_back(list_node(c->space, leaf(c)));
    for (const auto& t : evaluate(trees)) filled_.push_back(t->contents[0]->column);
  }

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return rebuild(c); }
  ColumnRef replacement(const ColumnRef& c) override {
    for (size_t i = 0; i < filled_.size(); i++) {
      if (found_[i] == c) return filled_[i];
    }
    return {};
  }

 private:
  void find(const SpaceRef& s) {
    if (!s || seen(s.get())) return;
    find(s->parent);
    for (const auto& b : s->bases) find(b);
    for (const ColumnRef* c : {&s->starts, &s->stops, &s->predicate}) {
      if (*c) find(*c);
    }
  }
  void find(const ColumnRef& c) {
    if (c->kind == ColumnKind::constant || seen(c.get())) return;
    if (c->kind == ColumnKind::histogram) {
      found_.push_back(c);
      return;
    }
    find_below(*c);
  }
  void find_below(const Column& c) {
    if (c.space) find(c.space);
    if (c.over) find(c.over);
    for (const auto& a : c.args) {
      if (a) find(a);
    }
  }
  bool seen(const void* p) {
    if (std::find(seen_.begin(), seen_.end(), p) != seen_.end()) return true;
    seen_.push_back(p);
    return false;
  }

  std::vector<const void*> seen_;
  std::vector<ColumnRef> found_, filled_;
};

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

/// The same trees with histograms that something is computed from as stored counts.
std::vector<NodeRef> filled(const std::vector<NodeRef>& roots) {
  Fills fills;
  for (const auto& r : roots) fills.find(*r);
  fills.fill();
  std::vector<NodeRef> rest;
  for (const auto& r : roots) rest.push_back(fills(r));
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
  if (nest.needs_fills()) return evaluate(filled(roots));
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
  if (nest.needs_fills()) return evaluate(filled(roots));
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
