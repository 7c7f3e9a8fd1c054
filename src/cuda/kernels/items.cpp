// What is done at one item of a frame: see items.h.
#include "cuda/kernels/items.h"

#include <algorithm>
#include <unordered_set>

#include "cuda/codegen/functions.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

void Items::begin_kernel(int counting) {
  counting_ = counting;
  folds_.clear();
  positions_.clear();
  counters_.clear();
}

/// Stands for all items of a list, where only what they have in common is asked for.
Cursor& Items::any_item(const SpaceRef& space, Cursor& owner) {
  return e_.cursor(space, &owner, owner.scope);
}

std::vector<const Column*> Items::folds_into(int f, int into) {
  std::vector<const Column*> out;
  collect(f, into, out);
  return out;
}

const FoldStruct& Items::struct_of(int f, int into, bool narrow) {
  std::vector<Folded> folded;
  const int depth = frame(f).space->depth;
  for (const Column* x : folds_into(f, into))
    folded.push_back({x, narrow && x->over->depth == depth});
  return fold_of(folded);
}

const Accumulator* Items::find_fold(const Column* c, int into) const {
  for (const auto& [f, acc] : folds_) {
    if (f == into && acc.column == c) return &acc;
  }
  return nullptr;
}

void Items::collect(int f, int into, std::vector<const Column*>& out) {
  const Frame& fr = frame(f);
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

bool Items::is_ours(int f) const {
  const auto& v = walk_->group.frames;
  return std::find(v.begin(), v.end(), f) != v.end();
}

bool Items::is_seen_by_all(int f) const {
  while (f != walk_->group.root && frame(f).inside >= 0) f = frame(f).inside;
  return f == walk_->group.root;
}

const Append* Items::append_of(int f) const {
  for (const Append& x : walk_->appends) {
    if (x.frame == f) return &x;
  }
  return nullptr;
}

std::string* Items::position_of(int f) {
  for (auto& [frame, name] : positions_) {
    if (frame == f) return &name;
  }
  return nullptr;
}

void Items::body(int f, Cursor& k, Scope& s) {
  const Frame& fr = frame(f);
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
    if (walk_->balanced() && counts())
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
bool Items::is_known(const Column* c) const {
  if (std::find(unfolded_.begin(), unfolded_.end(), c) != unfolded_.end()) return true;
  return is_count_of_ranked(*c);
}

bool Items::leads_to_append(int f) {
  if (const Append* x = append_of(f); x != nullptr && x->level == counting_) return true;
  const Frame& fr = frame(f);
  return std::any_of(fr.children.begin(), fr.children.end(),
                     [&](int c) { return leads_to_append(c); }) ||
         std::any_of(fr.filters.begin(), fr.filters.end(),
                     [&](int c) { return leads_to_append(c); });
}

void Items::child(int c, int f, Cursor& k, Scope& s, bool shares) {
  if (walk_->keeps_order) count_filters(c, f, s);
  if (shares) return shared_child(c, f, k, s);
  std::vector<Accumulator> accs;
  if (!counts())
    for (const Column* x : folds_into(c, f)) accs.push_back(e_.declare(x, s));
  for (const Accumulator& acc : accs) folds_.push_back({f, acc});
  e_.each(frame(c).space, k, s, {}, [&](Cursor& item, Scope& inner) { body(c, item, inner); });
  for (const Accumulator& acc : accs) e_.remember(acc, k, s);
}

/// The lanes of the outermost item have the items of its list in turns.
void Items::shared_child(int c, int f, Cursor& k, Scope& s) {
  const std::string lanes = std::to_string(walk_->lanes()), fold = e_.fresh("f");
  std::vector<Accumulator> accs;
  if (!counts()) accs = declare_fold(struct_of(c, f, false), fold, s);
  for (const Accumulator& acc : accs) folds_.push_back({f, acc});
  Scope in = Emitter::inside(s);
  e_.each(frame(c).space, k, in, Share{"lane", lanes},
          [&](Cursor& item, Scope& inner) { body(c, item, inner); });
  Emitter::call(s, in);
  if (accs.empty()) return;
  const bool warp = walk_->lanes() == 32;
  const std::string others = std::to_string((1ull << walk_->lanes()) - 1) + "u << (threadIdx.x & " +
                             std::to_string(32 - walk_->lanes()) + ")";
  Emitter::line(s, fold + ".settle();");
  Emitter::line(s, prelude_call("sr_join_lanes", {fold, lanes, warp ? "~0u" : others}) + ";");
  for (const Accumulator& acc : accs) e_.remember(acc, k, s);
}

void Items::begin_lists(int f, Cursor& k, Scope& s) {
  for (size_t i = 0; i < positions_.size(); i++) {
    const Append& x = walk_->appends[i];
    if (x.lengths < 0 || (x.owner < 0 ? walk_->group.root : x.owner) != f) continue;
    const std::string& q = positions_[i].second;
    const Text at = x.owner < 0 ? ordinal(k) : *position_of(f);
    Emitter::line(s, x.begins + "[" + at + "] = " + q + ";");
    Emitter::line(s, "const long long " + q + "_list = " + q + ";");
  }
}

void Items::end_lists(int f, Scope& s) {
  for (size_t i = 0; i < positions_.size(); i++) {
    const Append& x = walk_->appends[i];
    if (x.lengths < 0 || (x.owner < 0 ? walk_->group.root : x.owner) != f) continue;
    const std::string& q = positions_[i].second;
    Emitter::line(s, q + "_longest = max(" + q + "_longest, " + q + " - " + q + "_list);");
  }
}

/// How many items of an owner's list are written, with those of the lists inside of it.
Text Items::balanced_length(int f, Cursor& k) {
  const std::vector<int> path = balanced_path(nest_, walk_->group.root, walk_->appends[0].frame);
  Text n;
  Cursor* owner = &k;
  for (auto at = std::ranges::find(path, f); at != path.end(); ++at) {
    const SpaceRef& space = frame(*at).space;
    const Text length = e_.length(space, *owner);
    n = *at == f ? length : n + " * " + length;
    owner = &any_item(space, *owner);
  }
  return n;
}

void Items::count_filters(int c, int f, Scope& s) {
  for (int x : frame(c).filters) {
    if (!is_walked(x)) continue;
    if (frame(x).parent == f) counters_.emplace_back(x, e_.counter(s));
    count_filters(x, f, s);
  }
  for (int x : frame(c).children) {
    if (is_walked(x)) count_filters(x, f, s);
  }
}

Text Items::counter_of(int f) const {
  for (size_t i = counters_.size(); i-- > 0;) {
    if (counters_[i].first == f) return counters_[i].second;
  }
  return {};
}

void Items::filtered(int c, Cursor& k, Scope& s) {
  const Frame& fr = frame(c);
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

void Items::sinks(int f, Cursor& k, Scope& s, const Text& q) {
  const Frame& fr = frame(f);
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
      histograms_.fill(i, k, s, one_lane);
      continue;
    }
    const Text at = !out_->places[i].is_known ? q : ordinal(k);
    const Text v = e_.value(o.column, k, s);
    Emitter::line(s, (one_lane ? "if (lane == 0) " : "") + out_->places[i].field + "[" + at +
                         "] = " + v + ";");
  }
}

}  // namespace serrate::cuda
