// Trees over the stored forms of their lists: see over_stored.h.
#include "graph/parts/over_stored.h"

#include <algorithm>
#include <utility>

#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/known.h"

namespace serrate::graph {

void OverStored::set(const SpaceRef& s, SpaceRef stored) {
  if (s == stored || (is_stored(s) && same(s, stored))) return;
  if (s->kind == SpaceKind::list && s->parent->kind != SpaceKind::unit)
    counts_.emplace_back(count(s), count(stored));
  spaces_given_.emplace_back(s, std::move(stored));
}

void OverStored::set_lists(const SpaceRef& s, SpaceRef stored) {
  keeps_items_ = true;
  set(s, std::move(stored));
}

void OverStored::set(const ColumnRef& c, ColumnRef stored) {
  if (c->kind == ColumnKind::constant || c == stored || values_.find(c.get())) return;
  values_.set(c.get(), std::move(stored));
  any_column_ = true;
}

void OverStored::set(const Node& n, const Node& stored) {
  if (n.kind != stored.kind || n.contents.size() != stored.contents.size()) return;
  if (n.column && stored.column) set(n.column, stored.column);
  if (n.space && stored.space) set(n.space, stored.space);
  for (size_t i = 0; i < n.contents.size(); i++) set(*n.contents[i], *stored.contents[i]);
}

const SpaceRef* OverStored::mapped(const SpaceRef& s) {
  for (const auto& [from, to] : spaces_given_) {
    if (from == s) return &to;
  }
  for (const auto& [from, to] : spaces_given_) {
    if (from->depth == s->depth && from->kind == s->kind && same(from, s)) return &to;
  }
  return nullptr;
}

template <class SpaceOrColumn>
bool OverStored::touches(const SpaceOrColumn& x) {
  if (const auto known = touches_.find(x.get())) return *known;
  bool some = mapped(x) != nullptr;
  if (!some) each_below(*x, [&](const auto& below) { some = some || touches(below); });
  return touches_.set(x.get(), some);
}

NodeRef OverStored::operator()(const NodeRef& n) {
  const bool is_categorical = n->kind == NodeKind::categorical;
  if (!keeps_items_ && (is_categorical || n->kind == NodeKind::unknown)) return {};
  auto* r = new Node(*n);
  NodeRef result = r;
  if (n->column && !(r->column = column(n->column))) return {};
  if (is_categorical) return result;
  if (n->space && !(r->space = space(n->space))) return {};
  for (auto& c : r->contents) {
    c = (*this)(c);
    if (!c) return {};
  }
  return result;
}

/// Are these as many items for each of their owners, whose numbers go on from owner to owner?
bool OverStored::is_numbered_on(const Space& s) {
  if (s.kind != SpaceKind::fixed) return false;
  const Column* c = s.starts.get();
  const bool is_product = c->kind == ColumnKind::op && c->op == Op::multiply;
  if (is_product) {
    const Column& size = *c->args[1];
    if (size.kind != ColumnKind::constant || size.scalar.i != s.size) return false;
    c = c->args[0].get();
  } else if (s.size != 1) {
    return false;
  }
  return c->kind == ColumnKind::position && c->space == s.parent;
}

SpaceRef OverStored::space(const SpaceRef& s) {
  if (const SpaceRef* to = mapped(s)) return *to;
  if (!touches(s)) return s;
  if (const SpaceRef* known = spaces_.find(s.get())) return *known;
  Space* const r = copy_to_rebuild(*s);
  SpaceRef result = r;
  r->parent = space(s->parent);
  bool all = bool(r->parent);
  for (auto& b : r->bases) all = all && (b = space(b));
  if (const SpaceRef* to = is_numbered_on(*s) ? mapped(s->parent) : nullptr) {
    r->starts = apply(Op::multiply, {position(*to), constant(s->size)});
    renumbered_.push_back(s.get());
  }
  for (ColumnRef* c : {&r->starts, &r->stops, &r->predicate}) {
    if (*c && !is_renumbered(*s)) all = all && (*c = column(*c));
  }
  if (!all) return spaces_.set(s.get(), {});
  if (!r->bases.empty())
    r->parent = r->kind == SpaceKind::flat ? r->bases[0]->parent->parent : r->bases[0]->parent;
  add_parts(*r);
  return spaces_.set(s.get(), std::move(result));
}

ColumnRef OverStored::column(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return c;
  if (const ColumnRef* to = mapped(c)) return *to;
  if (!touches(c)) return c;
  if (const ColumnRef* known = columns_.find(c.get())) return *known;
  // How many items lists have is stored, though not where these were.
  const auto is_it = [&](const auto& count) { return same(c, count.first); };
  const auto count = std::ranges::find_if(counts_, is_it);
  ColumnRef result = count != counts_.end() ? count->second : over_stored(c);
  return columns_.set(c.get(), std::move(result));
}

/// Where the items of plain lists lay, from the lists that are stored.
ColumnRef OverStored::position_before(const Space& s, const SpaceRef& to) {
  const ColumnRef starts = column(start_unless_empty(s));
  return apply(Op::add, {parent(to, cast(starts, DType::int64)), local(to)});
}

/// Null where it says which item of the lists before is the one here: that is not stored.
ColumnRef OverStored::over_stored(const ColumnRef& c) {
  const SpaceRef* const stored = mapped(c->space);
  const bool is_of_mapped = stored != nullptr;
  if (is_of_mapped && keeps_items_ && c->kind == ColumnKind::position)
    return position_before(*c->space, *stored);
  if (is_of_mapped && (c->kind == ColumnKind::at || c->kind == ColumnKind::position ||
                       (c->kind == ColumnKind::local && c->link >= 0)))
    return {};
  const SpaceRef to = space(c->space);
  if (!to || (c->kind == ColumnKind::position && is_renumbered(*c->space))) return {};
  if (c->kind == ColumnKind::position) return position(to);
  if (c->kind == ColumnKind::local) return local(to, c->link);
  const SpaceRef over = c->over ? space(c->over) : SpaceRef();
  if (c->over && !over) return {};
  ColumnRef args[3];
  for (int i = 0; i < 3; i++) {
    if (c->args[i] && !(args[i] = column(c->args[i]))) return {};
  }
  switch (c->kind) {
    case ColumnKind::parent:
      return parent(to, args[0]);
    case ColumnKind::at:
      return at(to, c->link, args[0]);
    case ColumnKind::pick:
      return pick(to, over, args[0], args[1], args[2]);
    default: {
      auto* r = new Column(*c);
      ColumnRef result = r;
      r->origin = {};
      r->space = to;
      r->over = over;
      std::ranges::move(args, r->args);
      add_parts(*r);
      return result;
    }
  }
}

}  // namespace serrate::graph
