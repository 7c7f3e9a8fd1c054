// Bounds of sizes: see bounds.h.
#include "cuda/runtime/bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cuda/runtime/offsets.h"
#include "cuda/schedule/source.h"
#include "cuda/schedule/sums.h"
#include "graph/evaluate.h"
#include "graph/lengths.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// Of doubles, which do not overflow.
using Bound = std::optional<double>;

/// Columns that a look for a bound may ask about, however many ways lead to them.
constexpr int kMostSteps = 1000;
thread_local int steps = 0;
bool is_too_far() { return ++steps > kMostSteps; }

Bound positions(const SpaceRef& s);
Bound longest_of(const SpaceRef& s);

Bound both(const Bound& a, const Bound& b, double (*f)(double, double)) {
  return a && b ? Bound(f(*a, *b)) : Bound();
}
double sum(double a, double b) { return a + b; }
double product(double a, double b) { return a * b; }

bool is_above_0(const Column& c) {
  return c.kind == ColumnKind::constant && is_integer(c.dtype) && c.scalar.i >= 0;
}

/// 0 for numbers below.
Bound constant_value(const Column& c) {
  if (c.kind != ColumnKind::constant || is_floating(c.dtype) || is_complex(c.dtype)) return {};
  return std::max(0.0, static_cast<double>(c.scalar.i));
}

Bound smaller(const Bound& a, const Bound& b) { return a && b ? std::min(*a, *b) : a ? a : b; }

bool is_op(const ColumnRef& c, Op op) { return c->kind == ColumnKind::op && c->op == op; }

/// Stored lists whose offsets are loaded by two columns, where that is known.
std::optional<Lengths> lists_between(const Column& stops, const Column& starts) {
  const Column *to = loaded_offset(stops), *from = loaded_offset(starts);
  if (to == nullptr || from == nullptr || !is_offset_behind(*to, *from)) return {};
  const auto lengths = lengths_in(from->buffer);
  return lengths ? std::optional(lengths->look()) : std::nullopt;
}

/// Items of the lists whose offsets are loaded by two columns.
Bound between(const Column& stops, const Column& starts) {
  const Column* const to = loaded_offset(stops);
  if (to == nullptr || !is_each_once(*to)) return {};
  const auto lists = lists_between(stops, starts);
  return lists ? Bound(static_cast<double>(lists->total)) : Bound();
}

/// The longest of the lists whose offsets are loaded by two columns.
Bound length_by(const Column& stops, const Column& starts) {
  // An item's own list.
  if (stops.kind == ColumnKind::parent && starts.kind == ColumnKind::parent &&
      stops.space->kind == SpaceKind::list && same(stops.space, starts.space) &&
      same(stops.args[0], stops.space->stops) && same(starts.args[0], stops.space->starts))
    return longest_of(stops.space);
  const auto lists = lists_between(stops, starts);
  return lists ? Bound(static_cast<double>(std::max<int64_t>(0, lists->longest))) : Bound();
}

/// Is it never below 0?
bool is_count(const Column& c) {
  switch (c.kind) {
    case ColumnKind::constant:
      return is_above_0(c);
    case ColumnKind::position:
    case ColumnKind::local:
      return true;
    case ColumnKind::reduce:
      return c.reducer == Reducer::count;
    case ColumnKind::at:
    case ColumnKind::parent:
    case ColumnKind::pick:
    case ColumnKind::cast:
      return is_integer(c.dtype) && is_count(*c.args[0]);
    default:
      return false;
  }
}

/// The largest value of an integer column.
Bound greatest(const ColumnRef& c) {
  if (is_too_far()) return {};
  if (const Bound v = constant_value(*c)) return v;
  switch (c->kind) {
    case ColumnKind::local:
      return longest_of(c->link < 0 ? c->space : c->space->bases[static_cast<size_t>(c->link)]);
    case ColumnKind::reduce:
      return c->reducer == Reducer::count ? longest_of(c->over) : Bound();
    case ColumnKind::at:
    case ColumnKind::parent:
    case ColumnKind::pick:
      return greatest(c->args[0]);
    case ColumnKind::cast:
      return is_integer(c->args[0]->dtype) ? greatest(c->args[0]) : Bound();
    case ColumnKind::op:
      break;
    default:
      return {};
  }
  const auto of = [&](int i) { return greatest(c->args[i]); };
  switch (c->op) {
    case Op::where:
      return both(of(1), of(2), [](double a, double b) { return std::max(a, b); });
    case Op::minimum:
      return smaller(of(0), of(1));
    case Op::add:
      return both(of(0), of(1), sum);
    case Op::subtract:
      if (const Bound length = length_by(*c->args[0], *c->args[1])) return length;
      return is_count(*c->args[1]) ? of(0) : Bound();
    default:
      return {};
  }
}

