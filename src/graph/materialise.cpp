// What rewrites copy, and when storing an operand is cheaper: see materialise.h.
#include "graph/materialise.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <unordered_set>

#include "core/seams.h"
#include "core/where.h"
#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/known.h"
#include "graph/pointer_flags.h"

namespace serrate::graph {
namespace {

/// A space that is walked again: offsets, links, a loop.
constexpr int kSpaceCost = 4;

/// What one operation may add to the height of an expression, with much to spare.
constexpr int kHeadroom = 80;
static_assert(Seams().height == kMaxHeight);
bool is_high(const Column& c) { return c.height >= seams().height - kHeadroom; }

/// What copies and originals have in common. Two threads may give one object two of them: then a
/// copy too few is counted.
uint32_t origin_of(const Relaxed<uint32_t>& origin) {
  static std::atomic<uint32_t> last{0};
  if (origin.get() == 0) origin.set(std::max(1u, last.fetch_add(1, std::memory_order_relaxed) + 1));
  return origin.get();
}

void add_cost(const Relaxed<uint16_t>& copied, int cost) {
  copied.set(static_cast<uint16_t>(std::min(copied.get() + cost, 0xffff)));
}

/// Adds up what is computed below again: all that has an origin which was met before.
class Copies {
 public:
  explicit Copies(int most) : most_(most) {}
  template <class SpaceOrColumn>
  int of(const Ref<SpaceOrColumn>& x) {
    walk(x);
    return sum_;
  }

 private:
  template <class SpaceOrColumn>
  void walk(const Ref<SpaceOrColumn>& x) {
    if (sum_ > most_ || seen_.find(x.get())) return;
    seen_.set(x.get(), true);
    if (const uint32_t origin = x->origin.get(); origin != 0 && !origins_.insert(origin).second)
      sum_ += cost(*x);
    each_below(*x, [&](const auto& below) { walk(below); });
  }
  static int cost(const Column& c) { return cost_of(c); }
  static int cost(const Space&) { return kSpaceCost; }

  int most_, sum_ = 0;
  PointerFlags seen_;
  std::unordered_set<uint32_t> origins_;
};

/// What is computed again for x, exactly if it may be too much. That it is not is remembered as the
/// most there may be: what x is joined with may hold copies of the same.
template <class SpaceOrColumn>
int copied(const Ref<SpaceOrColumn>& x) {
  const int most = static_cast<int>(seams().copied);
  if (x->copied.get() <= most) return 0;
  const int exact = Copies(most).of(x);
  x->copied.set(static_cast<uint16_t>(std::clamp(exact, most, 0xffff)));
  return exact;
}

template <class SpaceOrColumn>
std::string reason(const Ref<SpaceOrColumn>& x) {
  if (x->walks > seams().walks)
    return fmt::format("it takes {} walks, most {}", x->walks, seams().walks);
  if (copied(x) <= seams().copied) return {};
  return fmt::format("more than {} additions an item would be made again at other positions",
                     seams().copied);
}

std::string reason_in(const Node& n) {
  std::string text;
  if (n.column) {
    if (is_high(*n.column)) return "it has many operations after one another";
    text = reason(n.column);
  }
  if (text.empty() && n.space) {
    for (const Space* s = n.space.get(); s->parent; s = s->parent.get()) {
      for (const ColumnRef* c : {&s->starts, &s->stops, &s->predicate})
        if (*c && is_high(**c)) return "its lists have many operations after one another";
    }
    text = reason(n.space);
  }
  for (size_t i = 0; text.empty() && i < n.contents.size(); i++) text = reason_in(*n.contents[i]);
  return text;
}

/// Looks for a column for which `is_one` holds, in a tree and in all that it is made of. What has
/// no walks and reduces nothing depends on no lists: it is not looked at.
template <class IsOne>
class Search {
 public:
  explicit Search(IsOne is_one) : is_one_(is_one) {}

  bool in(const Node& n) {
    return in(n.column) || in(n.space) ||
           std::ranges::any_of(n.contents, [&](const NodeRef& c) { return in(*c); });
  }

 private:
  template <class SpaceOrColumn>
  bool in(const Ref<SpaceOrColumn>& x) {
    if (!x || (x->walks == 0 && !x->reduces)) return false;
    if (const auto known = known_.find(x.get())) return *known;
    bool found = false;
    if constexpr (std::is_same_v<std::remove_const_t<SpaceOrColumn>, Column>) found = is_one_(*x);
    each_below(*x, [&](const auto& below) { found = found || in(below); });
    return known_.set(x.get(), found);
  }

