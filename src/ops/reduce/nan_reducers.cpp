// Reducers and statistics that pass NaN over: those of what is missing where it is NaN.
#include "graph/operation.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

/// Nothing is None unless it is said otherwise, as of min and max.
ReduceOptions or_none(ReduceOptions o) {
  o.mask_identity = o.mask_identity.value_or(true);
  return o;
}

std::optional<Array> known(const Array* weight) {
  if (!weight) return std::nullopt;
  return nan_to_none(*weight);
}

}  // namespace

Array nansum(const Array& x, ReduceOptions o) { return sum(nan_to_none(x), o); }
Array nanprod(const Array& x, ReduceOptions o) { return prod(nan_to_none(x), o); }
Array nanmin(const Array& x, ReduceOptions o) { return min(nan_to_none(x), o); }
Array nanmax(const Array& x, ReduceOptions o) { return max(nan_to_none(x), o); }
Array nanargmin(const Array& x, ReduceOptions o) { return argmin(nan_to_none(x), o); }
Array nanargmax(const Array& x, ReduceOptions o) { return argmax(nan_to_none(x), o); }
Array nanmean(const Array& x, ReduceOptions o, const Array* weight) {
  const graph::Operation operation;
  const auto w = known(weight);
  return mean(nan_to_none(x), or_none(o), w ? &*w : nullptr);
}
Array nanvar(const Array& x, ReduceOptions o, double ddof, const Array* weight) {
  const graph::Operation operation;
  const auto w = known(weight);
  return var(nan_to_none(x), or_none(o), ddof, w ? &*w : nullptr);
}
Array nanstd(const Array& x, ReduceOptions o, double ddof, const Array* weight) {
  const graph::Operation operation;
  const auto w = known(weight);
  return std(nan_to_none(x), or_none(o), ddof, w ? &*w : nullptr);
}
Array nanquantile(const Array& x, double q, ReduceOptions o) {
  const graph::Operation operation;
  return quantile(nan_to_none(x), q, or_none(o));
}

Array median(const Array& x, ReduceOptions o) { return quantile(x, 0.5, o); }
Array nanmedian(const Array& x, ReduceOptions o) { return nanquantile(x, 0.5, o); }

}  // namespace serrate
