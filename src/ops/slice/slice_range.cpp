// x[a:b:s] at one list level.
#include <algorithm>
#include <utility>

#include "graph/limits.h"
#include "graph/materialise.h"
#include "graph/store.h"
#include "ops/slice/slice.h"
#include "ops/tree/levels.h"
#include "ops/tree/shift.h"
#include "serrate/error.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// Python's rules for a list of n items: the first index and how many follow.
std::pair<int64_t, int64_t> known_range(const Slice& s, int64_t n) {
  const int64_t step = s.step.value_or(1);
  auto bound = [&](const std::optional<int64_t>& v, int64_t lo, int64_t hi, int64_t otherwise) {
    if (!v) return otherwise;
    return std::clamp(*v < 0 ? *v + n : *v, lo, hi);
  };
  if (step > 0) {
    const int64_t a = bound(s.start, 0, n, 0), b = bound(s.stop, 0, n, n);
    return {a, b > a ? (b - a - 1) / step + 1 : 0};
  }
  const int64_t a = bound(s.start, -1, n - 1, n - 1), b = bound(s.stop, -1, n - 1, -1);
  return {a, a > b ? (a - b - 1) / -step + 1 : 0};
}

/// Bound `v` of lists that run from `first` to `last`, as a position.
ColumnRef bound(int64_t v, const ColumnRef& first, const ColumnRef& last) {
  if (v >= 0) return apply(Op::minimum, {apply(Op::add, {first, constant(v)}), last});
  return apply(Op::maximum, {apply(Op::add, {last, constant(v)}), first});
}

/// First and end for step 1, last >= first for sure.
std::pair<ColumnRef, ColumnRef> step_one(const Slice& s, const ColumnRef& first,
                                         const ColumnRef& last) {
  ColumnRef a = s.start && *s.start != 0 ? bound(*s.start, first, last) : first;
  const int64_t start = s.start.value_or(0);
  // What is left behind `start` ends there if it is shorter.
  if (start > 0 && s.stop && *s.stop < 0) return {a, bound(*s.stop, a, last)};
  ColumnRef b = s.stop ? bound(*s.stop, first, last) : last;
  const bool ordered = !s.stop || start == 0 || (start < 0) == (*s.stop < 0);
  if (!ordered || (s.stop && start != 0 && *s.stop < start)) b = apply(Op::maximum, {b, a});
  return {a, b};
}

/// First index and number of items for any step, where the length is a column.
std::pair<ColumnRef, ColumnRef> any_step(const Slice& s, const ColumnRef& n) {
  const int64_t step = s.step.value_or(1);
  const ColumnRef none = constant(step > 0 ? 0 : -1);
  const ColumnRef end = step > 0 ? n : apply(Op::subtract, {n, constant(1)});
  auto limit = [&](const std::optional<int64_t>& v, const ColumnRef& otherwise) {
    if (!v) return otherwise;
    if (*v >= 0) return apply(Op::minimum, {constant(*v), end});
    return apply(Op::maximum, {apply(Op::add, {n, constant(*v)}), none});
  };
  const ColumnRef a = limit(s.start, step > 0 ? none : end);
  const ColumnRef b = limit(s.stop, step > 0 ? end : none);
  ColumnRef span = step > 0 ? apply(Op::subtract, {b, a}) : apply(Op::subtract, {a, b});
  span = apply(Op::maximum, {span, constant(0)});
  const int64_t width = step > 0 ? step : -step;
  if (width > 1)
    span = apply(Op::floor_divide, {apply(Op::add, {span, constant(width - 1)}), constant(width)});
  return {a, span};
}

ColumnRef wide(const ColumnRef& c) { return cast(c, DType::int64); }

/// Bounds and steps beyond any list do as well where they can be added to lengths.
Slice within_reach(Slice s) {
  for (auto* v : {&s.start, &s.stop, &s.step}) {
    if (*v) **v = std::clamp(**v, -2 * kMaxItems, 2 * kMaxItems);
  }
  return s;
}

