// Statistics, with Awkward Array's arguments.
#include "bind.h"
#include "operands.h"

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

#define SERRATE_KEEP "keepdims"_a = false, "mask_identity"_a.none()

using Mean = Array (*)(const Array&, ReduceOptions, const Array*);

void bind_mean(nb::module_& m, const char* name, Mean f, bool mask_identity, const char* doc) {
  def(
      m, name,
      [name, f](nb::handle x, nb::handle weight, nb::handle axis, Truth keepdims,
                Truth mask_identity) {
        const Beside beside(x, weight);
        const Array values = as_array(x, name);
        return weighted(x, weight, {axis, keepdims, mask_identity}, name,
                        [&](ReduceOptions o, const Array* w) { return f(values, o, w); });
      },
      "x"_a, "weight"_a = nb::none(), "axis"_a = nb::none(), nb::kw_only(),
      SERRATE_KEEP = mask_identity, doc);
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
void bind_quantile(nb::module_& m, const char* name, Quantile f, double whole, bool mask_identity,
                   const char* doc) {
  def(
      m, name,
      [name, f, whole](nb::handle x, double q, nb::handle axis, Truth keepdims,
                       Truth mask_identity) {
        check<ValueError>(q >= 0 && q <= whole, "{}: q must be between 0 and {}, got {}", name,
                          whole, q);
        return quantile_along(x, q / whole, {axis, keepdims, mask_identity}, name, f);
      },
      "x"_a, "q"_a, "axis"_a = nb::none(), nb::kw_only(), SERRATE_KEEP = mask_identity, doc);
}

void bind_median(nb::module_& m, const char* name, Quantile f, bool mask_identity,
                 const char* doc) {
  def(
      m, name,
      [name, f](nb::handle x, nb::handle axis, Truth keepdims, Truth mask_identity) {
        return quantile_along(x, 0.5, {axis, keepdims, mask_identity}, name, f);
      },
      "x"_a, "axis"_a = nb::none(), nb::kw_only(), SERRATE_KEEP = mask_identity, doc);
}

using Spread = Array (*)(const Array&, ReduceOptions, double, const Array*);

void bind_spread(nb::module_& m, const char* name, Spread f, bool mask_identity, const char* doc) {
  def(
      m, name,
      [name, f](nb::handle x, nb::handle weight, double ddof, nb::handle axis, Truth keepdims,
                Truth mask_identity) {
        const Beside beside(x, weight);
        const Array values = as_array(x, name);
        return weighted(x, weight, {axis, keepdims, mask_identity}, name,
                        [&](ReduceOptions o, const Array* w) { return f(values, o, ddof, w); });
      },
      "x"_a, "weight"_a = nb::none(), "ddof"_a = 0, "axis"_a = nb::none(), nb::kw_only(),
      SERRATE_KEEP = mask_identity, doc);
}

using OfTwo = Array (*)(const Array&, const Array&, ReduceOptions, const Array*);

void bind_of_two(nb::module_& m, const char* name, OfTwo f, const char* doc) {
  def(
      m, name,
      [name, f](nb::handle x, nb::handle y, nb::handle weight, nb::handle axis, Truth keepdims,
                Truth mask_identity) {
        const Beside beside(x, y, weight);
        const Array a = as_array(x, name);
        const Array b = as_array(y, name);
        return weighted(x, weight, {axis, keepdims, mask_identity}, name,
                        [&](ReduceOptions o, const Array* w) { return f(a, b, o, w); });
      },
      "x"_a, "y"_a, "weight"_a = nb::none(), "axis"_a = nb::none(), nb::kw_only(),
      SERRATE_KEEP = false, doc);
}

}  // namespace

