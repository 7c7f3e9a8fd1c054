// Runs of equal items: see list_items.h.
#include "ops/lists/list_items.h"
#include "ops/lists/search.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"

namespace serrate::ops {

using namespace graph;

namespace {

ColumnRef either(const ColumnRef& a, const ColumnRef& b) {
  return a ? apply(Op::logical_or, {a, b}) : b;
}

/// Where a and b, of one type, differ; missing is equal to missing. `in_order`: b is not larger
/// than a, and NaN, which is equal to NaN, is the largest.
ColumnRef not_equal(const SpaceRef& space, const Node& a, const Node& b, bool in_order) {
  switch (a.kind) {
    case NodeKind::unknown:
      return constant(Scalar::boolean(false));
    case NodeKind::option: {
      const ColumnRef present = apply(Op::logical_and, {a.column, b.column});
      const ColumnRef values = not_equal(space, *a.contents[0], *b.contents[0], in_order);
      return either(apply(Op::not_equal, {a.column, b.column}), both(present, values));
    }
    case NodeKind::record:
    case NodeKind::union_: {
      ColumnRef differ;
      if (a.kind == NodeKind::union_) differ = apply(Op::not_equal, {a.column, b.column});
      for (size_t k = 0; k < a.contents.size(); k++) {
        ColumnRef c = not_equal(space, *a.contents[k], *b.contents[k], in_order);
        if (a.kind == NodeKind::union_)
          c = both(apply(Op::logical_and, {is_member(a, k), is_member(b, k)}), c);
        differ = either(differ, c);
      }
      return differ ? differ : constant(Scalar::boolean(false));
    }
    default: {
      if (a.kind != NodeKind::leaf || b.kind != NodeKind::leaf)
        return apply(Op::logical_not, {values_match(space, a, b, false)});
      const ColumnRef differ = apply(Op::not_equal, {a.column, b.column});
      if (!in_order || !may_be_nan(b.column)) return differ;
      return both(differ, apply(Op::logical_not, {apply(Op::isnan, {b.column})}));
    }
  }
}

}  // namespace

ColumnRef starts_run(const SpaceRef& space, const NodeRef& items, bool in_order) {
  const ColumnRef is_first = apply(Op::equal, {local(space), constant(0)});
  const ColumnRef has_before = apply(Op::logical_not, {is_first});
  const NodeRef other = rebase_pick(items, space, space,
                                    apply(Op::subtract, {local(space), constant(1)}), has_before);
  return either(is_first, not_equal(space, *items, *other, in_order));
}

Runs runs_of(const SpaceRef& items, const ColumnRef& starts) {
  Runs r;
  r.space = select(items, starts);
  r.first = local(r.space, 0);
  const ColumnRef next = apply(Op::add, {local(r.space), constant(1)});
  const ColumnRef has_next = apply(Op::less, {next, parent(r.space, count(r.space))});
  const ColumnRef end = apply(Op::where, {has_next, pick(r.space, r.space, r.first, next, has_next),
                                          parent(r.space, count(items))});
  r.length = apply(Op::subtract, {end, r.first});
  return r;
}

}  // namespace serrate::ops
