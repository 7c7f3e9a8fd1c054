// Spaces, place by place: see evaluator.h.
#include "graph/evaluate.h"
#include "reference/evaluator.h"

namespace serrate::reference {

using namespace graph;

namespace {

void tuples(const SpaceRef& s, const std::vector<Places>& lists, Places& chosen, size_t from,
            std::vector<Places>& out) {
  const size_t k = chosen.size();
  if (k == static_cast<size_t>(s->k)) {
    out.push_back(chosen);
    return;
  }
  const bool pairs = s->kind == SpaceKind::combinations;
  const auto& candidates = lists[pairs ? 0 : k];
  for (size_t i = pairs ? from : 0; i < candidates.size(); i++) {
    chosen.push_back(candidates[i]);
    tuples(s, lists, chosen, s->replacement ? i : i + 1, out);
    chosen.pop_back();
  }
}

}  // namespace

const Places& Evaluator::items(const SpaceRef& s, const Place& owner) {
  const std::pair<const void*, const void*> key(s.get(), &owner);
  if (const auto known = lists_.find(key); known != lists_.end()) return known->second;
  Places out;
  list_items(s, owner, out);
  return lists_.emplace(key, std::move(out)).first->second;
}

void Evaluator::list_items(const SpaceRef& s, const Place& owner, Places& out) {
  const auto add = [&](int64_t domain, Places links) {
    places_.push_back(
        {s.get(), static_cast<int64_t>(out.size()), domain, &owner, std::move(links)});
    out.push_back(&places_.back());
  };
  switch (s->kind) {
    case SpaceKind::unit:
      break;
    case SpaceKind::rows:
      for (int64_t i = 0; i < s->size; i++) add(i, {});
      break;
    case SpaceKind::list:
      for (int64_t i = integer(s->starts, owner), n = integer(s->stops, owner); i < n; i++)
        add(i, {});
      break;
    case SpaceKind::fixed:
      for (int64_t i = 0, start = integer(s->starts, owner); i < s->size; i++) add(start + i, {});
      break;
    case SpaceKind::select:
      for (const Place* q : items(s->bases[0], owner)) {
        if (truth(s->predicate, *q)) add(0, {q});
      }
      break;
    case SpaceKind::flat:
      for (const Place* q : items(s->bases[0]->parent, owner)) {
        for (const Place* r : items(s->bases[0], *q)) add(0, {r});
      }
      break;
    case SpaceKind::combinations:
    case SpaceKind::cartesian: {
      std::vector<Places> lists, found;
      for (const auto& b : s->bases) lists.push_back(items(b, owner));
      Places chosen;
      tuples(s, lists, chosen, 0, found);
      for (auto& f : found) add(0, std::move(f));
      break;
    }
    case SpaceKind::aligned: {
      std::vector<Places> lists;
      for (const auto& b : s->bases) lists.push_back(items(b, owner));
      for (const auto& l : lists)
        if (l.size() != lists[0].size())
          raise_unequal(s->where, static_cast<int64_t>(lists[0].size()),
                        static_cast<int64_t>(l.size()), owner.row());
      for (size_t i = 0; i < lists[0].size(); i++) {
        Places links;
        for (const auto& l : lists) links.push_back(l[i]);
        add(0, std::move(links));
      }
      break;
    }
  }
}

Places Evaluator::all_items(const SpaceRef& s) {
  if (s->kind == SpaceKind::unit) return {&unit_};
  Places out;
  for (const Place* p : all_items(s->parent)) {
    for (const Place* q : items(s, *p)) out.push_back(q);
  }
  return out;
}

}  // namespace serrate::reference
