// Runs what is evaluated in steps as one plan: see steps.h.
#include "graph/evaluation/steps.h"

#include <algorithm>

#include "graph/evaluation/run_kept.h"

namespace serrate::graph {

void Brought::add(const ColumnRef& c, const Signature& whole) {
  if (const int n = whole.find(c.get()); n >= 0) {
    words.push_back(uint64_t{1} << 63 | static_cast<uint64_t>(n));
    return;
  }
  words.push_back(static_cast<uint64_t>(c->kind) | static_cast<uint64_t>(c->dtype) << 8 |
                  static_cast<uint64_t>(c->op) << 16 |
                  static_cast<uint64_t>(static_cast<uint16_t>(c->link)) << 32 |
                  static_cast<uint64_t>(c->arity()) << 48);
  if (c->kind == ColumnKind::constant) words.push_back(c->scalar.u);
  if (c->kind == ColumnKind::load) {
    const Buffer& b = c->buffer;
    size_t first = 0;  // load of the same
    const auto is_it = [&](const ColumnRef& l) { return l && l->buffer.data() == b.data(); };
    while (first < loads.size() && !is_it(loads[first])) first++;
    words.push_back(uint64_t{b.bytes() == 0} | uint64_t{b.bytes() < itemsize(c->dtype)} << 1 |
                    uint64_t{backend(b.device()).fact(*c)} << 2 |
                    static_cast<uint64_t>(b.device()) << 8 | static_cast<uint64_t>(first) << 16);
    loads.push_back(c);
  }
  for (const auto& a : c->args) {
    if (a) add(a, whole);
  }
}

class Steps::Run {
 public:
  Run(const Steps& steps, const Signature& whole) : steps_(steps), whole_(whole) {}

  bool step(const Step& s) {
    if (!bind(s.part)) return false;
    std::vector<NodeRef> trees;
    for (const Fill& f : s.fills) {
      if (f.input == trees.size())
        trees.push_back(fill_input(*column(f.column), pick(f), steps_.backend_->capabilities()));
    }
    std::vector<NodeRef> stored = evaluated(s.part, trees);
    let_go(s);
    std::vector<ColumnRef> results;
    for (const Fill& f : s.fills) {
      results.push_back(fill_result(column(f.column), pick(f), stored[f.input]));
      brought_.words.clear();
      brought_.add(results.back(), whole_);
      if (brought_.words != f.words) return false;
      const auto rest = std::span(s.fills).subspan(results.size());
      const auto reads_it = [&](const Fill& other) { return other.input == f.input; };
      if (std::ranges::none_of(rest, reads_it)) stored[f.input] = {};
    }
    for (const Passed& p : s.in_place) {
      if (p.last == 0) continue;
      in_place_.push_back({column(p.column).get(), results[p.fill]});
      last_of_in_place_.push_back(p.last);
    }
    let_go(s);
    number_++;
    return true;
  }

  std::optional<std::vector<NodeRef>> last(const std::vector<NodeRef>& roots) {
    if (!bind(steps_.last_)) return {};
    return evaluated(steps_.last_, roots);
  }

 private:
  /// What no later part looks at.
  void let_go(const Step& s) {
    for (const int n : s.read) {
      if (const auto i = static_cast<size_t>(n); i < brought_.loads.size()) brought_.loads[i] = {};
    }
    for (size_t i = in_place_.size(); i-- > 0;) {
      if (last_of_in_place_[i] > number_) continue;
      in_place_.erase(in_place_.begin() + static_cast<std::ptrdiff_t>(i));
      last_of_in_place_.erase(last_of_in_place_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  const void* object(int n) const { return whole_.objects()[static_cast<size_t>(n)]; }
  ColumnRef column(int n) const { return ColumnRef(static_cast<const Column*>(object(n))); }
  SpaceRef space(int n) const { return SpaceRef(static_cast<const Space*>(object(n))); }
  LongPick pick(const Fill& f) const {
    return f.is_pick ? looked_at(*column(f.column)) : LongPick();
  }

  bool bind(const Part& p) {
    for (const auto& [s, word] : p.facts) {
      if (p.backend->fact(*space(s)) != word) return false;
    }
    objects_.assign(p.objects.size(), nullptr);
    for (size_t i = 0; i < p.objects.size(); i++) objects_[i] = stand_in(p.objects[i]);
    return true;
  }

  const void* stand_in(const StandIn& s) const {
    const auto n = static_cast<size_t>(s.number);
    switch (s.kind) {
      case StandIn::none:
        return nullptr;
      case StandIn::whole:
        return object(s.number);
      case StandIn::found:
        return brought_.loads[n].get();
      case StandIn::column:
        return steps_.columns_[n].get();
      default:
        return steps_.spaces_[n].get();
    }
  }

  std::vector<NodeRef> evaluated(const Part& p, const std::vector<NodeRef>& trees) const {
    return stored_trees(trees, p.plan->stores, run_plan(*p.plan, trees, objects_), in_place_);
  }

  const Steps& steps_;
  const Signature& whole_;
  std::vector<const void*> objects_;
  Brought brought_;
  std::vector<InPlace> in_place_;
  std::vector<size_t> last_of_in_place_;  // the part that has each last
  size_t number_ = 0;                     // of the part
};

std::optional<std::vector<NodeRef>> Steps::run(const std::vector<NodeRef>& roots,
                                               const Signature& whole) const {
  for (const auto& [n, value] : integers_) {
    const auto* c = static_cast<const Column*>(whole.objects()[static_cast<size_t>(n)]);
    if (c->scalar.i != value) return {};
  }
  Run run(*this, whole);
  for (const Step& s : steps_) {
    if (!run.step(s)) return {};
  }
  return run.last(roots);
}

std::vector<std::pair<int, uint64_t>> Steps::depends_on() const {
  std::vector<std::pair<int, uint64_t>> out;
  for (const auto& [n, value] : integers_) out.emplace_back(n, static_cast<uint64_t>(value));
  for (const Step& s : steps_) {
    out.insert(out.end(), s.part.facts.begin(), s.part.facts.end());
    for (const Fill& f : s.fills) {
      for (const uint64_t word : f.words) out.emplace_back(f.column, word);
    }
  }
  out.insert(out.end(), last_.facts.begin(), last_.facts.end());
  return out;
}

bool Steps::Part::is_as(const Part& o) const {
  return plan->words == o.plan->words && objects == o.objects;
}

bool Steps::contradicts(const Steps& o) const {
  if (depends_on() != o.depends_on()) return false;
  const bool same = std::ranges::equal(steps_, o.steps_, [](const Step& a, const Step& b) {
    return a.part.is_as(b.part) && a.in_place == b.in_place;
  });
  return !same || !last_.is_as(o.last_);
}

}  // namespace serrate::graph
