// Histograms: axes, and counting the items of arrays in their bins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serrate/array.h"

namespace serrate {

/// An axis: which bin a value belongs to. Bins are numbered as boost-histogram does it: the
/// underflow, if there is one, comes first, the overflow (with NaN, and what is no category) last.
struct HistogramAxis {
  enum class Kind : uint8_t { regular, variable, integer, category, text };
  enum class Transform : uint8_t { none, log, sqrt, pow };

  /// Bins of equal width over [lo, hi).
  static HistogramAxis regular(int64_t bins, double lo, double hi);
  /// Bins between neighbouring edges, which ascend.
  static HistogramAxis variable(std::vector<double> edges);
  /// A bin for each integer in [lo, hi).
  static HistogramAxis integer(int64_t lo, int64_t hi);
  /// A bin for each of these values.
  static HistogramAxis category(std::vector<int64_t> values);
  static HistogramAxis category(std::vector<std::string> values);
  /// The same axis without bins for what lies outside; the last edge belongs to the last bin then.
  HistogramAxis without_flow() const;

  Kind kind = Kind::regular;
  Transform transform = Transform::none;  ///< regular: bins are equal in this of the value
  bool underflow = true, overflow = true;
  bool half_open = false;  ///< a value at the last edge is outside, with or without overflow
  bool circular = false;   ///< regular: values outside wrap around
  int64_t bins = 0;
  double lo = 0, hi = 0;
  double power = 1;  ///< Transform::pow
  /// variable; of a regular axis, if given, what decides where rounding would (NumPy's rule).
  std::vector<double> edges;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;

  /// Bins with underflow and overflow.
  int64_t extent() const { return bins + underflow + overflow; }
};

struct HistogramOptions {
  const Array* weight = nullptr;
  bool squares = false;  ///< sums of the squared weights: variances
};
/// Counts of all items in the bins of the axes (of n axes n regular dimensions of their extents).
/// There is one array per axis, broadcast together and with the weights, of any nesting; items that
/// are missing in one of them are left out. Counts and sums of integer weights are int64, else
/// float64. ValueError, TypeError for values that the axes don't take.
Array histogram(const std::vector<Array>& values, const std::vector<HistogramAxis>& axes,
                HistogramOptions o = {});
/// How often each integer from 0 to the largest comes among all items, of any nesting, as NumPy's
/// bincount does: int64; or sums of the weights (float64) at its places. At least `minlength` of
/// them. Looks at the largest. Items that are missing are left out. TypeError for what is no signed
/// or narrow integer, ValueError for negative ones.
Array bincount(const Array& x, const Array* weights = nullptr, int64_t minlength = 0);

}  // namespace serrate
