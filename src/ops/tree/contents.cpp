// Nodes with other contents: see contents.h.
#include "ops/tree/contents.h"

#include <algorithm>
#include <utility>

#include "ops/tree/merge.h"

namespace serrate::ops {

using namespace graph;

NodeRef record_like(const Node& like, std::vector<NodeRef> contents) {
  return like.is_tuple ? tuple_node(std::move(contents), like.parameters)
                       : record_node(*like.fields, std::move(contents), like.parameters);
}

NodeRef with_parameters(const NodeRef& n, Parameters p) {
  auto* copy = new Node(*n);
  copy->parameters = std::move(p);
  return copy;
}

NodeRef map_contents(const SpaceRef& space, const NodeRef& n, const NodeMap& f) {
  const auto all = [&] {
    std::vector<NodeRef> contents;
    for (const auto& c : n->contents) contents.push_back(f(space, c));
    return contents;
  };
  switch (n->kind) {
    case NodeKind::list:
      if (is_string(*n)) return n;
      return list_node(n->space, f(n->space, n->contents[0]), n->size, n->parameters);
    case NodeKind::option:
      return option_node(n->column, f(space, n->contents[0]));
    case NodeKind::record:
      return record_like(*n, all());
    case NodeKind::union_:
      return simplified_union(space, n->column, all());
    default:
      return n;
  }
}

NodeRef with_simplified_unions(const SpaceRef& space, const NodeRef& n) {
  const auto has_union = [](const auto& self, const Node& x) -> bool {
    return x.kind == NodeKind::union_ ||
           std::any_of(x.contents.begin(), x.contents.end(),
                       [&](const NodeRef& c) { return self(self, *c); });
  };
  return has_union(has_union, *n) ? map_contents(space, n, with_simplified_unions) : n;
}

}  // namespace serrate::ops
