// Which threads do what: chosen by the structure of a walk and rounded facts of its lists.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "core/seams.h"
#include "cuda/facts.h"
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

namespace {

/// What threads share of a space.
const SpaceRef& driver(const SpaceRef& s) {
  if (s->kind == SpaceKind::flat) return driver(s->bases[0]->parent);
  return s->bases.empty() ? s : driver(s->bases[0]);
}

/// Items that threads would share, rounded.
double driver_items(const SpaceRef& s) { return facts_of(driver(s)).items; }

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

}  // namespace

double Generator::average(const SpaceRef& s) const {
  switch (s->kind) {
    case SpaceKind::fixed:
      return static_cast<double>(s->size);
    case SpaceKind::list:
      return is_stored(s) ? facts_of(s).average : 4;
    case SpaceKind::combinations: {
      const double n = average(s->bases[0]);
      return s->k == 1 ? n : std::max(1.0, n * n / 2);
    }
    case SpaceKind::cartesian: {
      double n = 1;
      for (const auto& b : s->bases) n *= average(b);
      return n;
    }
    case SpaceKind::flat:
      return average(s->bases[0]) * average(s->bases[0]->parent);
    default:
      return s->bases.empty() ? 1 : average(s->bases[0]);
  }
}

/// Items that one block has a thread for, each. With what rounding took off they are fewer than
/// kThreads.
bool Generator::is_few(const Group& g) const {
  const SpaceRef& root = nest_.frames()[static_cast<size_t>(g.root)].space;
  return !forced_.many && forced_.lanes == 0 &&
         all_positions(g.items ? root : driver(root)) < static_cast<double>(seams().few);
}

void Generator::choose(Walk& w) {
  const Frame& root = nest_.frames()[w.group.root];
  w.schedule = w.group.items ? Schedule::items : Schedule::lanes;
  w.items = a_.source(w.group.items ? Source::items : Source::driven, root.space.get());
  const double items = w.group.items ? facts_of(root.space).items : driver_items(root.space);
  // What is counted in order has positions as what is appended has.
  const bool appends = counts_filters(w) || !appended_frames(w.group).empty();
  bool histogram = false;
  double longest = 0;
  for (int f : w.group.frames) histogram |= !nest_.frames()[f].histograms.empty();
  for (const Frame& f : nest_.frames()) {
    if (f.parent == w.group.root && f.inside < 0 && w.group.walks[static_cast<size_t>(f.id)])
      longest = std::max(longest, average(f.space));
  }
  // Blocks of appended or counted items follow each other, so each thread has one item.
  w.resident = !appends && !w.keeps_order && (histogram || !w.group.unit_folds.empty());
  w.lanes = appends || w.group.items ? 1 : forced_.lanes > 0 ? forced_.lanes : lanes_for(longest);
  w.alone = appends && w.kept.lengths < 0 && is_few(w.group) &&
            appended_frames(w.group).size() <= static_cast<size_t>(seams().totals);
  // A thread that appends takes a few items one after the other.
  w.chunk = appends && w.group.items && !w.alone ? 8 : 1;
  w.per_item = appends && w.chunk == 1 && is_plain(*root.space);
  const bool leaf_walk = w.group.frames.size() == 1 && w.group.frames[0] == w.group.root;
  w.unroll = leaf_walk && !appends && items >= (1 << 20) ? 4 : 1;
  walk_ = &w;
  // Many tuples a list keep a whole warp busy.
  if (w.lanes > 1 && longest >= 24 && forced_.lanes == 0 && can_share_warps(w)) w.lanes = 32;
  if (!appends && !w.group.items && can_bin(w) && forced_.lanes == 0 &&
      (forced_.binned || is_skewed(w))) {
    w.schedule = Schedule::binned;
    w.lanes = 1;
  } else if (!appends && !w.group.items && forced_.lanes == 0 && cut_frame(w) >= 0) {
    w.schedule = Schedule::cut;
    w.lanes = 1;
  } else if (!appends && !w.group.items && forced_.lanes == 0 && can_share_warps(w) &&
             (forced_.warps || longest < 24)) {
    w.schedule = Schedule::warps;
    w.lanes = w.unroll = 1;
    w.chunk = 2;
  }
}

bool Generator::is_skewed(const Walk& w) const {
  for (int c : nest_.frames()[w.group.root].children) {
    if (!is_walked(c)) continue;
    const SpaceRef& s = nest_.frames()[c].space;
    // A warp is as slow as its longest list. A lane takes about 40 ns a step where it waits for
    // memory: of few items nobody minds. Where the longest list is not known it may be all of them.
    const Facts facts = facts_of(s);
    const double items = facts.items, longest = facts.longest >= 0 ? facts.longest : items;
    const bool waits = items >= 1 << 20 || longest / w.lanes * 40e-9 > 3e-6;
    if (waits && longest > 32 && longest > 6 * average(s)) return true;
  }
  return false;
}

int lanes_for(double items) {
  int lanes = 1;
  // As measured: 10 items are done best by 2 lanes, 100 by 8.
  while (lanes < 32 && 14.0 * lanes - 6 <= items) lanes *= 2;
  return lanes;
}

Forced forced_schedule() {
  Forced f;
  const char* e = std::getenv("SERRATE_CUDA_SCHEDULE");
  if (e == nullptr) return f;
  const std::string_view s = e;
  f.binned = s == "binned";
  f.warps = s == "warps";
  f.cut = s == "cut";
  f.memory = s == "memory";
  f.many = s == "many";
  if (s.starts_with("lanes")) f.lanes = s.size() == 5 ? 1 : std::atoi(e + 5);
  check<ValueError>(f.binned || f.cut || f.warps || f.memory || f.many || f.lanes == 1 ||
                        f.lanes == 2 || f.lanes == 4 || f.lanes == 8 || f.lanes == 16 ||
                        f.lanes == 32 || s.empty(),
                    "SERRATE_CUDA_SCHEDULE: expected lanes, lanes2 ... lanes32, binned, cut, "
                    "warps, memory or many, got '{}'",
                    s);
  return f;
}

}  // namespace serrate::cuda
