// The walks of a nest, decided before anything is written: see schedule.h.
#include <algorithm>

#include "cuda/schedule/facts.h"
#include "cuda/schedule/planner.h"
#include "cuda/schedule/ranked.h"
#include "cuda/schedule/source.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

Planner::Planner(Nest& nest, const Forced& forced) : nest_(nest), forced_(forced) {
  for (const Nest::Output& o : nest.outputs())
    is_known_.push_back(o.histogram || known_size(o.space) >= 0);
}

bool Planner::has(const Group& g, int f) {
  return std::ranges::find(g.frames, f) != g.frames.end();
}

Plan Planner::plan() {
  std::vector<Walks> waiting;
  for (Group& g : group(nest_)) waiting.push_back(plan_group(std::move(g)));
  std::vector<ColumnRef> made;
  const auto is_made = [&](const ColumnRef& c) {
    return std::ranges::any_of(made, [&](const ColumnRef& m) { return same(m, c); });
  };
  const auto makes = [](const Walks& w, const ColumnRef& c) {
    return std::ranges::any_of(w.folds,
                               [&](const Fold& f) { return same(ColumnRef(f.column), c); });
  };
  Plan out;
  while (!waiting.empty()) {
    // In order of time, but for groups that wait for what later ones make.
    size_t next = 0;
    for (;; next++) {
      const Walks& w = waiting[next];
      const auto missing = std::ranges::find_if_not(w.reads, is_made);
      if (missing == w.reads.end()) break;
      const auto comes_later = [&](const Walks& other) {
        return &other != &w && makes(other, *missing);
      };
      if (next + 1 == waiting.size() || std::ranges::none_of(waiting, comes_later))
        return {{}, *missing};
    }
    for (const Fold& f : waiting[next].folds) made.emplace_back(f.column);
    for (WalkPlan& w : waiting[next].walks) out.walks.push_back(std::move(w));
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next));
  }
  const Demands last = demands_of_unit(nest_);
  const auto missing = std::ranges::find_if_not(last.unit, is_made);
  if (missing != last.unit.end()) return {{}, *missing};
  return out;
}

Planner::Walks Planner::plan_group(Group g) {
  Walks out{g.unit_folds, {}, {}};
  if (!split(g)) {
    out.walks.push_back(plan_walk({.group = std::move(g)}, out.reads));
    return out;
  }
  std::vector<Group> items = stores_groups(nest_, appended_frames(g));
  const int kept = kept_lengths(g, items);
  if (kept >= 0) {
    g.sinks = Sinks::all;
    out.walks.push_back(
        plan_walk({.group = std::move(items[0]), .kept = kept, .whole = std::move(g)}, out.reads));
    return out;
  }
  leave_appended(g);
  out.walks.push_back(plan_walk({.group = std::move(g)}, out.reads));
  for (Group& of_items : items)
    out.walks.push_back(plan_walk({.group = std::move(of_items)}, out.reads));
  return out;
}

/// The same group without what others append: only what it still has to see is walked.
void Planner::leave_appended(Group& g) const {
  const std::vector<int> appended = appended_frames(g);
  g.sinks = Sinks::but_appended;
  const auto is_inside = [&](int f) {
    return std::ranges::any_of(appended, [&](int a) { return is_above(nest_, a, f); });
  };
  const auto is_left = [&](int f) {
    const Frame& x = frame(f);
    return !is_inside(f) || !x.checks.empty() || !x.histograms.empty() ||
           std::ranges::any_of(x.folds, [&](const Fold& a) { return !is_inside(a.into); });
  };
  std::erase_if(g.frames, [&](int f) { return !is_left(f); });
  g.walks.assign(g.walks.size(), false);
  add_path(nest_, g, g.root);
  for (const int f : g.frames) add_path(nest_, g, f);
}

/// Of the ways to walk a group the first one that knows the order of items where it matters.
WalkPlan Planner::plan_walk(Draft d, std::vector<ColumnRef>& reads) {
  for (;;) {
    WalkPlan out;
    out.counted = counted_frames(d);
    out.schedule = choose(d, out.counted);
    WalkShape shape{d.group, false, lanes_of(out.schedule), d.keeps_order, {}};
    for (const Counted& x : out.counted) shape.appended.push_back(x.frame);
    shape.shares_root = !d.group.items && !std::holds_alternative<TuplesPerWarp>(out.schedule) &&
                        !std::holds_alternative<BinnedByLength>(out.schedule) &&
                        !std::holds_alternative<SplitLists>(out.schedule);
    Demands all = demands_of(nest_, shape);
    std::vector<std::vector<int>> asks;
    for (const Counted& x : out.counted) {
      const Demands one = demands_of_count(nest_, shape, x.frame);
      all.order |= one.order;
      all.unit.insert(all.unit.end(), one.unit.begin(), one.unit.end());
      asks.push_back(one.positions);
    }
    if (all.order) {
      keep_order(d);
      continue;
    }
    find_levels(out.counted, asks);
    reads.insert(reads.end(), all.unit.begin(), all.unit.end());
    out.keeps_order = d.keeps_order;
    out.group = std::move(d.group);
    return out;
  }
}

