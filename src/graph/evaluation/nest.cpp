// From demanded columns to frames: see nest.h.
#include "graph/nest.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "graph/evaluation/picks.h"
#include "graph/extremes.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

/// The later of two times each, byte by byte; what is not there is 0.
void raise(std::string& t, const std::string& by) {
  if (t.size() < by.size()) t.resize(by.size());
  for (size_t j = 0; j < by.size(); j++)
    t[j] = std::max(t[j], by[j], [](char a, char b) {
      return static_cast<uint8_t>(a) < static_cast<uint8_t>(b);
    });
}

void raise_at(Times& t, const Times& by, int depth) {
  const auto d = static_cast<size_t>(depth);
  t.at[d] = std::max(t.at[d], by.at[d]);
  if (d < by.inner.size() && !by.inner[d].empty()) raise(t.inner_at(depth), by.inner[d]);
}

void raise(Times& t, const Times& by, int levels) {
  for (int i = 0; i <= levels; i++) raise_at(t, by, i);
}

/// After walks at this depth, and inside those further out.
void raise_after(Times& t, const Times& walks, int depth) {
  raise(t, walks, depth - 1);
  const auto d = static_cast<size_t>(depth);
  t.at[d] = std::max(t.at[d], static_cast<uint8_t>(walks.at[d] + 1));
}

/// Times beyond its own depth that a space keeps in `inner`.
int inner_length(const Space& s) {
  if (s.kind == SpaceKind::flat)
    return inner_length(*s.bases[0]->parent) + 1 + inner_length(*s.bases[0]);
  return s.kind == SpaceKind::select ? inner_length(*s.bases[0]) : 0;
}

/// Times of a column over the base of a flat space, as seen from the flat space, and back.
Times squash(const Space& s, Times t) {
  const int d = s.depth, n = inner_length(*s.bases[0]->parent);
  check<ValueError>(n + 1 + inner_length(*s.bases[0]) < kMaxDepth,
                    "flatten: more than {} levels joined in one expression", kMaxDepth - 1);
  const std::string below = std::exchange(t.inner_at(d + 1), {});
  std::string& here = t.inner_at(d);
  here.resize(static_cast<size_t>(n));
  here += static_cast<char>(std::exchange(t.at[d + 1], uint8_t{0}));
  here += below;
  return t;
}

Times unsquash(const Space& s, Times t) {
  const int d = s.depth;
  const auto n = static_cast<size_t>(inner_length(*s.bases[0]->parent));
  std::string& here = t.inner_at(d);
  std::string below;
  t.at[d + 1] = n < here.size() ? static_cast<uint8_t>(here[n]) : uint8_t{0};
  if (n + 1 < here.size()) below = here.substr(n + 1);
  here.resize(std::min(n, here.size()));
  t.inner_at(d + 1) = std::move(below);
  return t;
}

/// Whether walks at these times are the same ones.
bool same_walks(const Times& a, const Times& b) { return a.at == b.at && a.inner == b.inner; }

bool is_inside_kind(const Space& s) {
  return s.kind == SpaceKind::select || s.kind == SpaceKind::flat;
}

}  // namespace

const Times& Nest::times(const SpaceRef& s) {
  static const Times& at_once = *new Times;
  if (s->kind == SpaceKind::unit) return at_once;
  if (const auto* known = times_.find(s.get())) return **known;
  Times t;
  check<ValueError>(s->depth < kMaxDepth, "more than {} levels of nesting in one expression",
                    kMaxDepth - 1);
  t = times(s->parent);
  const int d = s->depth;
  if (const SpaceRef lists = repeated_lists(s)) {
    raise_after(t, times(lists), lists->depth);
    return keep(s.get(), t);
  }
  auto bound = [&](const ColumnRef& c) {
    if (!c || !c->space) return;
    const Times& b = times(c);
    raise(t, b, d - 1);
    t.at[d] = std::max(t.at[d], b.ready);
  };
  bound(s->starts);
  bound(s->stops);
  for (const auto& b : s->bases) {
    const Times bt = s->kind == SpaceKind::flat ? squash(*s, times(b)) : times(b);
    raise(t, bt, d);
  }
  if (s->predicate && s->predicate->space) raise(t, times(s->predicate), d);
  return keep(s.get(), t);
}

