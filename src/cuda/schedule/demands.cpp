// Values, places and frames of a walk, visited as the emitter writes them: see demands.h.
#include "cuda/schedule/demands.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "cuda/schedule/ranked.h"
#include "cuda/schedule/source.h"
#include "graph/evaluate.h"
#include "graph/store.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// How an item's index in its list is known.
constexpr int kKnown = -1, kUnknown = -2;  // else the number of the frame whose items are counted

/// A place in a space: a cursor without text.
struct Place {
  SpaceRef space;
  const Place* owner = nullptr;
  std::vector<const Place*> links{};
  int index = kKnown;
};

class Finder {
 public:
  /// `counted`: the frame that a kernel counts, or -1.
  Finder(const Nest& nest, const WalkShape* walk, int counted)
      : nest_(nest), walk_(walk), counted_(counted) {}

  Demands walk() {
    const SpaceRef& root = frame(walk_->group.root).space;
    const Place& unit_place = place({unit()});
    body(walk_->group.root, walk_->shares_root ? each(root, unit_place, true) : stored(root));
    return std::move(found_);
  }
  Demands over_unit() {
    const Place& k = place({unit()});
    for (const Column* c : frame(0).checks) value(ColumnRef(c), k);
    for (const Nest::Output& o : nest_.outputs()) {
      if (o.frame == 0 && !o.histogram) value(o.column, k);
    }
    return std::move(found_);
  }

 private:
  const Frame& frame(int f) const { return nest_.frames()[static_cast<size_t>(f)]; }
  bool counts() const { return counted_ >= 0; }
  bool is_walked(int f) const { return walk_->group.walks[static_cast<size_t>(f)]; }
  bool is_ours(int f) const {
    return std::ranges::find(walk_->group.frames, f) != walk_->group.frames.end();
  }
  bool is_appended(int f) const {
    return std::ranges::find(walk_->appended, f) != walk_->appended.end();
  }

  const Place& place(Place k) { return places_.emplace_back(std::move(k)); }
  void ask_index(const Place& k) {
    if (k.index == kUnknown) found_.order = true;
    if (k.index >= 0 && std::ranges::find(found_.positions, k.index) == found_.positions.end())
      found_.positions.push_back(k.index);
  }
  /// The row that a failed check tells, if it can be told there.
  void ask_row(const Place& k) {
    const Place* c = &k;
    while (c->space->depth > 1 && c->owner != nullptr) c = c->owner;
    if (c->space->depth == 1 && c->space->kind != SpaceKind::rows && c->index >= 0) ask_index(*c);
  }
  /// Of equal reductions the one that came first.
  const Column* first_like(const Column* c) {
    for (const Column* r : reductions_) {
      if (r == c || same(ColumnRef(r), ColumnRef(c))) return r;
    }
    return reductions_.emplace_back(c);
  }

  // -- places
  const Place& stored(const SpaceRef& s) {
    if (s->kind == SpaceKind::unit) return place({unit()});
    const Place& owner = stored(s->parent);
    return is_stored(s) ? place({s, &owner}) : at_index(s, owner);
  }
  const Place& at_index(const SpaceRef& s, const Place& owner) {
    if (s->kind != SpaceKind::rows) value(s->starts, owner);
    return place({s, &owner});
  }
  void length(const SpaceRef& s, const Place& owner);
  const Place& ranked(const SpaceRef& s, const Place& owner);
  const Place& tuple(const SpaceRef& s, const Place& owner, bool shared);
  /// An item of the list that `owner` has: of a loop that threads share, or behind another item.
  const Place& each(const SpaceRef& s, const Place& owner, bool shared,
                    const Place* after = nullptr);

  // -- values
  void value(const ColumnRef& c, const Place& k);
  void picked(const SpaceRef& over, const ColumnRef& c, const Place& owner) {
    value(c, each(over, owner, false));
  }
  void update(const Column& c, const Place& item);

  // -- frames
  bool leads_to_counted(int f) const;
  void body(int f, const Place& k);
  void child(int c, int f, const Place& k);
  void collect(int c, int into, std::vector<const Column*>& out);
  void count_filters(int c, int f);
  void filtered(int c, const Place& k);
  void sinks(int f, const Place& k);

  const Nest& nest_;
  const WalkShape* const walk_;
  const int counted_;
  Demands found_;
  std::deque<Place> places_;
  std::vector<const Column*> reductions_;
  std::set<std::pair<const Column*, const Place*>> seen_, folded_;
  std::deque<std::pair<SpaceRef, ColumnRef>> counts_;  // of derived lists
  std::set<int> counters_;  // filters that count as their owner's list is walked
};

