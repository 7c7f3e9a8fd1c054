// Looking at values: trees become a loop nest, the nest runs on a back end, results become stored
// trees.
#include "graph/evaluate.h"

#include <algorithm>
#include <optional>

#include "cpu/plan.h"
#include "cuda/run.h"
#include "graph/fills.h"
#include "graph/nest.h"
#include "graph/store.h"

namespace serrate::graph {

namespace {

/// The device of the first buffer that something loads from.
struct DeviceFinder {
  std::optional<Device> device;
  std::vector<const void*> seen;

  bool find(const Node& n) {
    if (n.column && find(n.column)) return true;
    if (n.space && find(n.space)) return true;
    return std::any_of(n.contents.begin(), n.contents.end(),
                       [&](const NodeRef& c) { return find(*c); });
  }
  bool find(const SpaceRef& s) {
    if (!s || s->depth == 0 || was_seen(s.get())) return false;
    for (const ColumnRef* c : {&s->starts, &s->stops, &s->predicate}) {
      if (*c && find(*c)) return true;
    }
    for (const auto& b : s->bases) {
      if (find(b)) return true;
    }
    return find(s->parent);
  }
  bool find(const ColumnRef& c) {
    if (c->kind == ColumnKind::constant) return false;
    if (c->kind == ColumnKind::load) {
      device = c->buffer.device();
      return true;
    }
    if (was_seen(c.get())) return false;
    for (const auto& a : c->args) {
      if (a && find(a)) return true;
    }
    return find(c->over) || find(c->space);
  }
  bool was_seen(const void* p) {
    if (std::find(seen.begin(), seen.end(), p) != seen.end()) return true;
    seen.push_back(p);
    return false;
  }
};

}  // namespace

Device device_of(const std::vector<NodeRef>& roots) {
  DeviceFinder f;
  for (const auto& r : roots) {
    if (f.find(*r)) return *f.device;
  }
  return default_device();
}

Device& default_device() {
  static Device d = Device::cpu;
  return d;
}

std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots) {
  Nest nest;
  Store store(nest);
  for (const auto& r : roots) store.add(r);
  if (nest.needs_fills()) {
    Fills fills;
    for (const auto& r : roots) fills.find(*r);
    fills.fill();
    std::vector<NodeRef> rest;
    for (const auto& r : roots) rest.push_back(fills.replace(r));
    return evaluate(rest);
  }
  if (nest.outputs().empty()) return store.results({});
  nest.finish();
  if (device_of(roots) == Device::cuda) return store.results(cuda::run(nest));
  const cpu::CpuPlan plan = cpu::make_plan(nest);
  std::vector<Written> written;
  for (auto& r : cpu::run(plan)) written.push_back({std::move(r.buffer), r.size, r.first});
  return store.results(written);
}

}  // namespace serrate::graph