const Times& Nest::keep(const void* space_or_column, const Times& t) {
  all_times_.push_back(t);
  return *times_.set(space_or_column, &all_times_.back());
}

const Times& Nest::times(const ColumnRef& c) {
  if (const auto* known = times_.find(c.get())) return **known;
  Times t;
  if (c->space && c->kind != ColumnKind::histogram) {
    const int d = c->space->depth;
    t = times(c->space);
    if (const ColumnRef of_lists = once(c)) {
      if (of_lists->space) raise_after(t, times(of_lists), of_lists->space->depth);
      return keep(c.get(), t);
    }
    switch (c->kind) {
      case ColumnKind::parent: {
        if (c->args[0]->space) {
          const Times p = times(c->args[0]);
          raise(t, p, d - 1);
          t.at[d] = std::max(t.at[d], p.ready);
        }
        break;
      }
      case ColumnKind::at: {
        if (c->args[0]->space) {
          const Times v = times(c->args[0]);
          raise(t, c->space->kind == SpaceKind::flat ? squash(*c->space, v) : v, d);
        }
        break;
      }
      case ColumnKind::pick: {
        for (int i = 1; i < 3; i++) {
          if (!c->args[i] || !c->args[i]->space) continue;
          const Times a = times(c->args[i]);
          raise(t, a, d);
          t.ready = std::max(t.ready, a.ready);
        }
        if (carrier(*c) != nullptr) break;  // known with the index
        const Times v = c->args[0]->space ? times(c->args[0]) : times(c->over);
        const int owner = c->over->depth - 1;
        raise(t, v, owner);
        const auto after = static_cast<uint8_t>(v.at[owner + 1] + 1);
        if (owner == d) {
          t.ready = std::max(t.ready, after);
        } else {
          t.at[owner + 1] = std::max(t.at[owner + 1], after);
        }
        break;
      }
      case ColumnKind::reduce: {
        Times v = times(c->over);
        for (int i = 0; i < 2; i++) {
          if (c->args[i] && c->args[i]->space) raise(v, times(c->args[i]), d + 1);
        }
        raise(t, v, d);
        t.ready = static_cast<uint8_t>(v.at[d + 1] + 1);
        break;
      }
      case ColumnKind::barrier:  // resolved before any walk
        break;
      default:
        for (const auto& a : c->args) {
          if (!a || !a->space) continue;
          const Times b = times(a);
          raise(t, b, d);
          t.ready = std::max(t.ready, b.ready);
        }
    }
  }
  return keep(c.get(), t);
}

int Nest::frame(const SpaceRef& s, const Times& t) {
  if (s->bases.empty()) return find_frame(s, t);
  // Bases may have bases that they share: each is looked for once.
  auto* known = derived_frames_.find(s.get());
  if (known == nullptr) known = &derived_frames_.set(s.get(), {});
  for (const auto& [times, id] : *known) {
    if (same_walks(times, t)) return id;
  }
  const int id = find_frame(s, t);
  derived_frames_.find(s.get())->emplace_back(t, id);
  return id;
}

int Nest::find_frame(const SpaceRef& s, const Times& t) {
  if (frames_.empty()) {
    frames_.reserve(8);
    demanded_.reserve(16);
    frames_.emplace_back();
    frames_[0].space = unit();
  }
  if (s->kind == SpaceKind::unit) return 0;
  const int d = s->depth;
  const int p = frame(s->parent, t);
  const int time = t.at[d];
  std::vector<int> bases;
  for (const auto& b : s->bases) {
    Times inner = t;
    if (s->kind == SpaceKind::flat) {
      inner = unsquash(*s, t);
    } else if (s->kind != SpaceKind::select) {
      const Times bt = times(b);
      inner.at[d] = bt.at[d];
      inner.inner_at(d) = Times(bt).inner_at(d);
    }
    bases.push_back(frame(b, inner));
  }
  for (const auto& f : frames_) {
    if (f.id != 0 && f.parent == p && f.time == time && f.bases == bases && same(f.space, s) &&
        repeats_.is_made(*f.space) == repeats_.is_made(*s))
      return f.id;
  }
  const int id = static_cast<int>(frames_.size());
  frames_.emplace_back();
  Frame& f = frames_.back();
  f.id = id;
  f.space = s;
  f.parent = p;
  f.time = time;
  if (static_cast<size_t>(d) < t.inner.size()) f.inner = t.inner[static_cast<size_t>(d)];
  for (const int b : bases) f.rank = std::max(f.rank, frames_[b].rank + 1);
  f.bases = std::move(bases);
  if (is_inside_kind(*s)) {
    f.inside = f.bases[0];
    frames_[f.inside].filters.push_back(id);
  } else {
    for (int b : f.bases) {
      make_whole(b);
    }
    frames_[p].children.push_back(id);
  }
  demand_space(id);
  return id;
}

