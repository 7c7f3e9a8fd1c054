// What is done at one item of a frame: see generator.h.
#include <algorithm>
#include <unordered_set>

#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

const Accumulator* Generator::find_fold(const Column* c, int into) const {
  for (const auto& [f, acc] : folds_) {
    if (f == into && acc.column == c) return &acc;
  }
  return nullptr;
}

void Generator::collect(int f, int into, std::vector<const Column*>& out) {
  const Frame& fr = nest_.frames()[f];
  if (walk_->group.sinks != Sinks::appended &&
      std::find(walk_->group.frames.begin(), walk_->group.frames.end(), f) !=
          walk_->group.frames.end()) {
    for (const Fold& x : fr.folds) {
      const Column* const column = e_.first_like(x.column);
      if (is_known(column)) continue;
      if (x.into == into && std::find(out.begin(), out.end(), column) == out.end())
        out.push_back(column);
    }
  }
  for (int c : fr.children) collect(c, into, out);
  for (int c : fr.filters) collect(c, into, out);
}

bool Generator::is_ours(int f) const {
  const auto& v = walk_->group.frames;
  return std::find(v.begin(), v.end(), f) != v.end();
}

bool Generator::is_seen_by_all(int f) const {
  while (f != walk_->group.root && nest_.frames()[f].inside >= 0) f = nest_.frames()[f].inside;
  return f == walk_->group.root;
}

const Append* Generator::append_of(int f) const {
  for (const Append& x : walk_->appends) {
    if (x.frame == f) return &x;
  }
  return nullptr;
}

std::string* Generator::position_of(int f) {
  for (auto& [frame, name] : positions_) {
    if (frame == f) return &name;
  }
  return nullptr;
}

void Generator::body(int f, Cursor& k, Scope& s) {
  const Frame& fr = nest_.frames()[f];
  const bool begins = f == walk_->group.root && walk_->per_item();
  if (begins) {
    for (size_t i = 0; i < positions_.size(); i++) {
      const Append& x = walk_->appends[i];
      Emitter::line(s, positions_[i].second + " = " +
                           (is_begun(x.level) ? x.begins + "[" + ordinal(k) + "]" : "0") + ";");
    }
  }
  const bool tells_lists = walk_->in_one_block() && !walk_->balanced() && !counts();
  if (tells_lists) begin_lists(f, k, s);
  const bool shares = is_seen_by_all(f) && walk_->lanes() > 1;
  for (int c : fr.children) {
    if (!is_walked(c)) continue;
    if (counts() && !leads_to_append(c)) continue;
    if (walk_->balanced())
      Emitter::line(s, positions_[0].second + " += " + balanced_length(c, k) + ";");
    else
      child(c, f, k, s, shares);
  }
  for (int c : fr.filters) {
    if (!is_walked(c)) continue;
    if (counts() && !leads_to_append(c)) continue;
    filtered(c, k, s);
  }
  if (tells_lists) end_lists(f, s);
  if (std::string* q = position_of(f)) {
    if (!counts() && is_ours(f)) sinks(f, k, s, *q);
    Emitter::line(s, "++" + *q + ";");
  } else if ((!counts() || walk_->balanced()) && is_ours(f)) {
    sinks(f, k, s, {});
  }
  if (!begins) return;
  for (size_t i = 0; i < positions_.size(); i++) {
    const Append& x = walk_->appends[i];
    if (x.level != counting_) continue;
    Emitter::line(s, x.counts + "[" + ordinal(k) + "] = " + positions_[i].second + ";");
  }
}

/// Is it counted without a walk, and folded by nobody?
bool Generator::is_known(const Column* c) const {
  if (std::find(unfolded_.begin(), unfolded_.end(), c) != unfolded_.end()) return true;
  return is_count_of_ranked(*c);
}

bool Generator::leads_to_append(int f) {
  if (const Append* x = append_of(f); x != nullptr && x->level == counting_) return true;
  const Frame& fr = nest_.frames()[f];
  return std::any_of(fr.children.begin(), fr.children.end(),
                     [&](int c) { return leads_to_append(c); }) ||
         std::any_of(fr.filters.begin(), fr.filters.end(),
                     [&](int c) { return leads_to_append(c); });
}

void Generator::child(int c, int f, Cursor& k, Scope& s, bool shares) {
  std::vector<const Column*> into;
  if (!counts()) collect(c, f, into);
  const size_t before = folds_.size();
  for (const Column* x : into) {
    folds_.push_back({f, e_.declare(x, s)});
  }
  const size_t after = folds_.size();  // the loops inside declare others there
  if (walk_->keeps_order) count_filters(c, f, s);
  const SpaceRef& space = nest_.frames()[c].space;
  if (shares) {
    Scope in = Emitter::inside(s);
    e_.each(space, k, in, Share{"lane", std::to_string(walk_->lanes())},
            [&](Cursor& item, Scope& inner) { body(c, item, inner); });
    Emitter::call(s, in);
    for (size_t i = before; i < after; i++) join_lanes(folds_[i].second, s);
  } else {
    e_.each(space, k, s, {}, [&](Cursor& item, Scope& inner) { body(c, item, inner); });
  }
  for (size_t i = before; i < after; i++)
    e_.remember(folds_[i].second.column, k, s, Emitter::result(folds_[i].second));
}

