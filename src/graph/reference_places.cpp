// Spaces, place by place: see reference.cpp.
#include "graph/evaluate.h"
#include "graph/reference_values.h"

namespace serrate::graph::reference {
namespace {

PlaceRef place(const SpaceRef& s, const PlaceRef& owner, int64_t local, int64_t domain,
               std::vector<PlaceRef> links = {}) {
  return std::make_shared<const Place>(Place{s, local, domain, owner, std::move(links)});
}

void tuples(const SpaceRef& s, const std::vector<std::vector<PlaceRef>>& lists,
            std::vector<PlaceRef>& chosen, size_t from, std::vector<std::vector<PlaceRef>>& out) {
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

PlaceRef unit_place() { return place(unit(), nullptr, 0, 0); }

std::vector<PlaceRef> items(const SpaceRef& s, const PlaceRef& owner) {
  std::vector<PlaceRef> out;
  auto add = [&](int64_t domain, std::vector<PlaceRef> links) {
    out.push_back(place(s, owner, static_cast<int64_t>(out.size()), domain, std::move(links)));
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
      for (const auto& q : items(s->bases[0], owner)) {
        if (truth(s->predicate, q)) add(0, {q});
      }
      break;
    case SpaceKind::flat:
      for (const auto& q : items(s->bases[0]->parent, owner)) {
        for (const auto& r : items(s->bases[0], q)) add(0, {r});
      }
      break;
    case SpaceKind::combinations:
    case SpaceKind::cartesian: {
      std::vector<std::vector<PlaceRef>> lists, found;
      for (const auto& b : s->bases) lists.push_back(items(b, owner));
      std::vector<PlaceRef> chosen;
      tuples(s, lists, chosen, 0, found);
      for (auto& f : found) add(0, std::move(f));
      break;
    }
    case SpaceKind::aligned: {
      std::vector<std::vector<PlaceRef>> lists;
      for (const auto& b : s->bases) lists.push_back(items(b, owner));
      for (const auto& l : lists)
        if (l.size() != lists[0].size())
          raise_unequal(s->where, static_cast<int64_t>(lists[0].size()),
                        static_cast<int64_t>(l.size()), owner->domain);
      for (size_t i = 0; i < lists[0].size(); i++) {
        std::vector<PlaceRef> links;
        for (const auto& l : lists) links.push_back(l[i]);
        add(0, std::move(links));
      }
      break;
    }
  }
  return out;
}

std::vector<PlaceRef> all_items(const SpaceRef& s, const PlaceRef& root) {
  if (s->kind == SpaceKind::unit) return {root};
  std::vector<PlaceRef> out;
  for (const auto& p : all_items(s->parent, root)) {
    for (auto& q : items(s, p)) out.push_back(q);
  }
  return out;
}

}  // namespace serrate::graph::reference