void bind_statistics(nb::module_& m) {
  bind_mean(m, "mean", &serrate::mean, false,
            "Means, weighted if asked for.\n\n>>> mean([[1, 2], []], axis=-1)\n<Array [1.5, nan] "
            "type='2 * float64'>");
  bind_mean(m, "nanmean", &serrate::nanmean, true,
            "Means of what is not NaN.\n\n>>> nanmean([[1, np.nan], []], axis=-1)\n<Array [1, "
            "None] type='2 * ?float64'>");
  bind_median(m, "median", &serrate::quantile, false,
              "Medians; of an even number of items the mean of the two in the middle.\n\n>>> "
              "median([[3, 1, 2], [], [4, 1]], axis=-1)\n<Array [2, nan, 2.5] type='3 * float64'>");
  bind_median(m, "nanmedian", &serrate::nanquantile, true,
              "Medians of what is not NaN.\n\n>>> nanmedian([[3, np.nan, 2], []], axis=-1)\n<Array "
              "[2.5, None] type='2 * ?float64'>");
  bind_quantile(m, "quantile", &serrate::quantile, 1, false,
                "The value below which the part q of the items lies, between neighbours in "
                "proportion.\n\n>>> quantile([[1, 2, 5], [4]], 0.25, axis=-1)\n<Array [1.5, 4] "
                "type='2 * float64'>");
  bind_quantile(m, "nanquantile", &serrate::nanquantile, 1, true,
                "Quantiles of what is not NaN.\n\n>>> nanquantile([[1, np.nan, 5], []], 0.25, "
                "axis=-1)\n<Array [2, None] type='2 * ?float64'>");
  bind_quantile(m, "percentile", &serrate::quantile, 100, false,
                "Quantiles by percent.\n\n>>> percentile([[1, 2, 5], [4]], 25, axis=-1)\n<Array "
                "[1.5, 4] type='2 * float64'>");
  bind_quantile(m, "nanpercentile", &serrate::nanquantile, 100, true,
                "Percentiles of what is not NaN.\n\n>>> nanpercentile([[1, np.nan, 5], []], 25, "
                "axis=-1)\n<Array [2, None] type='2 * ?float64'>");
  bind_spread(m, "var", var, false,
              "Variances.\n\n>>> var([[1, 3]], axis=-1)\n<Array [1] type='1 * float64'>");
  bind_spread(m, "std", serrate::std, false,
              "Standard deviations.\n\n>>> std([[1, 3]], axis=-1)\n<Array [1] type='1 * float64'>");
  bind_spread(m, "nanvar", nanvar, true,
              "Variances of what is not NaN.\n\n>>> nanvar([[1, 3, np.nan]], axis=-1)\n<Array [1] "
              "type='1 * ?float64'>");
  bind_spread(m, "nanstd", nanstd, true,
              "Standard deviations of what is not NaN.\n\n>>> nanstd([[1, 3, np.nan]], "
              "axis=-1)\n<Array [1] type='1 * ?float64'>");
  def(
      m, "moment",
      [](nb::handle x, double n, nb::handle weight, nb::handle axis, Truth keepdims,
         Truth mask_identity) {
        const Beside beside(x, weight);
        const Array values = as_array(x, "moment");
        return weighted(x, weight, {axis, keepdims, mask_identity}, "moment",
                        [&](ReduceOptions o, const Array* w) { return moment(values, n, o, w); });
      },
      "x"_a, "n"_a, "weight"_a = nb::none(), "axis"_a = nb::none(), nb::kw_only(),
      SERRATE_KEEP = false,
      "Means of the n-th power.\n\n>>> moment([[1, 3], []], 2, axis=-1)\n<Array [5, nan] type='2 * "
      "float64'>");
  bind_of_two(m, "covar", covar,
              "Covariances.\n\n>>> covar([[1, 3]], [[2, 6]], axis=-1)\n<Array [2] type='1 * "
              "float64'>");
  bind_of_two(m, "corr", corr,
              "Correlation coefficients.\n\n>>> corr([[1, 3]], [[2, 6]], axis=-1)\n<Array [1] "
              "type='1 * float64'>");
  bind_of_two(m, "linear_fit", linear_fit,
              "Straight lines through the points (x, y): records of intercept, slope and their "
              "errors.\n\n>>> linear_fit([[0, 1]], [[1, 3]], axis=-1).slope\n<Array [2] type='1 * "
              "float64'>");
  def(
      m, "softmax",
      [](nb::handle x, nb::handle axis, Truth keepdims, Truth mask_identity) {
        return softmax(as_array(x, "softmax"), as_axis(axis, "softmax", x), mask_identity,
                       keepdims);
      },
      "x"_a, "axis"_a.none() = -1, nb::kw_only(), SERRATE_KEEP = false,
      "exp(x) over its sum.\n\n>>> softmax([[1, 1], [], [5]])\n<Array [[0.5, 0.5], [], [1]] "
      "type='3 "
      "* var * float64'>");
}

}  // namespace serrate::python
