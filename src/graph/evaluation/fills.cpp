// Finding and replacing fills: see fills.h.
#include "graph/evaluation/fills.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "graph/below.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"

namespace serrate::graph {

void Fills::find(const Node& n) {
  if (n.column) n.column->kind == ColumnKind::histogram ? find_below(*n.column) : find(n.column);
  if (n.space) find(n.space);
  for (const auto& c : n.contents) find(*c);
}

bool Fills::find(const SpaceRef& s) {
  if (const auto seen = seen_.find(s.get())) return *seen;
  return seen_.set(s.get(), find_below(*s));
}

bool Fills::find(const ColumnRef& c) {
  if (c->kind == ColumnKind::constant) return false;
  if (const auto seen = seen_.find(c.get())) return *seen;
  const bool below = find_below(*c);
  const bool fills = is_fill(*c);
  if (fills && !below) found_.emplace_back(c, 0);
  return seen_.set(c.get(), below || fills);
}

bool Fills::is_fill(const Column& c) const {
  return c.kind == ColumnKind::histogram || c.kind == ColumnKind::barrier || stored_list_of(c).over;
}

LongPick Fills::stored_list_of(const Column& c) const {
  const auto is_it = [&](const ColumnRef& f) { return f.get() == &c; };
  if (std::any_of(first_.begin(), first_.end(), is_it)) return {c.space, ColumnRef(&c), {}, {}};
  return can_.counts_to_picks ? long_pick(c) : LongPick();
}

template <class SpaceOrColumn>
bool Fills::find_below(const SpaceOrColumn& x) {
  bool some = false;
  each_below(x, [&](const auto& below) { some |= find(below); });
  return some;
}

NodeRef fill_input(const Column& c, const LongPick& p, const Capabilities& can) {
  if (p.over) return picked_input(p);
  return c.kind == ColumnKind::histogram ? list_node(c.space, leaf(ColumnRef(&c)))
                                         : barrier_input(c, can);
}

ColumnRef fill_result(const ColumnRef& c, const LongPick& p, const NodeRef& stored) {
  if (p.over) return picked(p, c->space, stored);
  return c->kind == ColumnKind::histogram ? stored->contents[0]->column : run_barrier(c, stored);
}

std::vector<NodeRef> Fills::inputs() {
  // Equal ones are computed once; all that they read is evaluated together, in one pass where it
  // shares a space.
  std::vector<NodeRef> trees;
  for (auto& [c, number] : found_) {
    while (number < fills_.size() && !same(fills_[number].column, c)) number++;
    if (number < fills_.size()) continue;
    const LongPick p = stored_list_of(*c);
    const auto other = std::find_if(fills_.begin(), fills_.end(), [&](const Fill& f) {
      return p.over && f.pick.over && same(f.pick.over, p.over) && same(f.pick.column, p.column);
    });
    const bool is_new = other == fills_.end();
    fills_.push_back({c, p, is_new ? trees.size() : other->input, {}});
    if (is_new) trees.push_back(fill_input(*c, p, can_));
  }
  return trees;
}

void Fills::fill(std::vector<NodeRef> stored) {
  for (size_t i = 0; i < fills_.size(); i++) {
    Fill& f = fills_[i];
    f.result = fill_result(f.column, f.pick, stored[f.input]);
    const auto reads_it = [&](const Fill& other) { return other.input == f.input; };
    if (std::none_of(fills_.begin() + static_cast<std::ptrdiff_t>(i) + 1, fills_.end(), reads_it))
      stored[f.input] = {};
  }
}

namespace {
/// It is not touched, so that it takes no memory.
Buffer untouched_zeros(int64_t bytes) {
  const size_t n = static_cast<size_t>(std::max<int64_t>(bytes, 16));
  void* p = std::calloc(n, 1);
  if (p == nullptr) throw std::bad_alloc();
  return Buffer(p, bytes, std::shared_ptr<const void>(p, [](const void* q) {
                  std::free(const_cast<void*>(q));
                }));
}
}  // namespace

void Fills::pretend() {
  for (Fill& f : fills_) {
    const Column& c = *f.column;
    if (is_stored(c.space)) {
      const StoredExtent s = stored_extent(c.space);
      f.result =
          stored_column(untouched_zeros((s.first + s.size) * itemsize(c.dtype)), c.dtype, c.space);
    } else {
      f.result = load(untouched_zeros(16), c.dtype, local(c.space));
    }
  }
}

ColumnRef Fills::replacement(const ColumnRef& c) {
  if (!is_fill(*c)) return {};
  for (const auto& [fill, number] : found_) {
    if (fill == c) return fills_[number].result;
  }
  for (const auto& [old, now] : later_) {
    if (old == c) return now;
  }
  later_.emplace_back(c, rebuild(c));
  return later_.back().second;
}

bool Fills::untouched(const void* p) const {
  const auto seen = seen_.find(p);
  return seen && !*seen;
}

}  // namespace serrate::graph
