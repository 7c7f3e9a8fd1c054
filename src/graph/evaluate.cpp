// Looking at values: hands trees to a back end.
#include "graph/evaluate.h"

#include "graph/reference.h"

namespace serrate::graph {

std::vector<NodeRef> evaluate(const std::vector<NodeRef>& roots) {
  std::vector<NodeRef> out;
  for (const auto& r : roots) out.push_back(is_stored(*r) ? r : reference_evaluate(r));
  return out;
}

}  // namespace serrate::graph
