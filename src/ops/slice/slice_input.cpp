// What is sliced, evaluated first where its items would be computed again and again.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/where.h"
#include "graph/below.h"
#include "graph/inputs.h"
#include "graph/materialise.h"
#include "graph/parts/over_stored.h"
#include "graph/pointer_flags.h"
#include "ops/slice/slice.h"
#include "ops/tree/input.h"

namespace serrate::ops {

using namespace graph;
using Kind = SliceStep::Kind;

namespace {

/// Picks of so few items are made where they are asked for.
constexpr int64_t kFewPicks = 8;

/// May the step take an item many times, or very many items?
bool may_repeat(const SliceStep& s) {
  if (s.kind != Kind::array && s.kind != Kind::missing && s.kind != Kind::jagged) return false;
  const ColumnRef rows = count(s.tree->space);
  if (rows->kind == ColumnKind::constant && rows->scalar.i <= kFewPicks) return false;
  if (s.kind != Kind::jagged) return true;
  const Node* n = s.tree.get();
  int64_t size = -1;  // of the innermost lists: as of argmax with keepdims
  for (; !n->contents.empty() && !is_string(*n); n = n->contents[0].get())
    if (n->kind == NodeKind::list) size = n->size;
  return (size < 0 || size > 1) && n->kind == NodeKind::leaf && n->column->dtype != DType::boolean;
}

/// Does it take about as many rows as there are, of stored ones?
bool takes_most_rows(const Node& n, const SliceStep& s) {
  if (s.kind != Kind::array || n.kind != NodeKind::list || n.space->kind != SpaceKind::rows)
    return false;
  const ColumnRef rows = count(s.tree->space);
  return rows->kind == ColumnKind::constant && rows->scalar.i >= n.space->size / 2;
}

/// Is there a column of a kind among what columns and spaces are made of?
class Among {
 public:
  explicit Among(std::function<bool(const Column&)> is_wanted) : is_wanted_(std::move(is_wanted)) {}
  bool operator()(const Node& n) {
    return (n.column && (*this)(n.column)) || (n.space && (*this)(n.space)) ||
           std::ranges::any_of(n.contents, [&](const NodeRef& c) { return (*this)(*c); });
  }

 private:
  bool operator()(const ColumnRef& c) { return is_wanted_(*c) || below(c); }
  bool operator()(const SpaceRef& s) { return below(s); }
  template <class SpaceOrColumn>
  bool below(const SpaceOrColumn& x) {
    if (const auto known = seen_.find(x.get())) return *known;
    bool found = false;
    each_below(*x, [&](const auto& part) { found = found || (*this)(part); });
    return seen_.set(x.get(), found);
  }

  const std::function<bool(const Column&)> is_wanted_;
  PointerFlags seen_;
};

/// Is it an order, or what another barrier gives? Only where that may be, as few pass the first
/// line.
bool has_barriers(const Node& n) {
  const Node* values = &n;
  while (values->kind == NodeKind::list) values = values->contents[0].get();
  if (values->kind != NodeKind::leaf || values->column->walks < kWalkAfter) return false;
  return Among([](const Column& c) { return c.kind == ColumnKind::barrier; })(n);
}

/// Do lists of what is sliced have to be walked before it is known what is taken of them?
bool walks_it_before(const Node& sliced, const SliceStep& s) {
  const Node* n = &sliced;
  while (n->kind == NodeKind::list || n->kind == NodeKind::option) n = n->contents[0].get();
  if (!s.tree || n->kind != NodeKind::leaf) return false;
  const auto is_it = [values = n->column.get()](const Column& c) { return &c == values; };
  return (has_reductions(*s.tree) || has_barriers(*s.tree)) && Among(is_it)(*s.tree);
}

}  // namespace

NodeRef sliced_input(const Array& x, std::vector<SliceStep>& steps) {
  const NodeRef lazy = x.node();
  const bool repeats = std::ranges::any_of(steps, may_repeat);
  NodeRef n = repeats ? repeated_input(x) : input(x);
  const auto computes_again = [&](const SliceStep& s) {
    return takes_most_rows(*n, s) || walks_it_before(*n, s);
  };
  // What fails where nobody looks must not fail here.
  if (std::ranges::any_of(steps, computes_again) && !may_fail(n) && are_worth_storing({n})) {
    materialise(x, current_where("materialised") +
                       ": what is sliced would be computed again, for the slice or item by item");
    n = x.node();
  }
  if (n == lazy) return n;
  // Positions and masks that were made of it are over what is stored now.
  OverStored over;
  over.set(*lazy, *n);
  for (SliceStep& s : steps) {
    if (!s.tree) continue;
    if (NodeRef tree = over.any() ? over(s.tree) : NodeRef()) s.tree = std::move(tree);
  }
  return n;
}

}  // namespace serrate::ops
