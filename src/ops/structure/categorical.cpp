// Categoricals as values.
#include "graph/operation.h"
#include "ops/tree/input.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

const Node* first_categorical(const Node& n) {
  if (n.kind == NodeKind::categorical) return &n;
  for (const auto& c : n.contents) {
    if (const Node* found = first_categorical(*c)) return found;
  }
  return nullptr;
}

}  // namespace

bool is_categorical(const Array& x) {
  const NodeRef root = x.node();
  const Node* n = root.get();
  while (is_list(*n) || n->kind == NodeKind::option) n = n->contents[0].operator->();
  return n->kind == NodeKind::categorical;
}

std::optional<Array> categories(const Array& x) {
  const graph::Operation operation;
  const NodeRef n = input(x);
  const Node* c = first_categorical(*n);
  if (!c) return {};
  return Array(list_node(c->space, c->contents[0]));
}

Array from_categorical(const Array& x) {
  const graph::Operation operation;
  return Array(map_leaves(unit(), input(x), [](const SpaceRef&, const NodeRef& n) { return n; }));
}

}  // namespace serrate