/// Of the sum of a - b over all positions, where it is above 0: lists and parts of lists.
Bound difference(const ColumnRef& a, const ColumnRef& b, const SpaceRef& over) {
  if (is_too_far()) return {};
  if (same(a, b)) return 0;
  if (const Bound items = between(*a, *b)) return items;
  // Each of the base comes once at most.
  if (a->kind == ColumnKind::at && b->kind == ColumnKind::at && same(a->space, b->space) &&
      a->space->kind == SpaceKind::select)
    return difference(a->args[0], b->args[0], a->space->bases[0]);
  if (is_op(a, Op::where) && is_op(b, Op::where) && same(a->args[0], b->args[0])) {
    const auto part = [&](int i) { return difference(a->args[i], b->args[i], over); };
    return both(part(1), part(2), sum);
  }
  if (const Bound length = length_by(*a, *b)) return both(length, positions(over), product);
  const auto from = [&](int i) { return difference(a->args[i], b, over); };
  const auto to = [&](int i) { return difference(a, b->args[i], over); };
  if (is_op(a, Op::minimum)) return smaller(from(0), from(1));
  if (is_op(a, Op::maximum)) return both(from(0), from(1), sum);
  if (is_op(b, Op::maximum)) return smaller(to(0), to(1));
  if (is_op(b, Op::minimum)) return both(to(0), to(1), sum);
  if (is_op(a, Op::add)) {
    const Bound more = constant_value(*a->args[1]);
    return more ? both(from(0), both(more, positions(over), product), sum) : Bound();
  }
  return is_op(b, Op::add) && is_above_0(*b->args[1]) ? to(0) : Bound();
}

/// Of the sum of a column over all positions of its space; of numbers below 0 nothing is taken off.
Bound total(const ColumnRef& c, const SpaceRef& over) {
  if (is_too_far()) return {};
  if (const Bound v = constant_value(*c)) return both(v, positions(over), product);
  switch (c->kind) {
    case ColumnKind::cast:
      return c->dtype == DType::int64 ? total(c->args[0], over) : Bound();
    case ColumnKind::reduce:
      if (c->reducer == Reducer::count) return positions(c->over);
      return c->reducer == Reducer::sum ? total(c->args[0], c->over) : Bound();
    case ColumnKind::op:
      break;
    default:
      return c->dtype == DType::boolean ? positions(over) : Bound();
  }
  const auto of = [&](int i) { return total(c->args[i], over); };
  switch (c->op) {
    case Op::add:
    case Op::maximum:
      return both(of(0), of(1), sum);
    case Op::where:
      return both(of(1), of(2), sum);
    case Op::minimum:
      return smaller(of(0), of(1));
    case Op::subtract:
      if (const Bound items = difference(c->args[0], c->args[1], over)) return items;
      if (!is_count(*c->args[1])) return {};
      if (const Bound all = of(0)) return all;
      return both(greatest(c->args[0]), positions(over), product);
    default:
      return {};
  }
}

Bound longest_of(const SpaceRef& s) {
  const double n = longest(*s);
  return std::isfinite(n) ? Bound(n) : Bound();
}

Bound positions(const SpaceRef& s) {
  // Bounds of axis 0 that are computed would have to be looked at.
  if (s->kind == SpaceKind::list && s->depth == 1 && !is_stored(s) &&
      (s->starts->kind != ColumnKind::constant || s->stops->kind != ColumnKind::constant))
    return {};
  if (const int64_t known = known_size(s); known >= 0) return static_cast<double>(known);
  switch (s->kind) {
    case SpaceKind::list:
      return total(count(s), s->parent);
    case SpaceKind::fixed:
      return both(positions(s->parent), static_cast<double>(s->size), product);
    case SpaceKind::select:
    case SpaceKind::flat:
    case SpaceKind::aligned:
      return positions(s->bases[0]);
    case SpaceKind::combinations: {
      // n items of a list make n / k * C(n - 1, k - 1) tuples.
      const Bound items = positions(s->bases[0]), most = longest_of(s->bases[0]);
      if (!items || !most) return {};
      double tuples = *items;
      for (int i = 1; i < s->k; i++)
        tuples *= std::max(0.0, *most + (s->replacement ? i : -i)) / (i + 1);
      return tuples;
    }
    case SpaceKind::cartesian: {
      Bound n = positions(s->bases[0]);
      for (size_t i = 1; i < s->bases.size(); i++) n = both(n, longest_of(s->bases[i]), product);
      return n;
    }
    default:
      return {};
  }
}

}  // namespace

int64_t most_positions(const SpaceRef& s) {
  steps = 0;
  const Bound n = positions(s);
  // Rounding is made up for.
  return n && *n < 1e15 ? static_cast<int64_t>(*n * (1 + 1e-12)) + (*n > 0 ? 1 : 0) : -1;
}

}  // namespace serrate::cuda
