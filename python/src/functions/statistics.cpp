// Statistics, with Awkward Array's arguments.
#include "common/operands.h"
#include "functions/bind.h"

namespace serrate::python {
namespace {

/// What all have: along which axis, and what becomes of it.
struct Along {
  nb::handle axis;
  Truth keepdims, mask_identity;
};

/// f(options, weight or null); operands before the weight are remembered already.
template <class F>
Array weighted(nb::handle x, nb::handle weight, const Along& a, const char* name, F&& f) {
  const ReduceOptions o{.axis = as_axis(a.axis, name, x),
                        .keepdims = a.keepdims,
                        .mask_identity = bool(a.mask_identity)};
  std::optional<Array> w;
  if (!weight.is_none()) w = as_array(weight, name);
  if (!a.keepdims) name_axes(x, Names::remove, o.axis);
  return f(o, w ? &*w : nullptr);
}

using Mean = Array (*)(const Array&, ReduceOptions, const Array*);

auto mean_along(const char* name, Mean f) {
  return [name, f](nb::handle x, nb::handle weight, nb::handle axis, Truth keepdims,
                   Truth mask_identity) {
    const Beside beside(x, weight);
    const Array values = as_array(x, name);
    return weighted(x, weight, {axis, keepdims, mask_identity}, name,
                    [&](ReduceOptions o, const Array* w) { return f(values, o, w); });
  };
}

/// The value below which the part q of the items lies.
using Quantile = Array (*)(const Array&, double, ReduceOptions);

Array quantile_along(nb::handle x, double q, const Along& a, const char* name, Quantile f) {
  const Beside beside(x);
  const Array values = as_array(x, name);
  return weighted(x, nb::none(), a, name,
                  [&](ReduceOptions o, const Array*) { return f(values, q, o); });
}

/// `whole`: q is a part of one (quantile) or of a hundred (percentile).
auto quantile_of(const char* name, Quantile f, double whole) {
  return [name, f, whole](nb::handle x, double q, nb::handle axis, Truth keepdims,
                          Truth mask_identity) {
    check<ValueError>(q >= 0 && q <= whole, "{}: q must be between 0 and {}, got {}", name, whole,
                      q);
    return quantile_along(x, q / whole, {axis, keepdims, mask_identity}, name, f);
  };
}

auto median_of(const char* name, Quantile f) {
  return [name, f](nb::handle x, nb::handle axis, Truth keepdims, Truth mask_identity) {
    return quantile_along(x, 0.5, {axis, keepdims, mask_identity}, name, f);
  };
}

using Spread = Array (*)(const Array&, ReduceOptions, double, const Array*);

auto spread_of(const char* name, Spread f) {
  return [name, f](nb::handle x, nb::handle weight, double ddof, nb::handle axis, Truth keepdims,
                   Truth mask_identity) {
    const Beside beside(x, weight);
    const Array values = as_array(x, name);
    return weighted(x, weight, {axis, keepdims, mask_identity}, name,
                    [&](ReduceOptions o, const Array* w) { return f(values, o, ddof, w); });
  };
}

using OfTwo = Array (*)(const Array&, const Array&, ReduceOptions, const Array*);

auto statistic_of_two(const char* name, OfTwo f) {
  return [name, f](nb::handle x, nb::handle y, nb::handle weight, nb::handle axis, Truth keepdims,
                   Truth mask_identity) {
    const Beside beside(x, y, weight);
    const Array a = as_array(x, name);
    const Array b = as_array(y, name);
    return weighted(x, weight, {axis, keepdims, mask_identity}, name,
                    [&](ReduceOptions o, const Array* w) { return f(a, b, o, w); });
  };
}

}  // namespace

void bind_statistics(nb::module_& m) {
  def_made<"mean">(m, mean_along, &serrate::mean);
  def_made<"nanmean">(m, mean_along, &serrate::nanmean);
  def_made<"median">(m, median_of, &serrate::quantile);
  def_made<"nanmedian">(m, median_of, &serrate::nanquantile);
  def_made<"quantile">(m, quantile_of, &serrate::quantile, 1);
  def_made<"nanquantile">(m, quantile_of, &serrate::nanquantile, 1);
  def_made<"percentile">(m, quantile_of, &serrate::quantile, 100);
  def_made<"nanpercentile">(m, quantile_of, &serrate::nanquantile, 100);
  def_made<"var">(m, spread_of, var);
  def_made<"std">(m, spread_of, serrate::std);
  def_made<"nanvar">(m, spread_of, nanvar);
  def_made<"nanstd">(m, spread_of, nanstd);
  def<"moment">(m, [](nb::handle x, double n, nb::handle weight, nb::handle axis, Truth keepdims,
                      Truth mask_identity) {
    const Beside beside(x, weight);
    const Array values = as_array(x, "moment");
    return weighted(x, weight, {axis, keepdims, mask_identity}, "moment",
                    [&](ReduceOptions o, const Array* w) { return moment(values, n, o, w); });
  });
  def_made<"covar">(m, statistic_of_two, covar);
  def_made<"corr">(m, statistic_of_two, corr);
  def_made<"linear_fit">(m, statistic_of_two, linear_fit);
  def<"softmax">(m, [](nb::handle x, nb::handle axis, Truth keepdims, Truth mask_identity) {
    return softmax(as_array(x, "softmax"), as_axis(axis, "softmax", x), mask_identity, keepdims);
  });
}

}  // namespace serrate::python
