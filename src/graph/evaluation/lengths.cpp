// Bounds of lengths: see lengths.h.
#include "graph/lengths.h"

#include <algorithm>
#include <limits>

#include "graph/device.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

const ColumnRef& uncast(const ColumnRef& c) {
  const ColumnRef* at = &c;
  while ((*at)->kind == ColumnKind::cast) at = &(*at)->args[0];
  return *at;
}

bool is_op(const Column& c, Op op) { return c.kind == ColumnKind::op && c.op == op; }

/// The integer added in x + n, and x.
const Column* sum_with_number(const Column& c, double* number) {
  if (!is_op(c, Op::add)) return nullptr;
  for (size_t i = 0; i < 2; i++) {
    if (c.args[i]->kind != ColumnKind::constant || is_floating(c.args[i]->dtype)) continue;
    *number = static_cast<double>(c.args[i]->scalar.i);
    return c.args[1 - i].get();
  }
  return nullptr;
}

/// The largest that `to - from` can be. Slices are minima and maxima of sums with numbers.
double distance(const ColumnRef& from_, const ColumnRef& to_, int& steps, int depth = 8) {
  const ColumnRef &from = uncast(from_), &to = uncast(to_);
  if (same(from, to)) return 0;
  if (from->kind == ColumnKind::constant && to->kind == ColumnKind::constant)
    return static_cast<double>(to->scalar.i - from->scalar.i);
  if (depth == 0 || --steps < 0) return kUnknown;
  const auto each = [&](const ColumnRef& c, bool at_end, bool least) {
    double d[2];
    for (size_t i = 0; i < 2; i++)
      d[i] = at_end ? distance(from, c->args[i], steps, depth - 1)
                    : distance(c->args[i], to, steps, depth - 1);
    return least ? std::min(d[0], d[1]) : std::max(d[0], d[1]);
  };
  double bound = kUnknown, n = 0;
  if (is_op(*to, Op::minimum)) bound = each(to, true, true);
  if (is_op(*to, Op::maximum)) bound = each(to, true, false);
  if (is_op(*from, Op::maximum)) bound = std::min(bound, each(from, false, true));
  if (is_op(*from, Op::minimum)) bound = std::min(bound, each(from, false, false));
  if (const Column* x = sum_with_number(*to, &n))
    bound = std::min(bound, distance(from, ColumnRef(x), steps, depth - 1) + n);
  if (const Column* x = sum_with_number(*from, &n))
    bound = std::min(bound, distance(ColumnRef(x), to, steps, depth - 1) - n);
  return bound;
}

double of_list(const Space& s) {
  const int64_t known = longest_list(SpaceRef(&s));
  if (known >= 0) return static_cast<double>(known);
  int steps = 300;
  return std::max(0.0, distance(s.starts, s.stops, steps));
}

}  // namespace

double longest(const Space& s) {
  switch (s.kind) {
    case SpaceKind::unit:
      return 1;
    case SpaceKind::rows:
    case SpaceKind::fixed:
      return static_cast<double>(s.size);
    case SpaceKind::list:
      return of_list(s);
    case SpaceKind::flat:
      return longest(*s.bases[0]) * longest(*s.bases[0]->parent);
    case SpaceKind::cartesian: {
      double n = 1;
      for (const auto& b : s.bases) n *= longest(*b);
      return n;
    }
    case SpaceKind::combinations: {
      double n = 1;
      for (int i = 0; i < s.k; i++) n *= longest(*s.bases[0]);
      return n;
    }
    case SpaceKind::select:
    case SpaceKind::aligned:
      return longest(*s.bases[0]);
  }
  return kUnknown;
}

int64_t look_for_longest(const SpaceRef& s) {
  if (s->kind == SpaceKind::fixed) return stored_extent(s->parent).size == 0 ? 0 : s->size;
  if (s->kind != SpaceKind::list) return look(count(s));
  if (const int64_t known = longest_list(s); known >= 0) return known;
  const StoredExtent lists = stored_extent(s->parent);
  if (lists.size == 0) return 0;
  // Over the lists side by side, however deep they are.
  const SpaceRef side_by_side = rows(lists.size);
  const auto offsets = [&](const ColumnRef& c) {
    const int64_t size = itemsize(c->dtype);
    const Buffer part = c->buffer.slice(lists.first * size, lists.size * size);
    return cast(stored_column(part, c->dtype, side_by_side), DType::int64);
  };
  const ColumnRef length = apply(Op::subtract, {offsets(s->stops), offsets(s->starts)});
  const int64_t most = look(reduce(Reducer::max, side_by_side, length));
  note_longest_list(s, most);
  return most;
}

}  // namespace serrate::graph
