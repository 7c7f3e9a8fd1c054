// Lists that are others without some items at their ends.
#include "ops/tree/trimmed.h"

#include "ops/tree/shift.h"

namespace serrate::ops {

using namespace graph;

namespace {

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

bool same_or_none(const ColumnRef& a, const ColumnRef& b) { return a ? b && same(a, b) : !b; }

bool equal_lengths(const SpaceRef& s, const Trimmed& a, const SpaceRef& t, const Trimmed& b) {
  return s->kind == t->kind && s->size == t->size && a.removed == b.removed &&
         same(s->parent, t->parent) && same(a.first, b.first) && same_or_none(a.last, b.last);
}

}  // namespace

Trimmed trimmed(const Space& s) {
  if (s.kind == SpaceKind::list) return between(s.starts, s.stops);
  int64_t by = 0;
  if (const ColumnRef* x = moved(s.starts, true, by)) return {*x, {}, by};
  return {s.starts, {}};
}

void share_trimmed(std::vector<SpaceRef>& spaces, std::vector<NodeRef>& contents) {
  struct Lists {
    SpaceRef space;
    Trimmed parts;
  };
  std::vector<Lists> found;
  const auto each = [&](auto&& f) {
    for (size_t i = 0; i < spaces.size(); i++) {
      const SpaceRef s = spaces[i];
      if (s && (s->kind == SpaceKind::list || s->kind == SpaceKind::fixed)) f(i, s, trimmed(*s));
    }
  };
  each([&](size_t, const SpaceRef& s, Trimmed t) {
    for (Lists& l : found) {
      if (!equal_lengths(l.space, l.parts, s, t)) continue;
      if (t.front < l.parts.front) l = {s, std::move(t)};
      return;
    }
    found.push_back({s, std::move(t)});
  });
  each([&](size_t i, const SpaceRef& s, const Trimmed& t) {
    for (const Lists& l : found) {
      if (!equal_lengths(l.space, l.parts, s, t)) continue;
      if (t.front != l.parts.front)
        contents[i] = rebase_shift(contents[i], s, l.space, t.front - l.parts.front);
      spaces[i] = l.space;
      return;
    }
  });
}

}  // namespace serrate::ops