void Finder::length(const SpaceRef& s, const Place& owner) {
  if (s->kind == SpaceKind::combinations && is_ranked(*s)) return length(s->bases[0], owner);
  if (s->kind == SpaceKind::cartesian || (s->kind == SpaceKind::aligned && is_ranked(*s))) {
    for (const SpaceRef& b : s->bases) length(b, owner);
    return;
  }
  const SpaceRef* const joined = joined_items(*s);
  if (joined != nullptr && size_at_hand(*joined) >= 0) return;
  if (!is_plain(*s)) {
    for (const auto& [space, n] : counts_) {
      if (space == s) return value(n, owner);
    }
    return value(counts_.emplace_back(s, count(s)).second, owner);
  }
  if (s->kind != SpaceKind::list) return;
  value(s->stops, owner);
  value(s->starts, owner);
}

const Place& Finder::ranked(const SpaceRef& s, const Place& owner) {
  if (is_plain(*s)) return at_index(s, owner);
  Place k{s, &owner};
  if (s->kind == SpaceKind::aligned) ask_row(owner);
  for (const SpaceRef& b : s->bases) length(b, owner);
  const bool combinations = s->kind == SpaceKind::combinations;
  for (size_t i = 0; i < (combinations ? static_cast<size_t>(s->k) : s->bases.size()); i++)
    k.links.push_back(&at_index(s->bases[combinations ? 0 : i], owner));
  return place(std::move(k));
}

const Place& Finder::tuple(const SpaceRef& s, const Place& owner, bool shared) {
  const bool combinations = s->kind == SpaceKind::combinations;
  Place k{s, &owner};
  for (size_t m = 0; m < static_cast<size_t>(s->k); m++) {
    const Place* const after = combinations && m > 0 ? k.links.back() : nullptr;
    k.links.push_back(&each(s->bases[combinations ? 0 : m], owner, shared && m == 0, after));
  }
  if (shared) {
    // Those before the ones with its first item can be counted only of lists found by number.
    const bool plain = std::ranges::all_of(s->bases, [](const auto& b) { return is_plain(*b); });
    if (k.links.empty() || k.links[0]->index != kKnown || !plain) k.index = kUnknown;
    if (k.index == kKnown) {
      for (const SpaceRef& b : s->bases) length(b, owner);
    }
  }
  return place(std::move(k));
}

const Place& Finder::each(const SpaceRef& s, const Place& owner, bool shared, const Place* after) {
  if (after != nullptr && !is_plain(*s) && s->kind != SpaceKind::select) {
    const Place& item = each(s, owner, shared);
    ask_index(item);
    ask_index(*after);
    return item;
  }
  switch (s->kind) {
    case SpaceKind::rows:
    case SpaceKind::list:
    case SpaceKind::fixed:
      if (s->kind != SpaceKind::rows) value(s->starts, owner);
      length(s, owner);
      return place({s, &owner});
    case SpaceKind::select: {
      const Place& base =
          each(s->bases[0], owner, shared, after != nullptr ? after->links[0] : nullptr);
      value(s->predicate, base);
      const bool counts = after != nullptr ? after->index != kUnknown : !shared;
      return place({s, base.owner, {&base}, counts ? kKnown : kUnknown});
    }
    case SpaceKind::flat: {
      const Place& list = each(s->bases[0]->parent, owner, shared);
      const Place& item = each(s->bases[0], list, false);
      return place({s, &owner, {&item}, shared ? kUnknown : kKnown});
    }
    case SpaceKind::combinations:
      if (shared && is_ranked(*s)) return ranked(s, owner);
      return tuple(s, owner, shared);
    case SpaceKind::cartesian:
      return tuple(s, owner, shared);
    case SpaceKind::aligned: {
      Place k{s, &owner};
      ask_row(owner);
      for (const SpaceRef& b : s->bases) {
        length(b, owner);
        k.links.push_back(is_plain(*b) ? &at_index(b, owner) : nullptr);
      }
      return place(std::move(k));
    }
    case SpaceKind::unit:
      break;
  }
  return place({s, &owner});
}

void Finder::value(const ColumnRef& c, const Place& k) {
  if (!c || c->kind == ColumnKind::constant) return;
  if (c->kind == ColumnKind::reduce && folded_.contains({first_like(c.get()), &k})) return;
  if (!seen_.emplace(c.get(), &k).second) return;
  switch (c->kind) {
    case ColumnKind::local:
      return ask_index(c->link < 0 ? k : *k.links[static_cast<size_t>(c->link)]);
    case ColumnKind::parent:
      return value(c->args[0], *k.owner);
    case ColumnKind::at: {
      const auto link = static_cast<size_t>(c->link);
      if (k.links[link] != nullptr) return value(c->args[0], *k.links[link]);
      ask_index(k);
      return picked(k.space->bases[link], c->args[0], *k.owner);
    }
    case ColumnKind::pick: {
      value(c->args[2], k);
      value(c->args[1], k);
      if (nest_.carrier(*c) != nullptr) return;  // with the index
      const Place* owner = &k;
      while (owner->space->depth >= c->over->depth) owner = owner->owner;
      return picked(c->over, c->args[0], *owner);
    }
    case ColumnKind::reduce: {
      if (k.space->kind == SpaceKind::unit) return found_.unit.push_back(c);
      if (is_count_of_ranked(*c)) return length(c->over, k);
      return update(*c, each(c->over, k, false));
    }
    default:
      if (c->kind == ColumnKind::check) ask_row(k);
      for (const ColumnRef& a : c->args) value(a, k);
  }
}