/// A stored column from position `first` on.
ColumnRef column_from(const ColumnRef& c, const SpaceRef& of, int64_t first, const SpaceRef& to) {
  if (!is_plain_load(c) || c->check || c->args[0]->space != of) return {};
  const int64_t skipped = first * itemsize(c->dtype);
  if (skipped > c->buffer.bytes()) return {};
  ColumnRef same = load(c->buffer.slice(skipped), c->dtype, position(to));
  note_copy(*c, *same);
  return same;
}

/// Items that are stored side by side, numbers, records and regular lists of them, missing or not,
/// from the one at `first` on: what rebase_pick() would make of them, without the walk, and with
/// regular lists that begin at the first item again. Null of anything else.
NodeRef stored_from(const Node& items, const SpaceRef& of, int64_t first, const SpaceRef& to) {
  auto* made = new Node(items);
  NodeRef result = made;
  SpaceRef inner_of = of, inner_to = to;
  switch (items.kind) {
    case NodeKind::leaf:
    case NodeKind::option:
      if (is_unmasked(items)) break;
      if (made->column = column_from(items.column, of, first, to); !made->column) return {};
      break;
    case NodeKind::record:
      break;
    case NodeKind::list:
      inner_of = items.space;
      if (inner_of->kind != SpaceKind::fixed || !inner_of->contiguous || inner_of->parent != of)
        return {};
      first = items_of(first, inner_of->size);
      made->space = inner_to = stored_fixed(to, inner_of->size);
      break;
    default:
      return {};
  }
  for (NodeRef& c : made->contents)
    if (c = stored_from(*c, inner_of, first, inner_to); !c) return {};
  return result;
}

}  // namespace

RangeBounds slice_lists(const Node& n, const SpaceRef& space, const Slice& given) {
  const Slice s = within_reach(given);
  const SpaceRef& lists = n.space;
  const NodeRef& content = n.contents[0];
  const int64_t step = s.step.value_or(1);
  check<ValueError>(step != 0, "getitem: slice step cannot be zero");
  if (step == 1 && s.start.value_or(0) == 0 && !s.stop) return {lists, content, n.size};
  const ColumnRef length = n.size >= 0 ? constant(n.size) : count(lists);
  if (length->kind == ColumnKind::constant) {
    const auto [first, size] = known_range(s, length->scalar.i);
    const int64_t shown = n.size >= 0 ? size : -1;
    if (step == 1 && lists->kind == SpaceKind::fixed) {
      const ColumnRef starts = apply(Op::add, {wide(lists->starts), constant(first)});
      const SpaceRef to = fixed(space, starts, size);
      return {to, rebase_shift(content, lists, to), shown};
    }
    const SpaceRef to = fresh_lists(space, size);
    if (step == 1) {
      NodeRef stored;
      if (lists->kind == SpaceKind::rows) stored = stored_from(*content, lists, first, to);
      if (stored) return {to, std::move(stored), shown};
    }
    ColumnRef index = local(to);
    if (step != 1) index = apply(Op::multiply, {index, constant(step)});
    index = apply(Op::add, {index, constant(first)});
    return {to, rebase_pick(content, to, lists, index), shown};
  }
  if (step == 1 && lists->kind == SpaceKind::list) {
    const auto [a, b] = step_one(s, wide(lists->starts), wide(lists->stops));
    const SpaceRef to = list(space, a, b);
    return {to, rebase_shift(content, lists, to), -1};
  }
  const auto [first, size] = any_step(s, length);
  const SpaceRef to = fresh_lists(space, size);
  ColumnRef index = local(to);
  if (step != 1) index = apply(Op::multiply, {index, constant(step)});
  index = apply(Op::add, {index, parent(to, first)});
  return {to, rebase_pick(content, to, lists, index), -1};
}

}  // namespace serrate::ops
