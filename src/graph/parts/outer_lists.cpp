// Few outer lists, stored before what is inside of them: see outer_lists.h.
#include "graph/parts/outer_lists.h"

#include <algorithm>

#include "graph/below.h"
#include "graph/evaluate.h"

namespace serrate::graph {

std::optional<std::vector<NodeRef>> OuterLists::operator()(const std::vector<NodeRef>& roots) {
  // Of what a function of arrays writes down other arrays will have other numbers of lists.
  if (few_ == 0 || looks_of_thread != nullptr) return {};
  std::vector<NodeRef> out;
  for (const NodeRef& r : roots) out.push_back(inside(r));
  return stored_.empty() ? std::nullopt : std::optional(std::move(out));
}

NodeRef OuterLists::inside(const NodeRef& n) {
  if (n->kind != NodeKind::list)
    return with_contents(n, [&](size_t i) { return inside(n->contents[i]); });
  const SpaceRef& s = n->space;
  if (is_numbered(s)) return with_contents(n, [&](size_t i) { return inside(n->contents[i]); });
  const bool is_plain = s->kind == SpaceKind::list && s->depth > 1;
  if (!is_plain || !is_stored(s->parent)) return n;
  const int64_t owners = size_at_hand(s->parent);
  seen_.clear();
  if (owners < 0 || owners > few_ || !has_lists(*n->contents[0], *s)) return n;
  const SpaceRef to = stored(s);
  auto* out = new Node(*n);
  out->space = to;
  const NodeRef result(out);
  out->contents[0] = inside(rebase_pick(n->contents[0], to, s, local(to)));
  return result;
}

SpaceRef OuterLists::stored(const SpaceRef& lists) {
  const auto known = std::ranges::find(stored_, lists, &std::pair<SpaceRef, SpaceRef>::first);
  if (known != stored_.end()) return known->second;
  return stored_.emplace_back(lists, store_(lists)).second;
}

/// Is something over `below` made of lists inside of these?
bool OuterLists::has_lists(const Node& n, const Space& below) {
  return n.kind == NodeKind::list || (n.column && has_lists(n.column, below)) ||
         std::ranges::any_of(n.contents, [&](const NodeRef& c) { return has_lists(*c, below); });
}

bool OuterLists::has_lists(const ColumnRef& c, const Space& below) {
  if (c->kind == ColumnKind::constant || !seen_.insert(c.get()).second) return false;
  if (c->over && c->kind == ColumnKind::reduce && c->over->depth > below.depth) return true;
  bool found = false;
  each_below(*c, [&](const auto& x) { found = found || has_lists(x, below); });
  return found;
}

bool OuterLists::has_lists(const SpaceRef& s, const Space& below) {
  if (!seen_.insert(s.get()).second) return false;
  bool found = false;
  each_below(*s, [&](const auto& x) { found = found || has_lists(x, below); });
  return found;
}

}  // namespace serrate::graph