void Finder::update(const Column& c, const Place& item) {
  value(c.args[1], item);
  value(c.args[0], item);
  if (!has_index(c)) return;
  ask_index(item);
  for (const Column* pick : nest_.carried(c)) value(pick->args[0], item);
}

bool Finder::leads_to_counted(int f) const {
  const auto leads = [&](int c) { return leads_to_counted(c); };
  return f == counted_ || std::ranges::any_of(frame(f).children, leads) ||
         std::ranges::any_of(frame(f).filters, leads);
}

void Finder::body(int f, const Place& k) {
  const auto is_needed = [&](int c) { return is_walked(c) && (!counts() || leads_to_counted(c)); };
  for (int c : frame(f).children) {
    if (is_needed(c)) child(c, f, k);
  }
  for (int c : frame(f).filters) {
    if (is_needed(c)) filtered(c, k);
  }
  if (!counts() && is_ours(f)) sinks(f, k);
}

void Finder::collect(int c, int into, std::vector<const Column*>& out) {
  if (walk_->group.sinks != Sinks::appended && is_ours(c)) {
    for (const Fold& x : frame(c).folds) {
      if (x.into == into) out.push_back(first_like(x.column));
    }
  }
  for (int inner : frame(c).children) collect(inner, into, out);
  for (int inner : frame(c).filters) collect(inner, into, out);
}

void Finder::count_filters(int c, int f) {
  for (int x : frame(c).filters) {
    if (!is_walked(x)) continue;
    if (frame(x).parent == f) counters_.insert(x);
    count_filters(x, f);
  }
  for (int x : frame(c).children) {
    if (is_walked(x)) count_filters(x, f);
  }
}

void Finder::child(int c, int f, const Place& k) {
  std::vector<const Column*> folds;
  if (!counts()) collect(c, f, folds);
  int seen = f;  // by all threads of the root's item?
  while (seen != walk_->group.root && frame(seen).inside >= 0) seen = frame(seen).inside;
  const bool shared = walk_->lanes > 1 && seen == walk_->group.root;
  const auto in_order = [&](const Column* x) { return order_matters(nest_, *x); };
  if (shared && std::ranges::any_of(folds, in_order)) found_.order = true;
  if (walk_->counts_items) count_filters(c, f);
  body(c, each(frame(c).space, k, shared));
  for (const Column* x : folds) folded_.emplace(x, &k);
}

void Finder::filtered(int c, const Place& k) {
  const SpaceRef& s = frame(c).space;
  // Along axis 0 the index is the position in the output; below, the owner's loop counts.
  int index = counters_.contains(c) ? kKnown : kUnknown;
  if (is_appended(c) && s->depth == 1) index = counts() ? c : kKnown;
  if (s->kind == SpaceKind::flat) {
    const Place* owner = &k;
    while (owner->space->depth > s->depth - 1) owner = owner->owner;
    if (index == kUnknown && s->depth == 1 && is_stored(s->bases[0])) index = kKnown;
    return body(c, place({s, owner, {&k}, index}));
  }
  value(s->predicate, k);
  body(c, place({s, k.owner, {&k}, index}));
}

void Finder::sinks(int f, const Place& k) {
  const Sinks which = walk_->group.sinks;
  if (which != Sinks::appended) {
    for (const Column* c : frame(f).checks) value(ColumnRef(c), k);
    for (const Fold& x : frame(f).folds) update(*x.column, k);
  }
  for (const Nest::Output& o : nest_.outputs()) {
    const bool appended = !o.histogram && known_size(o.space) < 0;
    if (o.frame != f || (which == Sinks::appended && !appended) ||
        (which == Sinks::but_appended && appended))
      continue;
    if (!o.histogram) {
      value(o.column, k);
      continue;
    }
    value(o.column->args[0], k);
    value(o.column->args[1], k);
  }
}

}  // namespace

Demands demands_of(const Nest& nest, const WalkShape& walk) {
  return Finder(nest, &walk, -1).walk();
}

Demands demands_of_count(const Nest& nest, const WalkShape& walk, int frame) {
  return Finder(nest, &walk, frame).walk();
}

Demands demands_of_unit(const Nest& nest) { return Finder(nest, nullptr, -1).over_unit(); }

}  // namespace serrate::cuda
