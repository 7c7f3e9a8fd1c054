// One function per kind of axis. Bins count from 0 for the first one, -1 for the underflow, `bins`
// for the overflow; what bins an axis has is decided at the end.
#include "ops/reduce/histogram_axis.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/type_text.h"
#include "ops/lists/search.h"
#include "ops/reduce/integer_bins.h"
#include "serrate/error.h"

namespace serrate {

using namespace graph;
using namespace ops;

HistogramAxis HistogramAxis::regular(int64_t bins, double lo, double hi) {
  HistogramAxis a;
  a.bins = bins;
  a.lo = lo;
  a.hi = hi;
  return a;
}

HistogramAxis HistogramAxis::variable(std::vector<double> edges) {
  HistogramAxis a;
  a.kind = Kind::variable;
  a.bins = static_cast<int64_t>(edges.size()) - 1;
  a.edges = std::move(edges);
  return a;
}

HistogramAxis HistogramAxis::integer(int64_t lo, int64_t hi) {
  HistogramAxis a;
  a.kind = Kind::integer;
  a.bins = hi - lo;
  a.lo = static_cast<double>(lo);
  a.hi = static_cast<double>(hi);
  return a;
}

HistogramAxis HistogramAxis::category(std::vector<int64_t> values) {
  HistogramAxis a;
  a.kind = Kind::category;
  a.underflow = false;
  a.bins = static_cast<int64_t>(values.size());
  a.integers = std::move(values);
  return a;
}

HistogramAxis HistogramAxis::category(std::vector<std::string> values) {
  HistogramAxis a;
  a.kind = Kind::text;
  a.underflow = false;
  a.bins = static_cast<int64_t>(values.size());
  a.texts = std::move(values);
  return a;
}

HistogramAxis HistogramAxis::without_flow() const {
  HistogramAxis a = *this;
  a.underflow = a.overflow = false;
  return a;
}

namespace {

ColumnRef number(double v) { return constant(Scalar::of(v)); }
ColumnRef small(int64_t v) { return constant(Scalar::of(v, DType::int32)); }

double transformed(const HistogramAxis& a, double x) {
  switch (a.transform) {
    case HistogramAxis::Transform::log:
      return std::log(x);
    case HistogramAxis::Transform::sqrt:
      return std::sqrt(x);
    case HistogramAxis::Transform::pow:
      return std::pow(x, a.power);
    default:
      return x;
  }
}

ColumnRef transformed(const HistogramAxis& a, const ColumnRef& x) {
  switch (a.transform) {
    case HistogramAxis::Transform::log:
      return apply(Op::log, {x});
    case HistogramAxis::Transform::sqrt:
      return apply(Op::sqrt, {x});
    case HistogramAxis::Transform::pow:
      return apply(Op::power, {x, number(a.power)});
    default:
      return x;
  }
}

/// Values between -1 and `bins` as numbers of bins; NaN is `bins`.
ColumnRef clipped(const HistogramAxis& a, const ColumnRef& x) {
  const ColumnRef below = apply(Op::fmin, {x, number(static_cast<double>(a.bins))});
  const ColumnRef inside = apply(Op::fmax, {below, number(-1)});
  return cast(apply(Op::floor, {inside}), DType::int32);
}

ColumnRef at_most(const ColumnRef& i, int64_t v) { return apply(Op::minimum, {i, small(v)}); }

/// Without overflow the last edge is part of the last bin, if nobody says otherwise.
ColumnRef with_last_edge(const HistogramAxis& a, const ColumnRef& is_last, const ColumnRef& bin) {
  if (a.overflow || a.half_open) return bin;
  return apply(Op::where, {is_last, small(a.bins - 1), bin});
}

/// One bin to the left or right where the edges say so.
ColumnRef by_edges(const HistogramAxis& a, const SpaceRef& space, const ColumnRef& x,
                   const ColumnRef& bin, const NodeRef& like) {
  const NodeRef table = table_of(std::span<const double>(a.edges), like);
  const ColumnRef inside = apply(Op::maximum, {at_most(bin, a.bins - 1), small(0)});
  const ColumnRef at = cast(inside, DType::int64);
  const auto edge = [&](const ColumnRef& i) {
    return pick(space, table->space, table->contents[0]->column, i);
  };
  const ColumnRef too_high = cast(apply(Op::less, {x, edge(at)}), DType::int32);
  const ColumnRef too_low =
      cast(apply(Op::greater_equal, {x, edge(apply(Op::add, {at, constant(1)}))}), DType::int32);
  return apply(Op::subtract, {apply(Op::add, {inside, too_low}), too_high});
}

ColumnRef regular_bin(const HistogramAxis& a, const SpaceRef& space, const ColumnRef& value,
                      const NodeRef& like) {
  const double lo = transformed(a, a.lo), hi = transformed(a, a.hi);
  const ColumnRef x = transformed(a, cast(value, DType::float64));
  ColumnRef z = apply(Op::divide, {apply(Op::subtract, {x, number(lo)}), number(hi - lo)});
  if (a.circular) {
    const ColumnRef turned = apply(Op::subtract, {z, apply(Op::floor, {z})});
    z = apply(Op::where, {apply(Op::isfinite, {z}), turned, number(1)});
  }
  const ColumnRef bin = clipped(a, apply(Op::multiply, {z, number(static_cast<double>(a.bins))}));
  if (a.circular) return bin;
  if (!a.edges.empty())
    return with_last_edge(a, apply(Op::equal, {x, number(hi)}), by_edges(a, space, x, bin, like));
  return with_last_edge(a, apply(Op::equal, {z, number(1)}), bin);
}

ColumnRef variable_bin(const HistogramAxis& a, const SpaceRef& space, const ColumnRef& value,
                       const NodeRef& like) {
  // Edges up to a power of two, so that nothing is looked for outside.
  std::vector<double> edges = a.edges;
  edges.resize(std::bit_ceil(edges.size() + 1) - 1, std::numeric_limits<double>::infinity());
  SortedLists table = sorted_table(table_of(std::span<const double>(edges), like));
  table.nan = NanPlace::none;
  table.whole = true;
  table.size = constant(static_cast<int64_t>(a.edges.size()));
  const ColumnRef x = cast(value, DType::float64);
  const ColumnRef place = insertion_point(space, leaf(x), table, true);
  const ColumnRef bin = cast(apply(Op::subtract, {place, constant(1)}), DType::int32);
  return with_last_edge(a, apply(Op::equal, {x, number(a.edges.back())}), bin);
}

ColumnRef integer_bin(const HistogramAxis& a, const ColumnRef& value) {
  if (!is_integer(value->dtype) || value->dtype == DType::uint64)
    return clipped(a, apply(Op::subtract, {cast(value, DType::float64), number(a.lo)}));
  const auto bound = [](double v) { return constant(static_cast<int64_t>(v)); };
  const ColumnRef x = apply(Op::maximum, {cast(value, DType::int64), bound(a.lo - 1)});
  const ColumnRef inside = apply(Op::minimum, {x, bound(a.hi)});
  return cast(apply(Op::subtract, {inside, bound(a.lo)}), DType::int32);
}

template <class T>
ColumnRef category_bin(const std::vector<T>& values, const SpaceRef& space, const NodeRef& value,
                       const NodeRef& like) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return values[static_cast<size_t>(i)] < values[static_cast<size_t>(j)];
  });
  std::vector<T> sorted;
  for (const int64_t i : order) sorted.push_back(values[static_cast<size_t>(i)]);
  const NodeRef table = table_of(std::span<const T>(sorted), like);
  const NodeRef numbers = table_of(std::span<const int64_t>(order), like);
  const auto n = static_cast<int64_t>(values.size());
  if (n == 0) return small(0);
  const ColumnRef place = insertion_point(space, value, sorted_table(table), false);
  const ColumnRef at = apply(Op::minimum, {place, constant(n - 1)});
  const ColumnRef found =
      values_match(space, *value, *rebase_pick(table->contents[0], space, table->space, at), false);
  const ColumnRef bin = pick(space, numbers->space, numbers->contents[0]->column, at);
  return cast(apply(Op::where, {found, bin, constant(n)}), DType::int32);
}

}  // namespace

