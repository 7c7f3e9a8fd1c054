// Which schedule a group gets: by its structure and the rounded facts of its lists.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <unordered_set>

#include "core/seams.h"
#include "cuda/schedule/block_memory.h"
#include "cuda/schedule/facts.h"
#include "cuda/schedule/planner.h"
#include "cuda/schedule/ranked.h"
#include "graph/below.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// What threads share of a space.
const SpaceRef& driver(const SpaceRef& s) {
  if (s->kind == SpaceKind::flat) return driver(s->bases[0]->parent);
  return s->bases.empty() ? s : driver(s->bases[0]);
}

/// Positions of a stored space or of a slice of rows, rounded; infinity where they are not known.
double all_positions(const SpaceRef& s) {
  if (s->kind == SpaceKind::unit) return 1;
  if (s->kind == SpaceKind::fixed) return all_positions(s->parent) * facts_of(s).items;
  const bool is_slice = s->kind == SpaceKind::list && s->depth == 1 &&
                        s->starts->kind == ColumnKind::constant &&
                        s->stops->kind == ColumnKind::constant;
  if (s->kind == SpaceKind::rows || is_slice || is_stored(s)) return facts_of(s).items;
  return std::numeric_limits<double>::infinity();
}

/// Is a reduction part of it?
bool reduces(const Column& c, std::unordered_set<const Column*>& seen) {
  if (!seen.insert(&c).second) return false;
  return c.kind == ColumnKind::reduce ||
         std::ranges::any_of(c.args, [&](const ColumnRef& a) { return a && reduces(*a, seen); });
}

}  // namespace

double walked_items(const Group& g, const SpaceRef& root) {
  return g.items ? all_positions(root) : facts_of(root).items;
}

double expected_length(const SpaceRef& s) {
  const double equal = equal_lengths(s);
  if (!is_plain(*s) && is_ranked(*s)) return average_items(s);
  if (equal >= 0 || s->kind != SpaceKind::list || is_stored(s)) return equal;
  // Of slices of lists as long as those are.
  const Facts facts = facts_of(s);
  if (facts.average > 0 || facts.is_short) return facts.average;
  return std::numeric_limits<double>::infinity();
}

double equal_lengths(const SpaceRef& s) {
  const bool bounds = s->kind == SpaceKind::list && s->starts->kind == ColumnKind::constant &&
                      s->stops->kind == ColumnKind::constant;
  if (s->kind == SpaceKind::fixed) return static_cast<double>(s->size);
  return bounds ? facts_of(s).items : -1;
}

/// Is even the largest array that the outputs are made of a small one?
bool Planner::reads_few() const {
  if (reads_few_) return *reads_few_;
  bool few = true;
  std::unordered_set<const void*> seen;
  const auto look = [&](auto&& self, const auto& x) -> void {
    if (!few || !seen.insert(x.get()).second) return;
    if constexpr (std::is_same_v<std::decay_t<decltype(*x)>, Column>) few = !is_large(*x);
    each_below(*x, [&](const auto& below) { self(self, below); });
  };
  for (const Nest::Output& o : nest_.outputs()) {
    look(look, o.column);
    if (o.space) look(look, o.space);
  }
  // Lists may be as long as numbers are large that reductions find.
  std::unordered_set<const Column*> bounds;
  for (const Frame& f : nest_.frames()) {
    if (f.space->kind != SpaceKind::list || is_stored(f.space) || facts_of(f.space).is_short)
      continue;
    few = few && !reduces(*f.space->starts, bounds) && !reduces(*f.space->stops, bounds);
  }
  reads_few_ = few;
  return few;
}

/// Items that one block has a thread for, each. With what rounding took off they are fewer than
/// kThreads.
bool Planner::is_few(const Group& g) const {
  const SpaceRef& root = root_of(g).space;
  return !forced_.many && forced_.lanes == 0 && reads_few() &&
         all_positions(g.items ? root : driver(root)) < static_cast<double>(seams().few);
}

