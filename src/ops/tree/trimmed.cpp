// Lists that are others without some items at their ends.
#include "ops/tree/trimmed.h"

#include <algorithm>

#include "ops/tree/shift.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Lists from `first` to `last` (positions of a domain) without the first `front` items, and
/// without `removed` items in all; shorter ones are empty. Of regular lists there is no `last`.
struct Trimmed {
  ColumnRef first, last;
  int64_t front = 0, removed = 0;
};

bool is(const ColumnRef& c, Op op) { return c->kind == ColumnKind::op && c->op == op; }

/// x of x + n, and n; null if it is no sum with a number of this sign.
const ColumnRef* moved(const ColumnRef& c, bool forward, int64_t& by) {
  if (!is(c, Op::add) || c->args[1]->kind != ColumnKind::constant) return nullptr;
  by = c->args[1]->scalar.i;
  return (by > 0) == forward ? &c->args[0] : nullptr;
}

Trimmed between(const ColumnRef& first, const ColumnRef& last) {
  int64_t by = 0;
  if (is(first, Op::minimum) && same(first->args[1], last)) {
    if (const ColumnRef* x = moved(first->args[0], true, by)) {
      Trimmed t = between(*x, last);
      t.front += by;
      t.removed += by;
      return t;
    }
  }
  if (is(last, Op::maximum) && same(last->args[1], first)) {
    if (const ColumnRef* x = moved(last->args[0], false, by)) {
      Trimmed t = between(first, *x);
      t.removed -= by;
      return t;
    }
  }
  return {first, last};
}

/// What lists of a list or fixed space are made of, as slices write it.
Trimmed trimmed(const Space& s) {
  if (s.kind == SpaceKind::list) return between(s.starts, s.stops);
  int64_t by = 0;
  if (const ColumnRef* x = moved(s.starts, true, by)) return {*x, {}, by};
  return {s.starts, {}};
}

bool same_or_none(const ColumnRef& a, const ColumnRef& b) { return a ? b && same(a, b) : !b; }

/// The lists of one operand.
struct Lists {
  size_t operand;
  SpaceRef space;
  Trimmed parts;
};

bool have_equal_lengths(const Lists& a, const Lists& b) {
  return a.space->kind == b.space->kind && a.space->size == b.space->size &&
         a.parts.removed == b.parts.removed && same(a.space->parent, b.space->parent) &&
         same(a.parts.first, b.parts.first) && same_or_none(a.parts.last, b.parts.last);
}

}  // namespace

void share_trimmed(std::vector<SpaceRef>& spaces, std::vector<NodeRef>& contents) {
  std::vector<Lists> all;
  for (size_t i = 0; i < spaces.size(); i++) {
    const SpaceRef& s = spaces[i];
    if (s && (s->kind == SpaceKind::list || s->kind == SpaceKind::fixed))
      all.push_back({i, s, trimmed(*s)});
  }
  std::ranges::stable_sort(all, {}, [](const Lists& l) { return l.parts.front; });
  for (const Lists& l : all) {
    // At the latest it is itself.
    const Lists& first =
        *std::ranges::find_if(all, [&](const Lists& o) { return have_equal_lengths(o, l); });
    const int64_t ahead = l.parts.front - first.parts.front;
    if (ahead != 0)
      contents[l.operand] = rebase_shift(contents[l.operand], l.space, first.space, ahead);
    spaces[l.operand] = first.space;
  }
}

}  // namespace serrate::ops
