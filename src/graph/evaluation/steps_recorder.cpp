// Notes what an evaluation in steps does: see steps.h.
#include <algorithm>

#include "graph/evaluation/steps.h"

namespace serrate::graph {
namespace {

/// A number whose value is part of what Steps are for: rebuilding adds up whole ones.
bool is_whole_number(const Scalar& s) { return is_integer(s.dtype); }

/// Does the form of a tree depend on the numbers that this is made of? Sums with them are added up,
/// bounds of lists are looked at (graph/lengths.h).
bool tells_places(const Column& c) {
  if (c.kind != ColumnKind::op) return true;
  return c.op == Op::add || c.op == Op::minimum || c.op == Op::maximum || c.op == Op::where;
}

/// Where stored_trees() takes the lists of a node from that are neither passed on nor counted.
std::pair<const void*, int64_t> lists_of(const Node& n) {
  if (const SpaceRef* items = joined_items(*n.space)) return {items->get(), 0};
  if (n.space->kind == SpaceKind::rows) return {n.space.get(), 0};
  return {nullptr, n.space->kind == SpaceKind::fixed ? n.space->size : n.size};
}

}  // namespace

StepsRecorder::StepsRecorder(const std::vector<NodeRef>& roots, const Signature& whole, Backend& b)
    : roots_(roots), whole_(whole), says_(whole.is_complete() && !whole.is_mixed()) {
  steps_->backend_ = &b;
  whole.each_object([&](int n, const Space*, const Column* c) {
    if (c != nullptr && c->kind == ColumnKind::load) loads_.emplace_back(n, c);
    if (c != nullptr && c->kind == ColumnKind::check) checks_.emplace_back(n, c);
  });
  // Of numbers that are merely computed with, any value is as good: of the items in a list, say.
  std::vector<bool> seen(whole.objects().size());
  const auto note = [&](const ColumnRef& c) {
    const int n = c && c->kind == ColumnKind::constant ? whole.find(c.get()) : -1;
    if (n < 0 || seen[static_cast<size_t>(n)] || !is_whole_number(c->scalar) ||
        is_structural(c->scalar))
      return;
    seen[static_cast<size_t>(n)] = true;
    steps_->integers_.emplace_back(n, c->scalar.i);
  };
  whole.each_object([&](int, const Space* s, const Column* c) {
    if (s != nullptr) {
      for (const auto& bound : {s->starts, s->stops}) note(bound);
    } else if (tells_places(*c)) {
      for (const auto& a : c->args) note(a);
    }
  });
}

/// Of the column of the whole that c is or came to be from, or -1.
int StepsRecorder::number(const ColumnRef& c) const {
  const auto origin = origins_.find(c.get());
  return origin == origins_.end() ? whole_.find(c.get()) : origin->second;
}

int StepsRecorder::number(const Space* s) const {
  const auto origin = origins_.find(s);
  return origin == origins_.end() ? whole_.find(s) : origin->second;
}

const Space& StepsRecorder::space(int number) const {
  return *static_cast<const Space*>(whole_.objects()[static_cast<size_t>(number)]);
}

const Column& StepsRecorder::column(int number) const {
  return *static_cast<const Column*>(whole_.objects()[static_cast<size_t>(number)]);
}

void StepsRecorder::step(const Fills& fills, const std::vector<NodeRef>& trees,
                         const Signature& s) {
  Steps::Step step;
  std::vector<NodeRef> of_whole;
  for (const auto& f : fills.fills()) {
    const int n = number(f.column);
    says_ = says_ && n >= 0;
    if (!says_) return;
    const Column& c = column(n);
    const bool is_pick = bool(f.pick.over);
    if (f.input == of_whole.size())
      of_whole.push_back(
          fill_input(c, is_pick ? looked_at(c) : LongPick(), steps_->backend_->capabilities()));
    // What a pick looks at is in its result.
    says_ = (!is_pick || &c == f.column.get()) && is_stored(c.space) == is_stored(f.column->space);
    step.fills.push_back({n, is_pick, f.input, {}});
  }
  for (size_t i = 0; i < trees.size(); i++) pair(*of_whole[i], *trees[i]);
  auto noted = part(s);  // what is computed of it stands for nothing in it
  says_ = says_ && noted;
  for (size_t i = 0; says_ && i < step.fills.size(); i++) {
    const size_t before = brought_.loads.size();
    brought_.words.clear();
    brought_.add(fills.fills()[i].result, whole_);
    step.fills[i].words = brought_.words;
    for (size_t k = before; k < brought_.loads.size(); k++) {
      const Buffer& b = brought_.loads[k]->buffer;
      // Whether another load has its memory is looked at again.
      for (size_t other = 0; other < k; other++) {
        if (brought_.loads[other]->buffer.data() == b.data())
          last_reads_[other] = std::max(last_reads_[other], steps_->steps_.size() + 1);
      }
      last_reads_.push_back(steps_->steps_.size());
      const auto& owner = b.owner();
      says_ = says_ && std::none_of(loads_.begin(), loads_.end(), [&](const auto& l) {
                return owner && l.second->buffer.owner() == owner;
              });
    }
  }
  for (size_t i = 0; says_ && i < trees.size(); i++)
    says_ = are_alike(noted->plan->stores[i], *of_whole[i], *trees[i]);
  if (!says_) return;
  step.part = std::move(*noted);
  for (const auto& [c, fill] : fills.found()) {
    const int n = number(c);
    says_ = says_ && n >= 0;
    if (!says_) return;
    passed_.emplace_back(steps_->steps_.size(), step.in_place.size());
    step.in_place.push_back({n, fill, 0});
    in_place_.push_back({&column(n), fills.fills()[fill].result});
  }
  steps_->steps_.push_back(std::move(step));
}

void StepsRecorder::replaced(const Fills& fills) {
  for (const auto& [old, now] : fills.later()) {
    kept_columns_.push_back(now);
    if (const int n = number(old); n >= 0) origins_[now.get()] = n;
  }
}

void StepsRecorder::last(const std::vector<NodeRef>& rest, const Signature& s) {
  for (size_t i = 0; i < rest.size(); i++) pair(*roots_[i], *rest[i]);
  auto noted = part(s);
  says_ = says_ && noted;
  for (size_t i = 0; says_ && i < rest.size(); i++)
    says_ = are_alike(noted->plan->stores[i], *roots_[i], *rest[i]);
  if (!says_) return;
  steps_->last_ = std::move(*noted);
  note_lifetimes();
  is_done_ = true;
}

/// Results are let go behind the last part that looks at them.
void StepsRecorder::note_lifetimes() {
  auto& steps = steps_->steps_;
  const auto note = [&](const Steps::Part& p, size_t number) {
    for (const StandIn& s : p.objects) {
      if (s.kind != StandIn::found) continue;
      size_t& last = last_reads_[static_cast<size_t>(s.number)];
      last = std::max(last, number);
    }
  };
  for (size_t k = 0; k < steps.size(); k++) note(steps[k].part, k);
  note(steps_->last_, steps.size());
  for (size_t i = 0; i < last_reads_.size(); i++) {
    if (last_reads_[i] < steps.size()) steps[last_reads_[i]].read.push_back(static_cast<int>(i));
  }
}

std::optional<Steps::Part> StepsRecorder::part(const Signature& s) {
  if (!says_ || s.is_mixed()) return {};
  part_backend_ = &backend(s.device().value_or(surrounding_device()));
  Steps::Part p;
  p.backend = part_backend_;
  p.plan = find_plan(s);
  if (!p.plan || p.plan->in_steps) return {};
  p.objects.resize(s.objects().size());
  for (const int i : p.plan->used) {
    auto& object = p.objects[static_cast<size_t>(i)];
    object = stand_in(s, s.objects()[static_cast<size_t>(i)]);
    if (object.kind == StandIn::none) return {};
  }
  const auto facts = p.backend->facts_in(s);
  if (facts.empty()) return p;
  using SpaceFacts = decltype(p.backend->facts_in(s));
  const SpaceFacts known =
      steps_->backend_ == p.backend ? p.backend->facts_in(whole_) : SpaceFacts();
  for (const auto& fact : facts) {
    const int n = number(fact.first);
    // What came to be of a space of the whole must be seen in that.
    if (n < 0 || (whole_.find(fact.first) < 0 && p.backend->fact(space(n)) != fact.second))
      return {};
    if (std::find(known.begin(), known.end(), fact) == known.end())
      p.facts.emplace_back(n, fact.second);
  }
  return p;
}

StandIn StepsRecorder::stand_in(const Signature& s, const void* object) {
  if (const int n = whole_.find(object); n >= 0) return {StandIn::whole, n};
  if (!s.is_space(object)) return stand_in(*static_cast<const Column*>(object));
  return stand_in(*static_cast<const Space*>(object));
}

StandIn StepsRecorder::stand_in(const Space& s) {
  if (is_plain_list(s) || is_stored(SpaceRef(&s))) return {};
  // As many positions as there are or can be of one, there are of the other. Bounds of axis 0 would
  // have to be computed again.
  const Capabilities& can = part_backend_->capabilities();
  if (can.bounds_axis_0 && s.kind == SpaceKind::list && s.depth == 1) return {};
  if (const int n = number(&s); n >= 0) return {StandIn::whole, n};
  if (!can.sees_spaces_by_kind || s.kind == SpaceKind::aligned) return {};
  auto* like = new Space;
  steps_->spaces_.emplace_back(like);
  like->kind = s.kind;
  like->k = s.k;
  like->size = s.size;
  like->replacement = s.replacement;
  return {StandIn::space, static_cast<int>(steps_->spaces_.size()) - 1};
}

bool StepsRecorder::is_number_of_whole(const Scalar& s) const {
  return std::ranges::any_of(whole_.constants(), [&](const Column* c) { return c->scalar == s; });
}

StandIn StepsRecorder::stand_in(const Column& c) {
  // Other numbers are those that keys of sorts are filled up with: only whole ones are computed
  // while trees are rebuilt.
  if (c.kind == ColumnKind::constant &&
      (is_whole_number(c.scalar) || is_structural(c.scalar) || !is_number_of_whole(c.scalar))) {
    steps_->columns_.emplace_back(&c);
    return {StandIn::column, static_cast<int>(steps_->columns_.size()) - 1};
  }
  if (c.kind == ColumnKind::check) {
    for (const auto& [n, other] : checks_) {
      if (other->check == c.check) return {StandIn::whole, n};
    }
  }
  // Empty memory is nobody's.
  if (c.kind != ColumnKind::load || c.buffer.bytes() == 0) return {};
  for (size_t i = 0; i < brought_.loads.size(); i++) {
    if (brought_.loads[i]->buffer.same_memory(c.buffer))
      return {StandIn::found, static_cast<int>(i)};
  }
  // Of rows it may be a slice that begins where an index says.
  const bool is_slice = c.args[0]->kind == ColumnKind::position && c.space->kind == SpaceKind::rows;
  for (const auto& [n, other] : loads_) {
    if (!is_slice && other->buffer.same_memory(c.buffer)) return {StandIn::whole, n};
  }
  return {};
}

/// Notes which spaces of a tree came to be from which of the whole.
void StepsRecorder::pair(const Node& whole, const Node& now) {
  if (whole.kind != now.kind || whole.contents.size() != now.contents.size()) return;
  if (whole.space) pair(whole.space, now.space);
  for (size_t i = 0; i < now.contents.size(); i++) pair(*whole.contents[i], *now.contents[i]);
}

void StepsRecorder::pair(const SpaceRef& whole, const SpaceRef& now) {
  if (whole == now || whole->kind != now->kind || whole->bases.size() != now->bases.size()) return;
  kept_spaces_.push_back(now);
  if (const int n = whole_.find(whole.get()); n >= 0) origins_[now.get()] = n;
  pair(whole->parent, now->parent);
  for (size_t i = 0; i < now->bases.size(); i++) pair(whole->bases[i], now->bases[i]);
}

/// Whether the stored form of a tree with fills in it is made as that of what it is now.
bool StepsRecorder::are_alike(const StorePlan& p, const Node& whole, const Node& now) {
  if (whole.kind != now.kind || whole.contents.size() != now.contents.size()) return false;
  if (p.reuse || p.joined || p.repeats) {
    const ColumnRef& was = p.joined ? below_flats(whole.column) : whole.column;
    const ColumnRef& is = p.joined ? below_flats(now.column) : now.column;
    if (was != is) {
      const auto in_place = std::ranges::find_if(
          in_place_, [&](const InPlace& x) { return x.of == was.get() && x.load == is; });
      if (in_place == in_place_.end()) return false;
      const auto [step, number] = passed_[static_cast<size_t>(in_place - in_place_.begin())];
      steps_->steps_[step].in_place[number].last = steps_->steps_.size();
    }
  }
  if (p.column >= 0 && whole.column->dtype != now.column->dtype) return false;
  if (whole.kind == NodeKind::list && whole.space != now.space) {
    const bool counts = p.counts >= 0 || p.equal;
    if (p.equal && !has_equal_lists(*whole.space)) return false;
    if (p.same_space || whole.space->kind != now.space->kind) return false;
    if (p.as_first && whole.space->bases[0] != now.space->bases[0]) return false;
    if (!counts && !p.as_first && lists_of(whole) != lists_of(now)) return false;
  }
  for (size_t i = 0; i < p.children.size(); i++) {
    if (!are_alike(p.children[i], *whole.contents[i], *now.contents[i])) return false;
  }
  return true;
}

}  // namespace serrate::graph