void Nest::make_whole(int f) {
  if (f <= 0 || frames_[f].whole) return;
  frames_[f].whole = true;
  const int inside = frames_[f].inside;
  make_whole(inside);
  // All lists that a flat space joins, so all of their owners.
  if (frames_[f].space->kind == SpaceKind::flat) make_whole(frames_[inside].parent);
}

Times Nest::path(int f) const {
  Times t;
  for (int i = f; i > 0; i = frames_[i].parent) {
    t.at[frames_[i].space->depth] = static_cast<uint8_t>(frames_[i].time);
    if (!frames_[i].inner.empty()) t.inner_at(frames_[i].space->depth) = frames_[i].inner;
  }
  return t;
}

void Nest::demand_space(int f) {
  const SpaceRef s = frames_[f].space;
  const int p = frames_[f].parent;
  if (repeated_lists(s)) {
    const int lists = lists_frame(f, {});
    frames_[f].repeats = lists;
    return;
  }
  if (s->starts && s->starts->space) demand(s->starts, p);
  if (s->stops && s->stops->space) demand(s->stops, p);
  if (s->predicate && s->predicate->space) demand(s->predicate, frames_[f].inside);
}

int Nest::base_frame(int f, int link, const ColumnRef& c) {
  const Frame& fr = frames_[f];
  if (fr.inside >= 0) return fr.inside;
  const Space& s = *fr.space;
  const SpaceRef& base = s.bases[s.kind == SpaceKind::combinations ? 0 : static_cast<size_t>(link)];
  // The base's own walk, no earlier than the column is known; it comes before ours by rank.
  Times t = path(fr.parent);
  raise_at(t, times(base), base->depth);
  if (c && c->space) raise_at(t, times(c), base->depth);
  const int id = frame(base, t);
  make_whole(id);
  return id;
}

int Nest::pick_frame(int f, const Column& c) {
  int owner = f;
  while (frames_[owner].space->depth >= c.over->depth) owner = frames_[owner].parent;
  Times t = path(owner);
  raise_at(t, times(c.over), c.over->depth);
  if (c.args[0]->space) raise_at(t, times(c.args[0]), c.over->depth);
  const int id = frame(c.over, t);
  make_whole(id);
  return id;
}

int Nest::lists_frame(int f, const ColumnRef& c) {
  const SpaceRef lists = repeated_lists(frames_[f].space);
  Times t = path(frames_[frames_[f].parent].parent);
  raise_at(t, times(lists), lists->depth);
  if (c && c->space) raise_at(t, times(c), lists->depth);
  const int id = frame(lists, t);
  make_whole(id);
  return id;
}

std::pair<ColumnRef, int> Nest::repeated(const ColumnRef& c, int f) {
  if (f < 0 || frames_[f].repeats < 0) return {};
  ColumnRef of_lists = once(c);
  if (!of_lists) return {};
  const int lists = lists_frame(f, of_lists);
  return {std::move(of_lists), lists};
}

int Nest::fold_frame(int f, const ColumnRef& c) {
  Times t = path(f);
  Times v = times(c->over);
  const int d = c->over->depth;
  for (int i = 0; i < 2; i++) {
    if (c->args[i] && c->args[i]->space) raise(v, times(c->args[i]), d);
  }
  raise_at(t, v, d);
  return frame(c->over, t);
}

