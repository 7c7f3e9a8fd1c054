// List views: see list_views.h.
#include "graph/evaluation/list_views.h"

#include "graph/below.h"
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

NodeRef reduced(const NodeRef& n) {
  if (is_list_view(*n))
    return tuple_node({leaf(place(n->space->starts)), leaf(place(n->space->stops))});
  if (n->kind == NodeKind::categorical) return n;
  return with_contents(n, [&](size_t i) { return reduced(n->contents[i]); });
}

}  // namespace

NodeRef without_items(const NodeRef& n) {
  NodeRef made = reduced(n);
  return made == n ? NodeRef() : made;
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
  if (n->kind == NodeKind::categorical) return stored;
  return with_contents(stored,
                       [&](size_t i) { return with_items(n->contents[i], stored->contents[i]); });
}

}  // namespace serrate::graph
