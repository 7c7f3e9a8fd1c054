// Lists of vectors beside others: with coffea's names, as methods and as functions; constructors.
#include "common/checked.h"
#include "vectors/classes.h"

namespace serrate::python {
namespace {

/// A function of Python as a metric of arrays; none: deltaR.
vectors::MetricOptions options(int axis, nb::handle metric) {
  vectors::MetricOptions o{.axis = axis};
  if (metric.is_none()) return o;
  o.metric = [metric](const Array& a, const Array& b) {
    const nb::object v = wrap(a), w = wrap(b);
    nb::object made;
    {
      const InnerCall inner;
      made = metric(v, w);
    }
    return as_array(made, "metric");
  };
  return o;
}

nb::object metric_table(nb::handle self, nb::handle other, nb::handle axis, nb::handle metric,
                        Truth return_combinations) {
  const graph::Operation operation;
  const Begun call;
  const char* name = "metric_table";
  const Array v = as_array(self, name), w = as_array(other, name);
  if (axis.is_none()) {
    const Array values = metric.is_none() ? vectors::deltaR(v, w) : options(0, metric).metric(v, w);
    if (!return_combinations) return wrap(values);
    return nb::make_tuple(wrap(values), nb::make_tuple(self, other));
  }
  const vectors::Table t =
      vectors::metric_table(v, w, options(as_int_axis(axis, name, self), metric));
  if (!return_combinations) return wrap(t.values);
  return nb::make_tuple(wrap(t.values), nb::make_tuple(wrap(t.first), wrap(t.second)));
}

nb::object nearest(nb::handle self, nb::handle other, nb::handle axis, nb::handle metric,
                   Truth return_metric, std::optional<double> threshold) {
  const graph::Operation operation;
  const Begun call;
  const char* name = "nearest";
  const Array v = as_array(self, name), w = as_array(other, name);
  const vectors::Nearest n =
      vectors::nearest(v, w, threshold, options(as_int_axis(axis, name, self), metric));
  if (!return_metric) return wrap(n.vectors);
  return nb::make_tuple(wrap(n.vectors), wrap(n.values));
}

nb::object overlaps(nb::handle self, nb::handle other, double radius, nb::handle axis,
                    nb::handle metric) {
  const graph::Operation operation;
  const Begun call;
  const char* name = "overlaps";
  const Array v = as_array(self, name), w = as_array(other, name);
  return wrap(vectors::overlaps(v, w, radius, options(as_int_axis(axis, name, self), metric)));
}

nb::object by_index(nb::handle items, nb::handle index) {
  const graph::Operation operation;
  const Begun call;
  const Array x = as_array(items, "by_index");
  return wrap(vectors::by_index(x, as_array(index, "by_index")));
}

nb::object children_index(nb::handle parents) {
  const graph::Operation operation;
  const Begun call;
  return wrap(vectors::children_index(as_array(parents, "children_index")));
}

nb::object distinct_parent_index(nb::handle parents, nb::handle ids) {
  const Begun call;
  const char* name = "distinct_parent_index";
  const Array index = as_array(parents, name);
  return wrap(vectors::distinct_parent_index(index, as_array(ids, name)));
}

nb::object zipped(nb::handle arrays, std::optional<int> depth_limit, nb::handle behavior) {
  const graph::Operation operation;
  begin(true, behavior, nb::none());
  check<TypeError>(PyDict_Check(arrays.ptr()),
                   "vector.zip: expected a dict of coordinates and other columns");
  vectors::Columns columns;
  for (auto [key, value] : nb::borrow<nb::dict>(arrays))
    columns.emplace_back(std::string(text_in(key)), as_array(value, "vector.zip"));
  return wrap(vectors::zip(columns, depth_limit));
}

nb::object as_vectors(nb::handle records, nb::handle behavior) {
  const graph::Operation operation;
  begin(true, behavior, nb::none());
  return wrap(vectors::as_vectors(as_array(records, "vector.Array")));
}

}  // namespace

void bind_vector_collections(nb::module_& m) {
  const auto everywhere = [&m](const char* name, auto f, const char* doc, const auto&... more) {
    def_method(2, name, f, "other"_a, more..., doc);
    m.def(name, f, "array"_a, "other"_a, more..., doc);
  };
  everywhere("metric_table", &metric_table, R"(
The distances (deltaR, or another metric) of each vector to each of the list in its place. With return_combinations
the two vectors of each distance, too; with axis=None those of vectors that stand side by side.)",
             nb::arg("axis").none() = 1, nb::arg("metric").none() = nb::none(),
             "return_combinations"_a = false);
  everywhere("nearest", &nearest, R"(
For each vector the nearest one of the list in its place; None where there is none within the threshold. With
return_metric the distances, too.)",
             "axis"_a = 1, nb::arg("metric").none() = nb::none(), "return_metric"_a = false,
             nb::arg("threshold").none() = nb::none());
  everywhere("overlaps", &overlaps, R"(
Whether some vector of the list in its place is nearer than the radius: jets[~jets.overlaps(leptons, 0.4)] are the
jets that are no leptons.)",
             "radius"_a = 0.4, "axis"_a = 1, nb::arg("metric").none() = nb::none());
  m.def("by_index", &by_index, "items"_a, "index"_a, R"(
The items of lists by their positions, None where a position is negative or behind the list: parents by an index of
each, as NanoAOD has them (genparts by genparts.genPartIdxMother); with lists of positions, children.)");
  m.def("children_index", &children_index, "parents"_a, R"(
The positions of each item's children, of lists with the position of each one's parent (negative: none); with by_index
the children of particles.

>>> from serrate import vector
>>> vector.children_index([[-1, 0, 0, 1]])
<Array [[[1, 2], [3], [], []]] type='1 * var * var * int64'>)");
  m.def("distinct_parent_index", &distinct_parent_index, "parents"_a, "ids"_a, R"(
The position of the first ancestor with another id than the item's own, -1 where there is none: generators copy
particles that go on. Computed at once; ValueError if an item is its own ancestor.

>>> from serrate import vector
>>> vector.distinct_parent_index([[-1, 0, 1, 2]], [[25, 23, 23, 13]])
<Array [[-1, 0, 0, 2]] type='1 * var * int64'>)");
  m.def("zip", &zipped, "arrays"_a, nb::arg("depth_limit").none() = nb::none(),
        nb::arg("behavior").none() = nb::none(), R"(
Vectors of columns by coordinates, called Momentum4D (3D, 2D) if one has the name of a momentum, else Vector4D.)");
  m.def("as_vectors", &as_vectors, "records"_a, nb::arg("behavior").none() = nb::none());
}

}  // namespace serrate::python
