// List views: see list_views.h.
#include "graph/evaluation/list_views.h"

#include <algorithm>
#include <utility>

#include "graph/evaluate.h"
#include "graph/known.h"
#include "graph/store.h"

namespace serrate::graph {
namespace {

/// Stored items of lists, which stand where they did, seen from the same lists between other
/// columns.
class SamePlaces : public Rebase {
 public:
  SamePlaces(const SpaceRef& from, const SpaceRef& to) : Rebase(from, to) { keeps_order_ = true; }

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return rebuild(c); }
};

/// Are these lists that are stored nowhere, of items that all are? A single list is no view, and
/// those between two constants are copied faster.
bool is_list_view(const Node& n) {
  if (n.kind != NodeKind::list) return false;
  const Space& s = *n.space;
  return s.kind == SpaceKind::list && s.parent->kind != SpaceKind::unit && !is_stored(n.space) &&
         !has_equal_lists(s) && has_items_at_lines(*n.contents[0]);
}

/// As loop nests read it.
ColumnRef place(const ColumnRef& c) { return c->dtype == DType::int32 ? c : cast(c, DType::int64); }

NodeRef with_contents(const Node& n, OneOrMore<NodeRef> contents) {
  auto* made = new Node(n);
  made->contents = std::move(contents);
  return made;
}

NodeRef reduced(const NodeRef& n, bool& any) {
  if (is_list_view(*n)) {
    any = true;
    return tuple_node({leaf(place(n->space->starts)), leaf(place(n->space->stops))});
  }
  if (n->kind == NodeKind::categorical || n->contents.empty()) return n;
  OneOrMore<NodeRef> contents;
  for (const NodeRef& c : n->contents) contents.push_back(reduced(c, any));
  return with_contents(*n, std::move(contents));
}

}  // namespace

NodeRef without_items(const NodeRef& n) {
  bool any = false;
  NodeRef made = reduced(n, any);
  return any ? made : NodeRef();
}

NodeRef with_items(const NodeRef& n, const NodeRef& stored) {
  if (is_list_view(*n)) {
    const ColumnRef &starts = stored->contents[0]->column, &stops = stored->contents[1]->column;
    const SpaceRef to = list(starts->space, starts, stops);
    auto* made = new Node(*n);
    made->space = to;
    made->contents = {SamePlaces(n->space, to)(n->contents[0])};
    return made;
  }
  if (n->kind == NodeKind::categorical || n->contents.empty()) return stored;
  OneOrMore<NodeRef> contents;
  for (size_t i = 0; i < n->contents.size(); i++)
    contents.push_back(with_items(n->contents[i], stored->contents[i]));
  return with_contents(*stored, std::move(contents));
}

}  // namespace serrate::graph
