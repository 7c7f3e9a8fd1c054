// What follows barriers, over the stored forms of their lists: see stored_lists.h.
#include "graph/evaluation/stored_lists.h"

#include <algorithm>
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
  for (const auto& [c, number] : fills.found()) given_.set(c.get(), true);
  for (const Input& in : inputs_) {
    for (const ColumnRef& c : in.columns) {
      if (c) given_.set(c.get(), true);
    }
    for (const SpaceRef& s : in.spaces) {
      if (s->kind == SpaceKind::list && s->depth > 1) counts_.push_back(count(s));
    }
  }
  for (const auto& r : roots) find_others(*r);
  if (!keeps_others_) others_.clear();
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
  for (size_t i = 0; i < others_.size(); i++) note_other(others_[i], stored[inputs_.size() + i]);
}

Buffer no_offsets() {
  const int64_t offsets[2]{};
  return Buffer::copy_of(offsets, sizeof offsets);
}

void StoredLists::pretend() {
  const Buffer nothing = no_offsets();
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
  for (Other& o : others_) {
    for (const ColumnRef& c : o.columns)
      o.values.push_back(
          load(nothing, c->dtype, position(inputs_[o.place.input].stored[o.place.level])));
  }
}

/// Lists of two inputs that are the same are those of the first. False where others lie below
/// them, which are of the second.
bool StoredLists::map_spaces(const Input& in) {
  if (over_.mapped(in.spaces.back())) return true;
  for (size_t k = 0; k < in.spaces.size(); k++) {
    const SpaceRef* to = over_.mapped(in.spaces[k]);
    if (to != nullptr && *to != in.stored[k] && !same(*to, in.stored[k])) return false;
  }
  for (size_t k = 0; k < in.spaces.size(); k++) {
    if (!over_.mapped(in.spaces[k])) over_.set(in.spaces[k], in.stored[k]);
  }
  return true;
}

void StoredLists::map_results() {
  std::vector<bool> is_mapped;
  for (const Input& in : inputs_) {
    is_mapped.push_back(in.is_derived && map_spaces(in));
    if (!is_mapped.back() || *over_.mapped(in.spaces.back()) != in.stored.back()) continue;
    for (size_t k = 0; k < in.columns.size(); k++) {
      if (in.values[k]) over_.set(in.columns[k], in.values[k]);
    }
  }
  map_others(is_mapped);
  for (const auto& [c, number] : fills_.found()) {
    const auto& fill = fills_.fills()[number];
    if (!is_mapped[fill.input] || fill.result->kind != ColumnKind::load) continue;
    if (const SpaceRef* to = over_.mapped(c->space))
      over_.set(c, stored_items_over(*to, *to, fill.result->buffer, fill.result->dtype));
  }
}

NodeRef StoredLists::operator()(const NodeRef& root) {
  if (!std::exchange(has_results_, true)) map_results();
  return over_.any() ? over_(root) : NodeRef();
}

}  // namespace serrate::graph