Schedule Planner::choose(const Draft& d, std::vector<Counted>& counted) const {
  const Group& g = d.group;
  const Frame& root = root_of(g);
  // What is counted in order has positions as what is appended has.
  if (!counted.empty()) return choose_append(d, counted);
  const bool histogram =
      std::ranges::any_of(g.frames, [&](int f) { return !frame(f).histograms.empty(); });
  const bool resident = !d.keeps_order && (histogram || !g.unit_folds.empty());
  const bool leaf_walk = g.frames.size() == 1 && g.frames[0] == g.root;
  const double items = walked_items(g, g.items ? root.space : driver(root.space));
  const int unroll = leaf_walk && items >= (1 << 20) ? 4 : 1;
  const bool has_lists = std::ranges::any_of(root.children, [&](int c) { return walks(g, c); });
  if (g.items && (d.keeps_order || !has_lists)) return ThreadPerItem{unroll, resident};
  if (d.keeps_order) return LanesPerList{1, unroll, resident};
  if (forced_.lanes > 0) return LanesPerList{forced_.lanes, unroll, resident};

  double longest = 0;
  for (const Frame& f : nest_.frames()) {
    if (f.parent == g.root && f.inside < 0 && walks(g, f.id))
      longest = std::max(longest, average_turns(f.space));
  }
  const bool tuples = can_share_tuples(d);
  // Many tuples a list keep a whole warp busy.
  const int lanes = tuples && longest >= 24 && lanes_for(longest) > 1 ? 32 : lanes_for(longest);
  if (can_bin(d) && (forced_.binned || is_skewed(g, lanes) || is_starved(g, longest, lanes)))
    return BinnedByLength{};
  if (const int f = split_frame(d); f >= 0) return SplitLists{f};
  if (tuples && !g.items && (forced_.warps || longest < 24) && warps_fit(nest_, g, resident))
    return TuplesPerWarp{resident};
  return LanesPerList{lanes, unroll, resident};
}

bool Planner::folds_in_any_order(const Draft& d) const {
  if (d.keeps_order) return false;
  if (std::ranges::any_of(root_of(d.group).filters, [&](int f) { return walks(d.group, f); }))
    return false;
  return std::ranges::all_of(d.group.frames, [&](int f) {
    return std::ranges::none_of(frame(f).folds,
                                [&](const Fold& x) { return order_matters(nest_, *x.column); });
  });
}

bool Planner::folds_stored_lists(const Draft& d) const {
  if (!is_stored(root_of(d.group).space) || !d.group.unit_folds.empty() || !folds_in_any_order(d))
    return false;
  bool any = false;
  for (int c : root_of(d.group).children) {
    if (!walks(d.group, c)) continue;
    any = true;
    const SpaceRef& s = frame(c).space;
    if ((s->kind != SpaceKind::list && s->kind != SpaceKind::fixed) || !is_stored(s) ||
        facts_of(s).items == 0)
      return false;
  }
  return any;
}

bool Planner::can_bin(const Draft& d) const {
  return folds_stored_lists(d) && std::ranges::all_of(root_of(d.group).children, [&](int c) {
           return !walks(d.group, c) || frame(c).space->kind == SpaceKind::list;
         });
}

bool Planner::is_skewed(const Group& g, int lanes) const {
  for (int c : root_of(g).children) {
    if (!walks(g, c)) continue;
    const SpaceRef& s = frame(c).space;
    // A warp is as slow as its longest list. A lane takes about 40 ns a step where it waits for
    // memory: of few items nobody minds. Where the longest list is not known it may be all of them.
    const Facts facts = facts_of(s);
    const double items = facts.items, longest = facts.longest >= 0 ? facts.longest : items;
    const bool waits = items >= 1 << 20 || longest / lanes * 40e-9 > 3e-6;
    if (waits && longest > 32 && longest > 6 * average_items(s)) return true;
  }
  return false;
}

bool Planner::is_starved(const Group& g, double longest, int lanes) const {
  constexpr double kThreadsOfGpu = 1 << 16, kLongSteps = 512;
  return longest / lanes >= kLongSteps && walked_items(g, root_of(g).space) * lanes < kThreadsOfGpu;
}