  IsOne is_one_;
  PointerFlags known_;
};

}  // namespace

bool needs_whole_lists(const Node& n, int least_depth, int most_depth) {
  const auto is_between = [&](const SpaceRef& lists) {
    return lists->depth >= least_depth && lists->depth <= most_depth;
  };
  const auto is_one = [&](const Column& c) {
    switch (c.kind) {
      case ColumnKind::reduce:
        return is_between(c.over);
      case ColumnKind::barrier:
        return is_between(c.space);
      case ColumnKind::pick:
        return is_between(c.over) && !c.over->bases.empty();
      default:
        return false;
    }
  };
  return Search(is_one).in(n);
}

bool looks_into_lists_of_owners(const Node& n, int least_depth, int most_depth) {
  const auto is_one = [&](const Column& c) {
    return c.kind == ColumnKind::pick && c.over->depth < c.space->depth &&
           c.over->depth >= least_depth && c.over->depth <= most_depth && !is_stored(c.over);
  };
  return Search(is_one).in(n);
}

int cost_of(const Column& c) {
  constexpr int kLoad = 2, kPick = 4, kFold = 8, kBarrier = 64, kCall = 50;
  switch (c.kind) {
    case ColumnKind::op:
      return info(c.op).cost;
    case ColumnKind::load:
      return kLoad;
    case ColumnKind::pick:
      return kPick;
    case ColumnKind::call:  // nobody knows; outputs share it
      return c.link == 0 ? kCall : 0;
    case ColumnKind::reduce:
    case ColumnKind::histogram:
      return kFold;
    case ColumnKind::barrier:
      return kBarrier;
    case ColumnKind::cast:
    case ColumnKind::check:
      return 1;
    default:
      return 0;
  }
}

void note_copy(const Column& of, const Column& copy) {
  const int cost = cost_of(of);
  // What merely looks at it at other positions is no copy.
  if (&of == &copy || of.kind != copy.kind || copy.args[0].get() == &of) return;
  if (cost == 0 || copy.origin.get() != 0) return;
  copy.origin.set(origin_of(of.origin));
  add_cost(copy.copied, cost);
}

void note_copy(const Space& of, const Space& copy) {
  if (&of == &copy || copy.origin.get() != 0) return;
  copy.origin.set(origin_of(of.origin));
  add_cost(copy.copied, kSpaceCost);
}

bool is_modest_itself(const Node& n) {
  const Seams& most = seams();
  const auto is_few = [&](const auto& x) {
    return x.walks <= most.walks && x.copied.get() <= most.copied;
  };
  const auto is_low = [&](const ColumnRef& c) { return !c || c->height < most.height - kHeadroom; };
  if (n.column && !(is_low(n.column) && is_few(*n.column))) return false;
  if (!n.space) return true;
  if (!is_few(*n.space)) return false;
  for (const Space* s = n.space.get(); s->parent; s = s->parent.get())
    if (!is_low(s->starts) || !is_low(s->stops) || !is_low(s->predicate)) return false;
  return true;
}

std::optional<std::string> reason_to_store(const Node& n) {
  // Nearly all are: then nobody looks for the words that say why.
  if (facts_of_tree(n).is_modest) return {};
  std::string text = reason_in(n);
  if (text.empty()) return {};
  return current_where("materialised") + ": " + text;
}

bool has_reductions(const Node& n) {
  return (n.column && n.column->reduces) || (n.space && n.space->reduces) ||
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_reductions(*c); });
}

NodeRef noted(const NodeRef& stored, const Node& n, const std::string& why) {
  auto* r = new Node(*stored);
  const NodeRef result = r;
  if (stored->column && stored->column != n.column && stored->column->kind == ColumnKind::load) {
    auto* c = new Column(*stored->column);
    r->column = c;
    auto note = std::make_shared<CheckInfo>();
    note->text = why;
    c->check = std::move(note);
  }
  if (stored->kind == NodeKind::categorical) return result;
  for (size_t i = 0; i < n.contents.size(); i++)
    r->contents[i] = noted(stored->contents[i], *n.contents[i], why);
  return result;
}

}  // namespace serrate::graph
