// Columns of repeated lists as columns of the lists themselves: see graph/repeats.h.
#include "graph/repeats.h"

#include "graph/store.h"

namespace serrate::graph {
namespace {

/// A column over `space` as its owners have it; null if its items differ.
ColumnRef of_owner(const ColumnRef& c, const SpaceRef& space) {
  if (c->kind == ColumnKind::constant) return c;
  if (c->kind == ColumnKind::parent) return c->args[0];
  if (c->kind != ColumnKind::op && c->kind != ColumnKind::cast) return {};
  auto* r = new Column(*c);
  ColumnRef made(r);
  r->space = space->parent;
  for (ColumnRef& a : r->args) {
    if (a && !(a = of_owner(a, space))) return {};
  }
  add_parts(*r);
  return made;
}

/// Do starts and stops of lists come from offsets?
bool are_offsets(const Space& s) {
  return s.kind == SpaceKind::list && is_plain_load(s.starts) && is_plain_load(s.stops) &&
         s.starts->dtype == s.stops->dtype;
}

SpaceRef lists_repeated(const Space& s) {
  const bool is_list = s.kind == SpaceKind::list;
  if ((!is_list && s.kind != SpaceKind::fixed) || s.contiguous || s.depth < 3) return {};
  const bool differ = s.starts->space || (is_list && s.stops->space);
  if (!differ) return {};
  const ColumnRef starts = of_owner(s.starts, s.parent);
  if (!starts) return {};
  const SpaceRef& owners = s.parent->parent;
  if (!is_list) return fixed(owners, starts, s.size);
  const ColumnRef stops = of_owner(s.stops, s.parent);
  return stops ? list(owners, starts, stops) : SpaceRef();
}

}  // namespace

SpaceRef Repeats::lists(const SpaceRef& s) {
  if (const SpaceRef* known = lists_.find(s.get())) return *known;
  const SpaceRef made = lists_repeated(*s);
  if (!made) return lists_.set(s.get(), {});
  auto* own = new Space(*made);
  lists_.set(s.get(), own);
  originals_.set(own, original(s.get()));
  // They may repeat others themselves, whose lists are meant then.
  own->repeats_contiguous = s->repeats_contiguous;
  if (!lists(own)) own->contiguous = s->repeats_contiguous && are_offsets(*own);
  return own;
}

const void* Repeats::original(const void* p) {
  const void* const* of = originals_.find(p);
  return of != nullptr ? *of : p;
}

ColumnRef Repeats::once(const ColumnRef& c) {
  switch (c->kind) {
    case ColumnKind::position:
    case ColumnKind::load:
    case ColumnKind::op:
    case ColumnKind::cast:
    case ColumnKind::pick:
      break;
    default:
      return {};  // `parent` is as easily had of the owners, `local` where it is
  }
  if (!c->space || !lists(c->space)) return {};
  return over_lists(c, c->space);
}

ColumnRef Repeats::over_lists(const ColumnRef& c, const SpaceRef& s) {
  if (const ColumnRef* known = once_.find(c.get())) return *known;
  ColumnRef made = made_over_lists(c, s);
  return once_.set(c.get(), std::move(made));
}

ColumnRef Repeats::made_over_lists(const ColumnRef& c, const SpaceRef& s) {
  const SpaceRef to = lists(s);
  switch (c->kind) {
    case ColumnKind::constant:
      return c;
    case ColumnKind::position:
      return position(to);
    case ColumnKind::local:
      return c->link < 0 ? local(to) : ColumnRef();
    case ColumnKind::parent: {
      const ColumnRef of = of_owner(c->args[0], s->parent);
      return of ? parent(to, of) : of;
    }
    case ColumnKind::load:
    case ColumnKind::op:
    case ColumnKind::cast:
      return copied(*c, s);
    case ColumnKind::pick:
      // From a list that the owner of the lists, or one further out, has.
      return c->over->depth <= to->depth ? copied(*c, s) : ColumnRef();
    default:
      return {};
  }
}

ColumnRef Repeats::copied(const Column& c, const SpaceRef& s) {
  auto* r = new Column(c);
  ColumnRef made(r);
  r->space = lists(s);
  const bool picks = c.kind == ColumnKind::pick;
  for (int i = picks ? 1 : 0; i < 3; i++) {
    if (r->args[i] && !(r->args[i] = over_lists(r->args[i], s))) return {};
  }
  add_parts(*r);
  originals_.set(r, original(&c));
  return made;
}

}  // namespace serrate::graph
