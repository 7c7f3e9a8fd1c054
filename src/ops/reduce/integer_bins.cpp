// The formulas of histogram_axis.cpp at once for each integer of a range, bit by bit the same.
#include "ops/reduce/integer_bins.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/seams.h"
#include "ops/lists/search.h"

namespace serrate {

using namespace graph;
using namespace ops;

namespace {

int64_t regular_bin(const HistogramAxis& a, double x) {
  const auto bins = static_cast<double>(a.bins);
  const double z = (x - a.lo) / (a.hi - a.lo);
  const double clipped = std::floor(std::fmax(std::fmin(z * bins, bins), -1));
  const bool closed = !a.overflow && !a.half_open;
  if (a.edges.empty()) return closed && z == 1 ? a.bins - 1 : static_cast<int64_t>(clipped);
  if (closed && x == a.hi) return a.bins - 1;
  const int64_t i = std::clamp(static_cast<int64_t>(clipped), int64_t{0}, a.bins - 1);
  const auto at = static_cast<size_t>(i);
  return i + (x >= a.edges[at + 1] ? 1 : 0) - (x < a.edges[at] ? 1 : 0);
}

int64_t variable_bin(const HistogramAxis& a, double x) {
  if (!a.overflow && !a.half_open && x == a.edges.back()) return a.bins - 1;
  return std::upper_bound(a.edges.begin(), a.edges.end(), x) - a.edges.begin() - 1;
}

/// Do both ends and all differences of numbers between them fit in a narrow signed type? Fewer
/// registers are cut to the range then.
bool holds(DType t, int64_t first, int64_t last) {
  if (!is_signed_integer(t) || itemsize(t) == 8) return false;
  const int64_t most = (int64_t{1} << (8 * itemsize(t) - 1)) - 1;
  return first >= -most && last <= most && last - first <= most;
}

}  // namespace

ColumnRef ops::looked_up_bin(const HistogramAxis& a, const SpaceRef& space, const ColumnRef& value,
                             const NodeRef& like) {
  const bool regular = a.kind == HistogramAxis::Kind::regular;
  if (!regular && a.kind != HistogramAxis::Kind::variable) return nullptr;
  if (a.circular || a.transform != HistogramAxis::Transform::none) return nullptr;
  if (!is_integer(value->dtype) || value->dtype == DType::uint64) return nullptr;
  const double lo = regular ? a.lo : a.edges.front(), hi = regular ? a.hi : a.edges.back();
  constexpr double exact = 0x1p52;  // all integers below it are numbers of float64
  if (!(lo > -exact && hi < exact && hi - lo < static_cast<double>(seams().binned))) return nullptr;
  const auto first = static_cast<int64_t>(std::floor(lo)) - 1;
  const auto last = static_cast<int64_t>(std::ceil(hi)) + 1;
  std::vector<int32_t> bins;
  for (int64_t i = first; i <= last; i++) {
    const auto x = static_cast<double>(i);
    const int64_t bin = (regular ? regular_bin(a, x) : variable_bin(a, x)) + (a.underflow ? 1 : 0);
    bins.push_back(static_cast<int32_t>(bin < a.extent() ? bin : -1));
  }
  const NodeRef table = table_of(std::span<const int32_t>(bins), like);
  const DType t = holds(value->dtype, first, last) ? value->dtype : DType::int64;
  const auto bound = [&](int64_t v) { return constant(Scalar::of(v, t)); };
  const ColumnRef x = apply(Op::maximum, {cast(value, t), bound(first)});
  const ColumnRef inside = apply(Op::minimum, {x, bound(last)});
  const ColumnRef at = cast(apply(Op::subtract, {inside, bound(first)}), DType::int64);
  return pick(space, table->space, table->contents[0]->column, at);
}

}  // namespace serrate
