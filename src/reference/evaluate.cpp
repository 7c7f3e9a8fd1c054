// Stored forms of whole trees, place by place: see evaluate.h.
#include "reference/evaluate.h"

#include "graph/evaluate.h"
#include "reference/backend.h"
#include "reference/evaluator.h"

namespace serrate::reference {
namespace {

using namespace graph;

NodeRef stored(Evaluator& evaluator, const NodeRef& n, const SpaceRef& to, const Places& at) {
  if (n->kind == NodeKind::unknown) return n;
  auto* r = new Node(*n);
  NodeRef result = r;
  if (n->column) r->column = stored_column(store(evaluator, n->column, at), n->column->dtype, to);
  if (n->kind == NodeKind::categorical) return result;
  Places inner = at;
  SpaceRef inner_space = to;
  if (n->kind == NodeKind::list) {
    inner.clear();
    void* out = nullptr;
    Buffer offsets = Buffer::allocate(8 * (static_cast<int64_t>(at.size()) + 1), &out);
    auto* o = static_cast<int64_t*>(out);
    o[0] = 0;
    for (size_t i = 0; i < at.size(); i++) {
      for (const Place* q : evaluator.items(n->space, *at[i])) inner.push_back(q);
      o[i + 1] = static_cast<int64_t>(inner.size());
    }
    if (to->kind == SpaceKind::unit) {
      inner_space = rows(static_cast<int64_t>(inner.size()));
    } else if (n->size >= 0) {
      inner_space = stored_fixed(to, n->size);
    } else {
      inner_space = stored_list(to, offsets, DType::int64);
    }
    r->space = inner_space;
  }
  for (auto& c : r->contents) c = stored(evaluator, c, inner_space, inner);
  return result;
}

}  // namespace
}  // namespace serrate::reference

namespace serrate::graph {

NodeRef reference_evaluate(const NodeRef& root) {
  reference::Evaluator evaluator;
  return reference::stored(evaluator, root, unit(), {&evaluator.unit_place()});
}

}  // namespace serrate::graph
