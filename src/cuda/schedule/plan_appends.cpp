// Items of unknown number: which frames are counted, by which schedule, and where offsets of their
// lists take the place of outputs.
#include <algorithm>

#include "core/seams.h"
#include "cuda/schedule/planner.h"
#include "cuda/schedule/ranked.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

std::vector<int> Planner::appended_frames(const Group& g) const {
  std::vector<int> out;
  if (g.sinks == Sinks::but_appended) return out;
  for (int f : g.frames) {
    for (size_t i = 0; i < is_known_.size(); i++) {
      if (nest_.outputs()[i].frame != f || is_known_[i]) continue;
      out.push_back(f);
      break;
    }
  }
  return out;
}

bool Planner::is_counted(const Draft& d, const Frame& f) {
  return d.keeps_order && walks(d.group, f.id) && f.inside >= 0 && f.space->depth == 1;
}

std::vector<Counted> Planner::counted_frames(const Draft& d) const {
  const std::vector<int> appended = appended_frames(d.group);
  std::vector<Counted> out;
  for (const Frame& f : nest_.frames()) {
    if (!walks(d.group, f.id)) continue;
    if (is_counted(d, f) || std::ranges::find(appended, f.id) != appended.end())
      out.push_back({f.id});
  }
  return out;
}

Schedule Planner::choose_append(const Draft& d, std::vector<Counted>& counted) const {
  const Group& g = d.group;
  const bool plain = is_plain(*root_of(g).space);
  if (d.kept < 0 && is_few(g) && appended_frames(g).size() <= static_cast<size_t>(seams().totals)) {
    use_offsets_in_block(d, counted);
    return AppendInOneBlock{plain && can_balance(d, counted, true)};
  }
  std::vector<Counted> offsets = counted;
  if (plain && d.kept < 0) {
    use_offsets(d, offsets);
    if (can_balance(d, offsets, false)) {
      counted = std::move(offsets);
      return AppendLoadBalanced{};
    }
  }
  if (counted.size() == 1 && (g.items || are_filtered_rows(d, counted[0].frame))) {
    counted[0].lengths = d.kept;
    return AppendPerWarp{d.kept};
  }
  // A thread takes a few items one after the other.
  if (g.items) return AppendPerBlock{8};
  if (!plain) return AppendPerBlock{1};
  counted = std::move(offsets);
  return AppendPerList{};
}

/// Is all that is walked the rows of the walk, of which some are appended?
bool Planner::are_filtered_rows(const Draft& d, int appended) const {
  const Frame& root = root_of(d.group);
  if (d.keeps_order || root.space->kind != SpaceKind::rows || frame(appended).inside != root.id)
    return false;
  return std::ranges::all_of(nest_.frames(), [&](const Frame& f) {
    return !walks(d.group, f.id) || f.id == root.id || f.id == appended;
  });
}

/// Where lists of appended items belong to the walk's own items, their lengths need no output.
void Planner::use_offsets(const Draft& d, std::vector<Counted>& counted) const {
  const Frame& root = root_of(d.group);
  // Another walk may have written them already.
  if (!has(d.group, root.id) || d.group.sinks == Sinks::appended) return;
  int at_root = 0, which = -1;
  for (size_t i = 0; i < nest_.outputs().size(); i++) {
    if (nest_.outputs()[i].frame != root.id) continue;
    at_root++;
    which = static_cast<int>(i);
  }
  if (at_root != 1) return;
  for (Counted& x : counted) {
    if (!are_lengths(nest_.outputs()[static_cast<size_t>(which)], frame(x.frame))) continue;
    x.lengths = which;
    return;
  }
}

/// The same of lists whose owners are the walk's own items, or counted ones themselves.
void Planner::use_offsets_in_block(const Draft& d, std::vector<Counted>& counted) const {
  std::vector<bool> used(nest_.outputs().size(), false);
  const auto is_appended = [&](int f) {
    return std::ranges::any_of(counted, [&](const Counted& x) { return x.frame == f; });
  };
  for (Counted& x : counted) {
    const Frame& f = frame(x.frame);
    const bool at_root = f.parent == d.group.root;
    // Another walk may have written those of the root already.
    if (at_root ? d.group.sinks == Sinks::appended || !is_plain(*root_of(d.group).space)
                : !is_appended(f.parent))
      continue;
    if (!has(d.group, f.parent)) continue;
    int others = 0, which = -1;
    for (size_t i = 0; i < used.size(); i++) {
      const Nest::Output& o = nest_.outputs()[i];
      if (o.frame != f.parent) continue;
      const bool is_it = !used[i] && are_lengths(o, f);
      is_it ? which = static_cast<int>(i) : others++;
    }
    // Others may ask for what is not folded then.
    if (which < 0 || (!is_ranked(*f.space) && others > 0)) continue;
    // Nobody counts lists whose number is known.
    if (!at_root && is_known_[static_cast<size_t>(which)]) continue;
    x.lengths = which;
    x.owner = at_root ? -1 : f.parent;
    used[static_cast<size_t>(which)] = true;
  }
}

bool Planner::can_balance(const Draft& d, const std::vector<Counted>& counted,
                          bool in_block) const {
  const Group& g = d.group;
  if (counted.size() != 1 || d.keeps_order || forced_.lanes > 0) return false;
  const Frame& appended = frame(counted[0].frame);
  if (!is_numbered(root_of(g).space)) return false;
  const std::vector<int> path = balanced_path(nest_, g.root, appended.id);
  if (path.empty() || (in_block && (g.items || path.size() > 1))) return false;
  const auto is_inside = [&](int f) { return is_above(nest_, appended.id, f); };
  const auto is_on_path = [&](int f) { return std::ranges::find(path, f) != path.end(); };
  for (const Frame& other : nest_.frames()) {
    if (!walks(g, other.id) || other.id == g.root || is_on_path(other.id)) continue;
    if (in_block || !is_inside(other.id)) return false;
  }
  // Of the lists between nothing is written but their lengths, once.
  int lengths = 0;
  for (const Nest::Output& o : nest_.outputs()) {
    if (o.frame == appended.id || !has(g, o.frame) || !is_on_path(o.frame)) continue;
    if (path.size() != 2 || !has_one_length(nest_, appended) || !are_lengths(o, appended) ||
        ++lengths > 1)
      return false;
  }
  const int told = in_block ? -1 : counted[0].lengths;
  const auto needs_no_fold = [&](const Fold& x) {
    return is_count_of_ranked(*x.column) || is_inside(x.into) ||
           (told >= 0 &&
            same(nest_.outputs()[static_cast<size_t>(told)].column, ColumnRef(x.column)));
  };
  return std::ranges::all_of(g.frames, [&](int f) {
    return frame(f).histograms.empty() && frame(f).checks.empty() &&
           std::ranges::all_of(frame(f).folds, needs_no_fold);
  });
}

}  // namespace serrate::cuda
