// Looking at values: trees become a loop nest, the nest runs on a back end, results become stored trees.
#include "graph/evaluate.h"

#include "cpu/plan.h"
#include "graph/nest.h"
#include "graph/store.h"

namespace serrate::graph {

std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots) {
  Nest nest;
  Store store(nest);
  for (const auto& r : roots) store.add(r);
  if (nest.outputs().empty()) return store.results({});
  nest.finish();
  const cpu::CpuPlan plan = cpu::make_plan(nest);
  std::vector<Written> written;
  for (auto& r : cpu::run(plan)) written.push_back({std::move(r.buffer), r.size, r.first});
  return store.results(written);
}

}  // namespace serrate::graph