void ops::check_axis(const HistogramAxis& a) {
  check<ValueError>(a.bins > 0, "histogram: expected at least one bin, got {}", a.bins);
  check<ValueError>(a.extent() < (int64_t{1} << 31), "histogram: too many bins: {}", a.bins);
  if (a.kind == HistogramAxis::Kind::variable || !a.edges.empty()) {
    for (size_t i = 1; i < a.edges.size(); i++)
      check<ValueError>(a.edges[i - 1] < a.edges[i], "histogram: edges must ascend, got {}, {}",
                        a.edges[i - 1], a.edges[i]);
  }
  if (a.kind == HistogramAxis::Kind::regular) {
    check<ValueError>(a.lo < a.hi, "histogram: expected lo < hi, got [{}, {})", a.lo, a.hi);
    check<ValueError>(std::isfinite(transformed(a, a.lo)) && std::isfinite(transformed(a, a.hi)),
                      "histogram: the transform of [{}, {}) is not finite", a.lo, a.hi);
  }
}

ColumnRef ops::bin_of(const HistogramAxis& a, const SpaceRef& space, const NodeRef& value,
                      const NodeRef& like) {
  const bool text = a.kind == HistogramAxis::Kind::text;
  const bool fits = text ? is_string(*value)
                         : value->kind == NodeKind::leaf && !is_complex(value->column->dtype) &&
                               !is_time(value->column->dtype);
  check<TypeError>(fits, "histogram: expected {}, got {}", text ? "strings" : "numbers",
                   type_text(*value));
  if (!text)
    if (ColumnRef found = looked_up_bin(a, space, value->column, like)) return found;
  ColumnRef bin;
  switch (a.kind) {
    case HistogramAxis::Kind::regular:
      bin = regular_bin(a, space, value->column, like);
      break;
    case HistogramAxis::Kind::variable:
      bin = variable_bin(a, space, value->column, like);
      break;
    case HistogramAxis::Kind::integer:
      bin = integer_bin(a, value->column);
      break;
    case HistogramAxis::Kind::category:
      bin = category_bin(a.integers, space, value, like);
      break;
    case HistogramAxis::Kind::text:
      bin = category_bin(a.texts, space, value, like);
      break;
  }
  if (a.underflow) bin = apply(Op::add, {bin, small(1)});
  if (a.overflow) return bin;
  const ColumnRef outside = apply(Op::greater_equal, {bin, small(a.extent())});
  return apply(Op::where, {outside, small(-1), bin});
}

}  // namespace serrate
