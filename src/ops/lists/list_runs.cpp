// Runs of equal items: see list_items.h.
#include <algorithm>

#include "core/seams.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/operation.h"
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

/// The first items of runs, stored: lists over the same owners.
Runs stored_firsts(const SpaceRef& items, const ColumnRef& starts) {
  const SpaceRef runs = select(items, starts);
  const StoredItems made = stored_items(runs, leaf(local(runs, 0)));
  const SpaceRef& owner = items->parent;
  Runs r;
  if (owner->kind == SpaceKind::unit) {
    r.space = made.space;
  } else {
    const Buffer offsets = backend(surrounding_device()).offsets_of(made.space);
    const ColumnRef number = place_in(owner, made.space->parent);
    const int64_t size = stored_extent(made.space).size;
    r.space = stored_extent(owner).first == 0
                  ? stored_list(owner, offsets, DType::int64, {.first = 0, .size = size})
                  : list(owner, load(offsets, DType::int64, number),
                         load(offsets.slice(8), DType::int64, number));
  }
  const ColumnRef& first = made.items->column;
  r.first = load(first->buffer.slice(stored_first(made.space) * itemsize(first->dtype)),
                 first->dtype, position(r.space));
  return r;
}

}  // namespace

bool should_store_runs(const SpaceRef& items) {
  if (!is_stored(items) || looks_of_thread != nullptr ||
      !backend(surrounding_device()).capabilities().counts_to_picks)
    return false;
  const bool is_whole = items->parent->kind == SpaceKind::unit;
  const int64_t lists = is_whole ? 1 : stored_extent(items->parent).size;
  const int64_t long_list = seams().hashed;
  return stored_extent(items).size >= long_list * std::max<int64_t>(1, lists) ||
         (!is_whole && longest_list(items) >= 8 * long_list);
}

void store_to_tell_indexes(const Array& x) {
  SpaceRef innermost;
  NodeRef n = x.node();
  for (; n->kind == NodeKind::option || is_list(*n); n = n->contents[0]) {
    if (n->kind == NodeKind::list) innermost = n->space;
  }
  if (innermost && innermost->depth > 1 && innermost->kind == SpaceKind::select &&
      should_store_runs(innermost->bases[0]))
    x.evaluate();
}

ColumnRef starts_run(const SpaceRef& space, const NodeRef& items, bool in_order) {
  const ColumnRef is_first = apply(Op::equal, {local(space), constant(0)});
  const ColumnRef has_before = apply(Op::logical_not, {is_first});
  const NodeRef other = rebase_pick(items, space, space,
                                    apply(Op::subtract, {local(space), constant(1)}), has_before);
  return either(is_first, not_equal(space, *items, *other, in_order));
}

namespace {
/// With the lengths of runs that say where they begin.
Runs with_lengths(const SpaceRef& items, Runs r) {
  const ColumnRef next = apply(Op::add, {local(r.space), constant(1)});
  const ColumnRef has_next = apply(Op::less, {next, parent(r.space, count(r.space))});
  const ColumnRef end = apply(Op::where, {has_next, pick(r.space, r.space, r.first, next, has_next),
                                          parent(r.space, count(items))});
  r.length = apply(Op::subtract, {end, r.first});
  return r;
}
}  // namespace

Runs runs_of(const SpaceRef& items, const ColumnRef& starts) {
  const SpaceRef space = select(items, starts);
  return with_lengths(items, {space, local(space, 0), {}});
}

Runs stored_runs_of(const SpaceRef& items, const ColumnRef& starts) {
  return with_lengths(items, stored_firsts(items, starts));
}

}  // namespace serrate::ops