void Generator::count_filters(int c, int f, Scope& s) {
  for (int x : nest_.frames()[c].filters) {
    if (!is_walked(x)) continue;
    if (nest_.frames()[x].parent == f) counters_.emplace_back(x, e_.counter(s));
    count_filters(x, f, s);
  }
  for (int x : nest_.frames()[c].children) {
    if (is_walked(x)) count_filters(x, f, s);
  }
}

Text Generator::counter_of(int f) const {
  for (size_t i = counters_.size(); i-- > 0;) {
    if (counters_[i].first == f) return counters_[i].second;
  }
  return {};
}

void Generator::filtered(int c, Cursor& k, Scope& s) {
  const Frame& fr = nest_.frames()[c];
  const std::string* q = position_of(c);
  // Along axis 0 positions are those of the output; below, the owner's loop counts.
  const bool outermost = q != nullptr && fr.space->depth == 1;
  const Text local = !outermost ? counter_of(c) : is_begun(append_of(c)->level) ? Text(*q) : Text();
  const Text step = outermost ? "" : local;
  if (fr.space->kind == SpaceKind::flat) {
    Cursor* owner = &k;
    while (owner->space->depth > fr.space->depth - 1) owner = owner->owner;
    Cursor& item = e_.cursor(fr.space, owner, &s);
    item.links = {&k};
    const bool known = fr.space->depth == 1 && is_stored(fr.space->bases[0]);
    item.local = !local.empty() ? local : known ? ordinal(item) : Text();
    body(c, item, s);
    if (!step.empty()) Emitter::line(s, "++" + step + ";");
    return;
  }
  e_.filter(fr.space, k, s, step, [&](Cursor& item, Scope& inner) {
    item.local = local;
    body(c, item, inner);
  });
}

namespace {
/// Is something checked where a column is computed?
bool makes_checks(const ColumnRef& c, std::unordered_set<const Column*>& seen) {
  if (!c || c->kind == ColumnKind::constant || c->kind == ColumnKind::reduce) return false;
  if (c->kind == ColumnKind::check) return true;
  return seen.insert(c.get()).second &&
         std::ranges::any_of(c->args, [&](const ColumnRef& a) { return makes_checks(a, seen); });
}
}  // namespace

void Generator::sinks(int f, Cursor& k, Scope& s, const Text& q) {
  const Frame& fr = nest_.frames()[f];
  const Sinks which = walk_->group.sinks;
  const bool one_lane = is_seen_by_all(f) && walk_->lanes() > 1;
  if (which != Sinks::appended) {
    for (const Column* c : fr.checks) e_.value(ColumnRef(c), k, s);
  }
  std::vector<std::pair<const Column*, int>> done;
  for (const Fold& x : fr.folds) {
    if (which == Sinks::appended) break;
    const std::pair fold{e_.first_like(x.column), x.into};
    if (std::find(done.begin(), done.end(), fold) != done.end()) continue;
    done.push_back(fold);
    const Accumulator* acc = find_fold(fold.first, fold.second);
    if (acc == nullptr) continue;
    if (one_lane) {
      // Lanes of a list wait for each other: what may fail is done by all of them.
      std::unordered_set<const Column*> seen;
      const ColumnRef& first = fold.first->args[fold.first->args[1] ? 1 : 0];
      if (makes_checks(first, seen)) e_.value(first, k, s);
      Scope own = Emitter::inside(s);
      e_.update(*acc, k, own);
      Emitter::close(s, "if (lane == 0)", own);
    } else {
      e_.update(*acc, k, s);
    }
  }
  for (size_t i = 0; i < nest_.outputs().size(); i++) {
    const auto& o = nest_.outputs()[i];
    const bool appended = !out_->places[i].is_known;
    if (out_->places[i].is_offsets) continue;
    if (o.frame != f || (which == Sinks::appended && !appended) ||
        (which == Sinks::but_appended && appended))
      continue;
    if (o.histogram) {
      fill(i, k, s, one_lane);
      continue;
    }
    const Text at = !out_->places[i].is_known ? q : ordinal(k);
    const Text v = e_.value(o.column, k, s);
    Emitter::line(s, (one_lane ? "if (lane == 0) " : "") + out_->places[i].field + "[" + at +
                         "] = " + v + ";");
  }
}

}  // namespace serrate::cuda
