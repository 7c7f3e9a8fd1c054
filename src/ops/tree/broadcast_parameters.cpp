// Parameters of what broadcasting gives: see broadcast_parameters.h.
#include "ops/tree/broadcast_parameters.h"

#include <algorithm>
#include <optional>

#include "graph/device.h"

namespace serrate::ops {

using namespace graph;
using Rule = BroadcastOptions::Rule;

void keep_common(Parameters& common, const Node& n) {
  std::erase_if(common, [&](const auto& p) {
    return std::find(n.parameters.begin(), n.parameters.end(), p) == n.parameters.end();
  });
}

namespace {

/// Parameters of result i, from those operands that count.
template <class Counts>
Parameters parameters_of(const std::vector<NodeRef>& nodes, Counts&& counts, Rule rule, size_t i) {
  if (rule == Rule::none) return {};
  if (rule == Rule::one_to_one)
    return i < nodes.size() && counts(*nodes[i]) ? nodes[i]->parameters : Parameters{};
  std::optional<Parameters> common;
  for (const auto& n : nodes) {
    if (!counts(*n)) continue;
    const Parameters& own = n->parameters;
    if (!common) common = own;
    const size_t before = common->size();
    keep_common(*common, *n);
    const bool equal = common->size() == before && own.size() == before;
    if (rule == Rule::all_or_nothing && !equal) return {};
  }
  return common.value_or(Parameters{});
}

}  // namespace

Parameters result_parameters(const std::vector<NodeRef>& nodes, NodeKind kind, Rule rule,
                             size_t i) {
  return parameters_of(
      nodes, [kind](const Node& n) { return n.kind == kind && !is_string(n); }, rule, i);
}

Parameters option_parameters(const std::vector<NodeRef>& nodes, Rule rule, size_t i) {
  Parameters out = parameters_of(
      nodes, [](const Node& n) { return !is_everywhere(n); }, rule, i);
  std::erase_if(out,
                [](const auto& p) { return p.first == "__array__" || p.first == "__record__"; });
  return out;
}

}  // namespace serrate::ops