/// Another way to walk, in which more is known of the order of items.
void Planner::keep_order(Draft& d) const {
  if (d.kept >= 0) {
    // Indexes in lists are asked for: lists must be walked.
    d.kept = -1;
    d.group = std::move(d.whole);
    return;
  }
  if (d.keeps_order) {
    // A thread must see the list from its beginning.
    Group& g = d.group;
    check<ValueError>(g.items, "cuda: the order of items is not known");
    g.root = container(nest_, g.root);
    g.items = container(nest_, g.root) != 0;
    g.walks[static_cast<size_t>(g.root)] = true;
  }
  d.keeps_order = true;
}

/// What is counted may depend on positions among items that are counted too (lists whose bounds are
/// looked up by the number of a chosen row): those are counted in a kernel before.
void Planner::find_levels(std::vector<Counted>& counted,
                          const std::vector<std::vector<int>>& asks) {
  const size_t n = counted.size();
  for (size_t round = 0; round <= n; round++) {
    bool done = true;
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        if (std::ranges::find(asks[i], counted[j].frame) == asks[i].end() ||
            counted[i].level > counted[j].level)
          continue;
        counted[i].level = counted[j].level + 1;
        done = false;
      }
    }
    if (done) return;
  }
  throw ValueError("cuda: items are counted by their own positions");
}

bool Planner::split(const Group& g) {
  const std::vector<int> appended = appended_frames(g);
  if (appended.empty()) return false;
  // Those are balanced.
  if (has_one_length(nest_, frame(appended[0]))) return false;
  const std::vector<Group> alone = stores_groups(nest_, appended);
  // What few rows that a filter leaves have inside.
  const auto is_balanced = [&](const Group& of, int f) {
    return has_few(of) && !is_few(of) && can_balance({.group = of}, {{f}}, false);
  };
  if (appended.size() == 1 && alone.size() == 1 && alone[0].root == g.root &&
      is_balanced(alone[0], appended[0]) && !is_balanced(g, appended[0]))
    return forced_.lanes == 0;
  if (!std::ranges::all_of(alone, &Group::items) || !folds_stored_lists({.group = g})) return false;
  if (forced_.binned || forced_.lanes > 0) return forced_.binned;
  if (kept_lengths(g, alone) >= 0 && !is_few(g)) return true;
  // One thread a list writes far apart from its neighbours.
  for (int c : root_of(g).children) {
    if (walks(g, c) && average_items(frame(c).space) >= 8) return true;
  }
  return is_skewed(g, 1);
}

int Planner::kept_lengths(const Group& lists, const std::vector<Group>& all_items) const {
  if (all_items.size() != 1) return -1;
  const Group& items = all_items[0];
  const std::vector<int> appended = appended_frames(items);
  if (appended.size() != 1 || !lists.unit_folds.empty() || !items.unit_folds.empty()) return -1;
  const Frame& f = frame(appended[0]);
  const SpaceRef& from = root_of(items).space;
  if (facts_of(from->parent).items == 0) return -1;
  if (f.inside != items.root || f.space->kind != SpaceKind::select ||
      (from->kind != SpaceKind::list && from->kind != SpaceKind::fixed))
    return -1;
  const ColumnRef lengths = count(f.space);
  int which = -1;
  for (size_t i = 0; i < nest_.outputs().size(); i++) {
    const Nest::Output& o = nest_.outputs()[i];
    if (!has(lists, o.frame) || !is_known_[i]) continue;
    if (which >= 0 || !are_lengths(o, f)) return -1;
    which = static_cast<int>(i);
  }
  for (int g : lists.frames) {
    if (!frame(g).checks.empty()) return -1;
    for (const Fold& x : frame(g).folds) {
      if (!same(ColumnRef(x.column), lengths)) return -1;
    }
  }
  return which;
}

Plan plan(Nest& nest, const Forced& forced) { return Planner(nest, forced).plan(); }

}  // namespace serrate::cuda
