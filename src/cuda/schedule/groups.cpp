// Which frames become one kernel: see groups.h.
#include "cuda/schedule/groups.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "cuda/schedule/facts.h"
#include "cuda/schedule/ranked.h"
#include "cuda/schedule/source.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace graph;

namespace {

class Needs {
 public:
  explicit Needs(Nest& nest) : nest_(nest) {}

  /// Frames whose reductions the sinks of frame f read, but for its own.
  std::vector<int> of(int f) {
    needs_.clear();
    seen_.clear();
    const Frame& fr = nest_.frames()[f];
    for (const Column* c : fr.stores) look(ColumnRef(c), f, f);
    for (const Column* c : fr.checks) look(ColumnRef(c), f, f);
    for (const Fold& x : fr.folds) {
      for (const auto& a : x.column->args) look(a, f, f);
    }
    for (const Column* c : fr.histograms) {
      for (const auto& a : c->args) look(a, f, f);
    }
    for (int g = f; g > 0; g = container(nest_, g)) {
      const Frame& up = nest_.frames()[g];
      look(up.space->starts, up.parent, f);
      look(up.space->stops, up.parent, f);
      if (up.inside >= 0) look(up.space->predicate, up.inside, f);
    }
    return needs_;
  }

 private:
  void look(const ColumnRef& c, int at, int from) {
    if (!c || c->kind == ColumnKind::constant) return;
    if (std::find(seen_.begin(), seen_.end(), std::pair{c.get(), at}) != seen_.end()) return;
    seen_.emplace_back(c.get(), at);
    const Frame& fr = nest_.frames()[at];
    switch (c->kind) {
      case ColumnKind::parent:
        look(c->args[0], fr.parent, from);
        break;
      case ColumnKind::at:
        if (fr.inside >= 0) {
          look(c->args[0], fr.inside, from);
        } else if (!fr.bases.empty()) {
          const bool one = fr.space->kind == SpaceKind::combinations;
          look(c->args[0], fr.bases[one ? 0 : static_cast<size_t>(c->link)], from);
        }
        break;
      case ColumnKind::reduce:
        if (at != from && at != 0) needs_.push_back(at);
        break;
      case ColumnKind::pick:
        if (nest_.carrier(*c) == nullptr) look(c->args[0], at, from);
        look(c->args[1], at, from);
        look(c->args[2], at, from);
        break;
      default:
        for (const auto& a : c->args) look(a, at, from);
    }
  }

  Nest& nest_;
  std::vector<int> needs_;
  std::vector<std::pair<const Column*, int>> seen_;
};

}  // namespace

int container(const Nest& nest, int f) {
  const Frame& fr = nest.frames()[f];
  return fr.inside >= 0 ? fr.inside : fr.parent;
}

bool is_above(const Nest& nest, int above, int f) {
  for (int g = f; g > 0; g = container(nest, g)) {
    if (g == above) return true;
  }
  return false;
}

void add_path(const Nest& nest, Group& g, int f) {
  if (!is_above(nest, g.root, f)) throw std::logic_error("cuda: a frame is not in its walk");
  for (int w = f; w != container(nest, g.root); w = container(nest, w))
    g.walks[static_cast<size_t>(w)] = true;
}

bool are_lengths(const Nest::Output& o, const Frame& f) {
  return o.lengths && o.frame == f.parent && same(o.column, count(f.space));
}

namespace {

/// Are all lists of an owner's items of one length, as its own columns say it?
bool is_told_by_owner(const Space& s) {
  const auto is_owners = [](const ColumnRef& c) {
    return c->kind == ColumnKind::constant || c->kind == ColumnKind::parent;
  };
  return s.kind == SpaceKind::list && is_owners(s.starts) && is_owners(s.stops);
}

}  // namespace

bool has_one_length(const Nest& nest, const Frame& f) {
  if (f.inside >= 0 || f.parent <= 0 || !is_told_by_owner(*f.space)) return false;
  const Frame& between = nest.frames()[static_cast<size_t>(f.parent)];
  return between.inside < 0 && between.parent > 0 && between.space->kind == SpaceKind::list &&
         is_stored(between.space);
}

std::vector<int> balanced_path(const Nest& nest, int root, int appended) {
  const auto frame = [&](int f) -> const Frame& { return nest.frames()[static_cast<size_t>(f)]; };
  std::vector<int> path;
  for (int f = appended; f != root; f = container(nest, f)) {
    if (f <= 0) return {};
    path.insert(path.begin(), f);
  }
  bool is_list = false;
  for (const int f : path) {
    const Space& s = *frame(f).space;
    if (frame(f).inside >= 0) {
      if (is_list || (s.kind != SpaceKind::select && s.kind != SpaceKind::flat)) return {};
      continue;
    }
    const bool is_equal = s.kind == SpaceKind::fixed || is_told_by_owner(s);
    if (!is_ranked(s) || (is_list && !is_equal)) return {};
    is_list = true;
  }
  return is_list ? path : std::vector<int>();
}

