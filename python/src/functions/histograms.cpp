// Histograms: axes come as objects with boost-histogram's names of their parts.
#include "common/operands.h"
#include "functions/bind.h"
#include "serrate/histogram.h"

namespace serrate::python {
namespace {

nb::object histogram_python(nb::handle array, int64_t bins, double lo, double hi, nb::handle weight,
                            bool flow) {
  const Beside beside(array, weight);
  std::optional<Array> w;
  if (!weight.is_none()) w = as_array(weight, "histogram");
  return wrap(histogram(as_array(array, "histogram"), bins, lo, hi, w ? &*w : nullptr, flow));
}

nb::object bincount_python(nb::handle x, nb::handle weights, int64_t minlength) {
  begin(true, nb::none(), nb::none());
  const Beside beside(x, weights);
  std::optional<Array> w;
  if (!weights.is_none()) w = as_array(weights, "bincount");
  return wrap(bincount(as_array(x, "bincount"), w ? &*w : nullptr, minlength));
}

template <class T>
std::vector<T> values_of(nb::handle sequence) {
  return nb::cast<std::vector<T>>(nb::list(nb::borrow(sequence)));
}

/// (kind, numbers ..., flags): what _histogram.py makes of an axis.
HistogramAxis axis_from(nb::handle axis) {
  const auto get = [&](const char* name) { return nb::object(axis.attr(name)); };
  const auto kind = nb::cast<std::string>(get("kind"));
  HistogramAxis a;
  if (kind == "regular") {
    a = HistogramAxis::regular(nb::cast<int64_t>(get("bins")), nb::cast<double>(get("start")),
                               nb::cast<double>(get("stop")));
    a.circular = nb::cast<bool>(get("circular"));
    a.edges = values_of<double>(get("exact"));
    const auto transform = nb::cast<std::string>(get("transform"));
    if (transform == "log") a.transform = HistogramAxis::Transform::log;
    if (transform == "sqrt") a.transform = HistogramAxis::Transform::sqrt;
    if (transform == "pow") a.transform = HistogramAxis::Transform::pow;
    a.power = nb::cast<double>(get("power"));
  } else if (kind == "variable") {
    a = HistogramAxis::variable(values_of<double>(get("edges")));
  } else if (kind == "integer") {
    a = HistogramAxis::integer(nb::cast<int64_t>(get("start")), nb::cast<int64_t>(get("stop")));
  } else if (kind == "category") {
    a = HistogramAxis::category(values_of<int64_t>(get("categories")));
  } else {
    a = HistogramAxis::category(values_of<std::string>(get("categories")));
  }
  a.underflow = nb::cast<bool>(get("underflow"));
  a.overflow = nb::cast<bool>(get("overflow"));
  return a;
}

nb::object fill(nb::handle values, nb::handle axes, nb::handle weight, bool squares) {
  begin(true, nb::none(), nb::none());
  std::vector<HistogramAxis> all;
  for (nb::handle a : axes) all.push_back(axis_from(a));
  const Beside beside(values, weight);
  std::optional<Array> w;
  if (!weight.is_none()) w = as_array(weight, "histogram");
  HistogramOptions o{.weight = w ? &*w : nullptr, .squares = squares};
  return wrap(histogram(as_arrays(values, "histogram"), all, o));
}

}  // namespace

void bind_histograms(nb::module_& m) {
  def<"histogram">(m, &histogram_python);
  m.def("_bincount", &bincount_python, "x"_a, "weights"_a = nb::none(), "minlength"_a = 0);
  m.def("_fill", &fill, "values"_a, "axes"_a, "weight"_a = nb::none(), "squares"_a = false);
}

}  // namespace serrate::python