bool Nest::is_new(const Column* c, int f) {
  constexpr size_t kFew = 64;
  const std::pair<const Column*, int> wanted(c, f);
  if (demanded_.size() < kFew) {
    if (std::find(demanded_.begin(), demanded_.end(), wanted) != demanded_.end()) return false;
  } else {
    if (many_demanded_.empty()) many_demanded_.insert(demanded_.begin(), demanded_.end());
    if (!many_demanded_.insert(wanted).second) return false;
  }
  demanded_.push_back(wanted);
  return true;
}

void Nest::demand(const ColumnRef& c, int f) {
  if (!c || c->kind == ColumnKind::constant) return;
  if (!is_new(c.get(), f)) return;
  if (const auto [of_lists, lists] = repeated(c, f); of_lists) return demand(of_lists, lists);
  if (!has_long_picks_ && long_pick(*c).over) has_long_picks_ = true;
  switch (c->kind) {
    case ColumnKind::parent:
      demand(c->args[0], frames_[f].parent);
      break;
    case ColumnKind::at:
      demand(c->args[0], base_frame(f, c->link, c->args[0]));
      break;
    case ColumnKind::local:
      if (c->link >= 0) base_frame(f, c->link, {});
      break;
    case ColumnKind::pick: {
      const Column* const extreme = carrier(*c);
      if (extreme == nullptr) demand(c->args[0], pick_frame(f, *c));
      demand(c->args[1], f);
      demand(c->args[2], f);
      if (extreme != nullptr) demand_carried(*c, *extreme, f);
      break;
    }
    case ColumnKind::reduce: {
      const int into = f;
      const int from = fold_frame(f, c);
      demand(c->args[0], from);
      demand(c->args[1], from);
      frames_[from].folds.push_back({c.get(), into});
      break;
    }
    case ColumnKind::histogram:
    case ColumnKind::barrier:
      needs_fills_ = true;
      break;
    default:
      for (const auto& a : c->args) demand(a, f);
  }
}

int Nest::store(const ColumnRef& c, const SpaceRef& space, bool lengths) {
  for (size_t i = 0; i < outputs_.size(); i++) {
    if (outputs_[i].column != c || outputs_[i].space != space) continue;
    outputs_[i].lengths &= lengths;
    return static_cast<int>(i);
  }
  Times t = times(space);
  if (c->space) raise(t, times(c), space->depth);
  const int f = frame(space, t);
  demand(c, f);
  frames_[f].stores.push_back(c.get());
  outputs_.push_back({c, space, f, false, lengths});
  return static_cast<int>(outputs_.size()) - 1;
}

int Nest::store_histogram(const ColumnRef& c) {
  for (size_t i = 0; i < outputs_.size(); i++) {
    if (outputs_[i].column == c) return static_cast<int>(i);
  }
  Times t = times(c->over);
  for (int i = 0; i < 2; i++) {
    if (c->args[i] && c->args[i]->space) raise(t, times(c->args[i]), c->over->depth);
  }
  const int f = frame(c->over, t);
  demand(c->args[0], f);
  demand(c->args[1], f);
  frames_[f].histograms.push_back(c.get());
  outputs_.push_back({c, c->space, f, true, false});
  return static_cast<int>(outputs_.size()) - 1;
}

void Nest::add_fold(const ColumnRef& c) {
  const auto is_same = [&](const ColumnRef& k) { return same(k, c); };
  if (std::any_of(added_folds_.begin(), added_folds_.end(), is_same))
    throw std::logic_error("a reduction of everything needs itself");
  added_folds_.push_back(c);
  demand(c, 0);
  finish();
}

void Nest::finish() {
  if (frames_.empty()) frame(unit(), {});
  for (auto& f : frames_) {
    std::sort(f.children.begin(), f.children.end(), [&](int a, int b) {
      const Frame &x = frames_[a], &y = frames_[b];
      return std::tie(x.time, x.rank, x.id) < std::tie(y.time, y.rank, y.id);
    });
    std::sort(f.filters.begin(), f.filters.end(), [&](int a, int b) {
      return std::tie(frames_[a].rank, a) < std::tie(frames_[b].rank, b);
    });
  }
}

int Nest::passes() const {
  return frames_.empty() ? 0 : static_cast<int>(frames_[0].children.size());
}

}  // namespace serrate::graph
