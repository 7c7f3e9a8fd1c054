// Lists of vectors beside other lists of vectors: distances, the nearest, overlaps; items by index.
#include "graph/type_text.h"
#include "ops/tree/levels.h"
#include "serrate/vectors.h"

namespace serrate::vectors {
namespace {

int axis_of(const Array& v, int axis) {
  const auto at = ops::positive_axis(*v.node(), axis, 0);
  check<AxisError>(at.has_value(), "metric_table: axis={} is not one of the array", axis);
  return *at;
}

}  // namespace

Table metric_table(const Array& v, const Array& w, const MetricOptions& o) {
  const Array both = cartesian({v, w}, {.axis = o.axis, .nested = {0}});
  Array first = both["0"], second = both["1"];
  Array values = o.metric ? o.metric(first, second) : deltaR(first, second);
  return {std::move(values), std::move(first), std::move(second)};
}

Nearest nearest(const Array& v, const Array& w, std::optional<double> threshold,
                const MetricOptions& o) {
  const int axis = axis_of(v, o.axis) + 1;
  const Table all = metric_table(v, w, o);
  const Array place = argmin(all.values, {.axis = axis, .keepdims = true});
  const Array value = firsts(getitem(all.values, {place}), axis);
  const Array vector = firsts(getitem(all.second, {place}), axis);
  if (!threshold) return {vector, value};
  const Array near = fill_none(value <= *threshold, false, none);
  return {mask(vector, near), mask(value, near)};
}

Array overlaps(const Array& v, const Array& w, double radius, const MetricOptions& o) {
  return any(metric_table(v, w, o).values < radius, {.axis = axis_of(v, o.axis) + 1});
}

Array by_index(const Array& items, const Array& index) {
  const Array known = mask(index, (index >= 0) & (index < num(items, 1)));
  const int depth = ops::levels(*index.node()).max;
  check<TypeError>(depth == 2 || depth == 3,
                   "by_index: expected lists of positions, or lists of such lists, got {}",
                   graph::type_text(*index.node()));
  if (depth == 2) return getitem(items, {known});
  return unflatten(getitem(items, {flatten(known, 2)}), flatten(num(index, 2)), 1);
}

}  // namespace serrate::vectors
