// Few outer lists, stored before what is inside of them: see outer_lists.h.
#include "graph/parts/outer_lists.h"

#include <unordered_set>
#include <utility>

#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/parts/over_stored.h"

namespace serrate::graph {
namespace {

constexpr int kMostLevels = 16;  // of lists in lists

/// Finds few plain lists that are derived, over stored ones, and walked for more than their items:
/// for lists inside of them, for what is derived of them (a filter, tuples), or again for a
/// reduction that their items are compared with.
class FewLists {
 public:
  explicit FewLists(int64_t few) : few_(few) {}

  void find(const Node& n) {
    if (n.column) find(n.column);
    if (n.space) find(n.space);
    for (const NodeRef& c : n.contents) find(*c);
  }
  std::vector<SpaceRef> found() const {
    std::vector<SpaceRef> out;
    for (const SpaceRef& s : lists_)
      if (walked_.contains(s.get())) out.push_back(s);
    return out;
  }

 private:
  void find(const ColumnRef& c) {
    if (c->kind == ColumnKind::constant || !seen_.insert(c.get()).second) return;
    if (c->kind == ColumnKind::parent && c->args[0]->reduces) walked_.insert(c->space.get());
    each_below(*c, [&](const auto& x) { find(x); });
  }
  void find(const SpaceRef& s) {
    if (!seen_.insert(s.get()).second) return;
    if (are_few(s)) lists_.push_back(s);
    if (s->parent) walked_.insert(s->parent.get());
    for (const SpaceRef& b : s->bases) walked_.insert(b.get());
    each_below(*s, [&](const auto& x) { find(x); });
  }
  bool are_few(const SpaceRef& s) const {
    if (s->kind != SpaceKind::list || s->depth < 2 || is_numbered(s) || !is_stored(s->parent))
      return false;
    const int64_t owners = size_at_hand(s->parent);
    return 0 <= owners && owners <= few_;
  }

  const int64_t few_;
  std::vector<SpaceRef> lists_;
  std::unordered_set<const void*> walked_, seen_;
};

}  // namespace

std::optional<std::vector<NodeRef>> OuterLists::operator()(
    const std::vector<NodeRef>& roots) const {
  // Of what a function of arrays writes down other arrays will have other numbers of lists.
  if (few_ == 0 || looks_of_thread != nullptr) return {};
  std::optional<std::vector<NodeRef>> result;
  // Lists inside of those that are stored are over stored ones then.
  for (int level = 0; level < kMostLevels; level++) {
    const std::vector<NodeRef>& now = result ? *result : roots;
    FewLists few(few_);
    for (const NodeRef& r : now) few.find(*r);
    OverStored over;
    for (const SpaceRef& s : few.found())
      if (over.mapped(s) == nullptr) over.set_lists(s, store_(s));
    if (!over.any()) return result;
    std::vector<NodeRef> next;
    for (const NodeRef& r : now) {
      next.push_back(over(r));
      if (!next.back()) return result;
    }
    result = std::move(next);
  }
  return result;
}

}  // namespace serrate::graph
