// What follows barriers, over the stored forms of their lists: see stored_lists.h.
#include "graph/evaluation/stored_lists.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"

namespace serrate::graph {

StoredLists::StoredLists(const Fills& fills, const std::vector<NodeRef>& trees,
                         const std::vector<NodeRef>& roots)
    : fills_(fills) {
  inputs_.resize(trees.size());
  for (const auto& f : fills.fills()) {
    if (f.pick.over || f.column->kind != ColumnKind::barrier || is_stored(f.column->space))
      continue;
    Input& in = inputs_[f.input];
    if (in.is_derived) continue;
    in.is_derived = any_ = true;
    const Node* n = trees[f.input].get();
    for (; n->kind == NodeKind::list && n->space->depth <= f.column->space->depth;
         n = n->contents[0].get())
      in.spaces.push_back(n->space);
    if (n->kind != NodeKind::record) {
      in.columns.push_back(n->column);  // null: words
    } else {
      for (const auto& part : n->contents) in.columns.push_back(part->column);
    }
  }
  if (!any_) return;
  for (const auto& [c, number] : fills.found()) reached_.set(c.get(), true);
  const auto find = [&](auto&& self, const Node& n) -> void {
    if (n.column) find_reached(n.column);
    if (n.space) find_reached(n.space);
    for (const auto& content : n.contents) self(self, *content);
  };
  for (const auto& r : roots) find(find, *r);
}

void StoredLists::find_reached(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant || reached_.find(c.get())) return;
  reached_.set(c.get(), true);
  each_below(*c, [&](const auto& below) { find_reached(below); });
}

void StoredLists::find_reached(const SpaceRef& s) {
  if (reached_.find(s.get())) return;
  reached_.set(s.get(), true);
  each_below(*s, [&](const auto& below) { find_reached(below); });
}

void StoredLists::note(const std::vector<NodeRef>& stored) {
  for (size_t i = 0; i < inputs_.size(); i++) {
    Input& in = inputs_[i];
    if (!in.is_derived) continue;
    NodeRef n = stored[i];
    for (size_t k = 0; k < in.spaces.size(); k++, n = n->contents[0]) in.stored.push_back(n->space);
    // What nobody else reads may go as soon as it is sorted.
    const bool one = n->kind != NodeKind::record;
    for (size_t k = 0; k < in.columns.size(); k++) {
      const ColumnRef& c = in.columns[k];
      const bool is_read = c && reached_.find(c.get());
      in.values.push_back(is_read ? (one ? n : n->contents[k])->column : ColumnRef());
    }
  }
}

void StoredLists::pretend() {
  void* memory = nullptr;
  const Buffer nothing = Buffer::allocate(16, &memory);
  std::memset(memory, 0, 16);
  for (Input& in : inputs_) {
    if (!in.is_derived) continue;
    SpaceRef above = unit();
    for (const SpaceRef& s : in.spaces) {
      auto* some = new Space(*rows(0));
      SpaceRef to = some;
      some->size = -1;
      if (s->depth > 1) to = stored_list(above, nothing, DType::int64, {.first = 0, .size = 0});
      if (is_stored(s) && above == s->parent) to = s;
      in.stored.push_back(above = to);
    }
    for (const ColumnRef& c : in.columns)
      in.values.push_back(c ? load(nothing, c->dtype, position(above)) : ColumnRef());
  }
}

/// Lists of two inputs that are the same are those of the first. False where others lie below
/// them, which are of the second.
bool StoredLists::map_spaces(const Input& in) {
  if (mapped(in.spaces.back())) return true;
  for (size_t k = 0; k < in.spaces.size(); k++) {
    const SpaceRef* to = mapped(in.spaces[k]);
    if (to != nullptr && *to != in.stored[k] && !same(*to, in.stored[k])) return false;
  }
  for (size_t k = 0; k < in.spaces.size(); k++) {
    if (!mapped(in.spaces[k])) mapped_.emplace_back(in.spaces[k], in.stored[k]);
  }
  return true;
}

