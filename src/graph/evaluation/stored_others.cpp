// What is read of the lists of barriers beside the keys, stored with these: see stored_lists.h.
#include <algorithm>

#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/evaluation/stored_lists.h"

namespace serrate::graph {

std::optional<StoredLists::Place> StoredLists::place_of(const SpaceRef& s) {
  if (s->kind == SpaceKind::unit || is_stored(s)) return {};
  if (const auto* known = places_.find(s.get())) return *known;
  std::optional<Place> place;
  for (size_t i = 0; i < inputs_.size() && !place; i++) {
    const auto& spaces = inputs_[i].spaces;
    for (size_t k = 0; k < spaces.size() && !place; k++) {
      const SpaceRef& own = spaces[k];
      if (own == s || (own->depth == s->depth && own->kind == s->kind && same(own, s)))
        place = Place{i, k};
    }
  }
  return places_.set(s.get(), place);
}

bool StoredLists::is_given(const ColumnRef& c) {
  if (const auto known = given_.find(c.get())) return *known;
  const auto is_it = [&](const ColumnRef& count) { return same(c, count); };
  return given_.set(c.get(), std::ranges::any_of(counts_, is_it));
}

/// Does it say where items of the lists were before, in itself or below it?
bool StoredLists::reads_places(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant || is_given(c)) return false;
  if (const auto known = reads_places_.find(c.get())) return *known;
  const bool tells = c->kind == ColumnKind::at || c->kind == ColumnKind::position ||
                     (c->kind == ColumnKind::local && c->link >= 0);
  bool some = tells && place_of(c->space);
  if (!some) each_below(*c, [&](const auto& below) { some = some || reads_places(below); });
  return reads_places_.set(c.get(), some);
}

bool StoredLists::reads_places(const SpaceRef& s) {
  if (place_of(s)) return false;
  if (const auto known = reads_places_.find(s.get())) return *known;
  bool some = false;
  each_below(*s, [&](const auto& below) { some = some || reads_places(below); });
  return reads_places_.set(s.get(), some);
}

/// Does it in its own space, not only of owners? What lists hand down to their items is stored once
/// a list.
bool StoredLists::reads_own_places(const Column& c) {
  switch (c.kind) {
    case ColumnKind::at:
    case ColumnKind::pick:
    case ColumnKind::reduce:
    case ColumnKind::position:
    case ColumnKind::local:
      return true;
    case ColumnKind::parent:
      return false;
    default:
      return std::ranges::any_of(
          c.args, [&](const ColumnRef& a) { return a && reads_places(a) && reads_own_places(*a); });
  }
}

/// Of all items of its space, before the fills are computed? Not where that may fail: maybe not all
/// of them are asked for.
bool StoredLists::may_be_stored(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return true;
  if (const auto known = may_be_stored_.find(c.get())) return *known;
  bool all = c->kind != ColumnKind::barrier && c->kind != ColumnKind::histogram &&
             c->kind != ColumnKind::check && c->kind != ColumnKind::call;
  each_below(*c, [&](const auto& below) { all = all && may_be_stored(below); });
  return may_be_stored_.set(c.get(), all);
}

bool StoredLists::may_be_stored(const SpaceRef& s) {
  if (const auto known = may_be_stored_.find(s.get())) return *known;
  bool all = s->kind != SpaceKind::aligned || place_of(s);
  each_below(*s, [&](const auto& below) { all = all && may_be_stored(below); });
  return may_be_stored_.set(s.get(), all);
}

void StoredLists::find_others(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant || is_given(c) || looked_at_.find(c.get())) return;
  looked_at_.set(c.get(), true);
  if (!reads_places(c)) return;
  const auto place = place_of(c->space);
  const bool is_place = c->kind == ColumnKind::position || c->kind == ColumnKind::local;
  if (place && is_place) {
    keeps_others_ = false;
    return;
  }
  if (place && reads_own_places(*c) && may_be_stored(c)) return add_other(c, *place);
  each_below(*c, [&](const auto& below) { find_others(below); });
}

void StoredLists::find_others(const SpaceRef& s) {
  if (place_of(s) || looked_at_.find(s.get())) return;
  looked_at_.set(s.get(), true);
  each_below(*s, [&](const auto& below) { find_others(below); });
}

void StoredLists::find_others(const Node& n) {
  if (n.column) find_others(n.column);
  if (n.space) find_others(n.space);
  for (const auto& content : n.contents) find_others(*content);
}

void StoredLists::add_other(const ColumnRef& c, const Place& place) {
  const auto is_here = [&](const Other& o) {
    return o.place.input == place.input && o.place.level == place.level;
  };
  auto at = std::ranges::find_if(others_, is_here);
  if (at == others_.end()) at = others_.insert(at, {place, {}, {}});
  at->columns.push_back(c);
}

std::vector<NodeRef> StoredLists::others() const {
  std::vector<NodeRef> trees;
  for (const Other& o : others_) {
    std::vector<NodeRef> parts;
    for (const ColumnRef& c : o.columns) parts.push_back(leaf(c));
    NodeRef n = tuple_node(std::move(parts));
    const auto& spaces = inputs_[o.place.input].spaces;
    for (size_t k = o.place.level + 1; k-- > 0;) n = list_node(spaces[k], std::move(n));
    trees.push_back(std::move(n));
  }
  return trees;
}

void StoredLists::note_other(Other& o, const NodeRef& stored) {
  NodeRef n = stored;
  const Input& in = inputs_[o.place.input];
  for (size_t k = 0; k <= o.place.level; k++, n = n->contents[0]) {
    if (n->space != in.stored[k] && !same(n->space, in.stored[k])) return;
  }
  for (const auto& part : n->contents) o.values.push_back(part->column);
}

void StoredLists::map_others(const std::vector<bool>& is_mapped) {
  for (const Other& o : others_) {
    const Input& in = inputs_[o.place.input];
    const SpaceRef* to = over_.mapped(in.spaces[o.place.level]);
    if (!is_mapped[o.place.input] || to == nullptr || o.values.size() != o.columns.size()) continue;
    for (size_t k = 0; k < o.columns.size(); k++) {
      const ColumnRef& value = o.values[k];
      if (value->kind == ColumnKind::load)
        over_.set(o.columns[k], stored_items_over(*to, *to, value->buffer, value->dtype));
    }
  }
}

}  // namespace serrate::graph