namespace {

/// The outermost frame that a frame must be walked with.
int root_for(const Nest& nest, int f, const std::vector<int>& required) {
  int root = f;
  while (container(nest, root) != 0) {
    const Frame& r = nest.frames()[root];
    const bool stands_alone = r.inside < 0 && is_numbered(r.space);
    const bool reached = std::none_of(required.begin(), required.end(),
                                      [&](int g) { return g != root && is_above(nest, g, root); });
    if (stands_alone && reached) break;
    root = container(nest, root);
  }
  return root;
}

/// Does a column ask for more of a position than what is stored at it?
bool names_owner(const Column* c, std::unordered_set<const Column*>& seen) {
  if (!c || c->kind == ColumnKind::constant || !seen.insert(c).second) return false;
  if (c->kind == ColumnKind::parent || c->kind == ColumnKind::local || c->kind == ColumnKind::pick)
    return true;
  return c->kind != ColumnKind::reduce && std::ranges::any_of(c->args, [&](const ColumnRef& a) {
           return names_owner(a.get(), seen);
         });
}

/// Owners of items are searched for, step by step; of many lists of similar lengths it is better to
/// walk the lists.
bool is_walked_by_owners(const Nest& nest, const Frame& f) {
  if (f.inside >= 0 || container(nest, f.id) == 0) return false;
  if (container(nest, container(nest, f.id)) != 0 || f.space->kind != SpaceKind::list) return false;
  const Facts facts = facts_of(f.space);
  const bool many = facts.average > 0 && facts.items > 1024 * facts.average;
  const bool even = facts.longest >= 0 && facts.longest <= std::max(32.0, 6 * facts.average);
  std::unordered_set<const Column*> seen;
  return many && even &&
         std::ranges::any_of(f.stores, [&](const Column* c) { return names_owner(c, seen); });
}

/// Lists of one length, and what says that length, are written by one walk over their owners.
bool is_balanced_by_owners(const Nest& nest, const Frame& f) {
  if (f.stores.empty() || !f.folds.empty()) return false;
  if (has_one_length(nest, f)) return known_size(f.space) < 0;
  if (f.stores.size() != 1 || f.children.size() != 1) return false;
  const Frame& inner = nest.frames()[static_cast<size_t>(f.children[0])];
  return has_one_length(nest, inner) &&
         std::ranges::any_of(nest.outputs(),
                             [&](const Nest::Output& o) { return are_lengths(o, inner); });
}

Group make_group(const Nest& nest, int root) {
  Group g;
  g.root = root;
  g.walks.assign(nest.frames().size(), false);
  g.items = container(nest, root) != 0;
  int top = root;
  while (container(nest, top) != 0) top = container(nest, top);
  g.time = nest.frames()[top].time;
  return g;
}

}  // namespace

std::vector<Group> stores_groups(Nest& nest, const std::vector<int>& frames) {
  Needs needs(nest);
  std::vector<int> roots;
  for (int f : frames) roots.push_back(root_for(nest, f, needs.of(f)));
  std::vector<Group> groups;
  for (size_t i = 0; i < frames.size(); i++) {
    int root = roots[i];
    for (int other : roots) {
      if (is_above(nest, other, root)) root = other;
    }
    auto g = std::ranges::find_if(groups, [&](const Group& x) { return x.root == root; });
    if (g == groups.end()) {
      g = groups.insert(g, make_group(nest, root));
      g->sinks = Sinks::appended;
    }
    g->frames.push_back(frames[i]);
    add_path(nest, *g, frames[i]);
  }
  return groups;
}

namespace {

/// Is something left of a group? Folds into owners are walked by whoever reads them.
bool has_sinks(const Nest& nest, const Group& g) {
  return !g.unit_folds.empty() || std::ranges::any_of(g.frames, [&](int f) {
    const Frame& fr = nest.frames()[static_cast<size_t>(f)];
    return !fr.stores.empty() || !fr.histograms.empty() || !fr.checks.empty();
  });
}

}  // namespace

std::vector<Group> group(Nest& nest) {
  const auto& frames = nest.frames();
  std::vector<Group> groups;
  Needs needs(nest);
  for (const Frame& f : frames) {
    if (f.id == 0 ||
        (f.stores.empty() && f.folds.empty() && f.histograms.empty() && f.checks.empty()))
      continue;
    std::vector<int> required = needs.of(f.id);
    for (const Fold& x : f.folds) {
      if (x.into != 0) required.push_back(x.into);
    }
    int root = root_for(nest, f.id, required);
    const bool by_owners = root == f.id && is_walked_by_owners(nest, f);
    if (by_owners || (container(nest, root) != 0 && is_balanced_by_owners(nest, f)))
      root = container(nest, root);
    auto g =
        std::find_if(groups.begin(), groups.end(), [&](const Group& x) { return x.root == root; });
    if (g == groups.end()) {
      g = groups.insert(groups.end(), make_group(nest, root));
    }
    g->frames.push_back(f.id);
    add_path(nest, *g, f.id);
    for (const Fold& x : f.folds) {
      if (x.into == 0) g->unit_folds.push_back(x);
    }
  }
  std::erase_if(groups, [&](const Group& g) { return !has_sinks(nest, g); });
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.time < b.time; });
  return groups;
}

}  // namespace serrate::cuda