void StoredLists::map_results() {
  std::vector<bool> is_mapped;
  for (const Input& in : inputs_) {
    is_mapped.push_back(in.is_derived && map_spaces(in));
    if (!is_mapped.back() || *mapped(in.spaces.back()) != in.stored.back()) continue;
    for (size_t k = 0; k < in.columns.size(); k++) {
      if (in.values[k] && !values_.find(in.columns[k].get()))
        values_.set(in.columns[k].get(), in.values[k]);
    }
  }
  for (const auto& [c, number] : fills_.found()) {
    const auto& fill = fills_.fills()[number];
    if (!is_mapped[fill.input] || fill.result->kind != ColumnKind::load) continue;
    const SpaceRef* to = mapped(c->space);
    if (to != nullptr && !values_.find(c.get()))
      values_.set(c.get(), stored_items_over(*to, *to, fill.result->buffer, fill.result->dtype));
  }
}

NodeRef StoredLists::operator()(const NodeRef& root) {
  if (!std::exchange(has_results_, true)) map_results();
  return mapped_.empty() ? NodeRef() : tree(root);
}

const SpaceRef* StoredLists::mapped(const SpaceRef& s) {
  for (const auto& [from, to] : mapped_) {
    if (from == s) return &to;
  }
  for (const auto& [from, to] : mapped_) {
    if (from->depth == s->depth && from->kind == s->kind && same(from, s)) return &to;
  }
  return nullptr;
}

template <class SpaceOrColumn>
bool StoredLists::touches(const SpaceOrColumn& x) {
  if (const auto known = touches_.find(x.get())) return *known;
  bool some = mapped(x) != nullptr;
  if (!some) each_below(*x, [&](const auto& below) { some = some || touches(below); });
  return touches_.set(x.get(), some);
}

NodeRef StoredLists::tree(const NodeRef& n) {
  if (n->kind == NodeKind::unknown || n->kind == NodeKind::categorical) return {};
  auto* r = new Node(*n);
  NodeRef result = r;
  if (n->column && !(r->column = column(n->column))) return {};
  if (n->space && !(r->space = space(n->space))) return {};
  for (auto& c : r->contents) {
    c = tree(c);
    if (!c) return {};
  }
  return result;
}

SpaceRef StoredLists::space(const SpaceRef& s) {
  if (const SpaceRef* to = mapped(s)) return *to;
  if (!touches(s)) return s;
  if (const SpaceRef* known = spaces_.find(s.get())) return *known;
  Space* const r = copy_to_rebuild(*s);
  SpaceRef result = r;
  r->parent = space(s->parent);
  bool all = bool(r->parent);
  for (auto& b : r->bases) all = all && (b = space(b));
  for (ColumnRef* c : {&r->starts, &r->stops, &r->predicate}) {
    if (*c) all = all && (*c = column(*c));
  }
  if (!all) return spaces_.set(s.get(), {});
  if (!r->bases.empty())
    r->parent = r->kind == SpaceKind::flat ? r->bases[0]->parent->parent : r->bases[0]->parent;
  add_parts(*r);
  return spaces_.set(s.get(), std::move(result));
}

ColumnRef StoredLists::column(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return c;
  if (const ColumnRef* to = mapped(c)) return *to;
  if (!touches(c)) return c;
  if (const ColumnRef* known = columns_.find(c.get())) return *known;
  ColumnRef result = over_stored(c);
  return columns_.set(c.get(), std::move(result));
}

/// Null where it says which item of the lists before is the one here: that is not stored.
ColumnRef StoredLists::over_stored(const ColumnRef& c) {
  const bool is_of_mapped = mapped(c->space) != nullptr;
  if (is_of_mapped && (c->kind == ColumnKind::at || c->kind == ColumnKind::position ||
                       (c->kind == ColumnKind::local && c->link >= 0)))
    return {};
  const SpaceRef to = space(c->space);
  if (!to) return {};
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