/// Does each item of frame f have a list to walk, so that they ask for more and less?
bool Planner::has_lists(const Group& g, int f) const {
  // Reductions that the item asks for are done where it asks.
  const auto is_list = [&](int c) { return walks(g, c) || !frame(c).folds.empty(); };
  return std::ranges::any_of(frame(f).children, is_list) ||
         std::ranges::any_of(frame(f).filters, [&](int c) { return has_lists(g, c); });
}

bool Planner::can_share_tuples(const Draft& d) const {
  if (!is_stored(root_of(d.group).space) || !folds_in_any_order(d)) return false;
  bool tuples = false;
  for (int c : root_of(d.group).children) {
    if (!walks(d.group, c)) continue;
    const Space& s = *frame(c).space;
    if (!is_ranked(s)) return false;
    tuples |= !is_plain(s) || has_lists(d.group, c);
  }
  return tuples;
}

bool Planner::has_few(const Group& g) const {
  // How many there are of derived lists is not known while kernels are written.
  const SpaceRef& root = root_of(g).space;
  return is_plain(*root) && walked_items(g, root) <= static_cast<double>(seams().cut_lists);
}

bool Planner::are_long(const SpaceRef& lists) const {
  return expected_length(lists) > (forced_.cut ? 0 : static_cast<double>(seams().cut_items));
}

/// The one frame whose lists are split, or -1.
int Planner::split_frame(const Draft& d) const {
  if (!has_few(d.group) || !d.group.unit_folds.empty() || !folds_in_any_order(d)) return -1;
  int only = -1;
  for (int c : root_of(d.group).children) {
    if (!walks(d.group, c)) continue;
    if (only >= 0) return -1;
    only = c;
  }
  return only >= 0 && are_long(frame(only).space) ? only : -1;
}

void Planner::add_folds(int f, int into, std::vector<ColumnRef>& out) const {
  for (const Fold& x : frame(f).folds) {
    if (x.into == into) out.emplace_back(x.column);
  }
}

void Planner::nested_before(const Group& g, std::vector<ColumnRef>& out) const {
  for (const Frame& f : nest_.frames()) {
    // Whoever reads them walks them there.
    if (f.parent <= 0 || f.parent == g.root || f.inside >= 0 || !walks(g, f.parent)) continue;
    const Frame& owner = frame(f.parent);
    if (owner.inside >= 0 || !is_stored(owner.space) || !is_ranked(*f.space)) continue;
    if (average_items(f.space) > static_cast<double>(seams().cut_items))
      add_folds(f.id, f.parent, out);
  }
}

void Planner::lengths_before(const Group& g, std::vector<ColumnRef>& out) const {
  for (const int c : root_of(g).children) {
    const SpaceRef& s = frame(c).space;
    if (is_stored(s) && average_items(s) > static_cast<double>(seams().cut_items))
      add_folds(c, g.root, out);
  }
}

std::vector<ColumnRef> Planner::stored_before(const Plan& p) const {
  std::vector<ColumnRef> out;
  for (const WalkPlan& w : p.walks) {
    if (w.group.root == 0 || !has_few(w.group)) continue;
    nested_before(w.group, out);
    if (!w.counted.empty()) lengths_before(w.group, out);
    if (!std::holds_alternative<LanesPerList>(w.schedule)) continue;
    std::vector<int> walked;
    for (int c : root_of(w.group).children) {
      if (walks(w.group, c)) walked.push_back(c);
    }
    const auto is_long = [&](int c) {
      const double length = expected_length(frame(c).space);
      return std::isfinite(length) && are_long(frame(c).space);
    };
    if (walked.size() < 2 || std::ranges::none_of(walked, is_long)) continue;
    walked.pop_back();
    for (int c : walked) add_folds(c, w.group.root, out);
  }
  return out;
}

std::vector<ColumnRef> stored_before_walks(Nest& nest) {
  Planner planner(nest, forced_schedule());
  const Plan p = planner.plan();
  return p.missing ? std::vector<ColumnRef>() : planner.stored_before(p);
}

}  // namespace serrate::cuda
