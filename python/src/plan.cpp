// Explaining and computing.
#include "graph/evaluate.h"
#include "python.h"

namespace serrate::python {
namespace {

std::vector<Array> arrays_of(nb::args args, const char* op) {
  std::vector<Array> out;
  for (nb::handle h : args) out.push_back(as_array(h, op));
  return out;
}

}  // namespace

void bind_plan(nb::module_& m) {
  nb::class_<graph::Explanation>(m, "Explanation", "The plan of an evaluation: str() draws it.")
      .def_ro("text", &graph::Explanation::text)
      .def_ro("passes", &graph::Explanation::passes, "Sweeps over the data.")
      .def_ro("bytes_read", &graph::Explanation::bytes_read, "Of stored buffers.")
      .def_ro("bytes_written", &graph::Explanation::bytes_written,
              "An upper bound where it depends on the data.")
      .def("__str__", [](const graph::Explanation& e) { return e.text; })
      .def("__repr__", [](const graph::Explanation& e) { return e.text; });
  m.def(
      "explain",
      [](nb::args arrays) {
        std::vector<graph::NodeRef> roots;
        for (const Array& a : arrays_of(arrays, "explain")) roots.push_back(a.node());
        return graph::explain(roots);
      },
      "arrays"_a,
      "What evaluating these arrays together would do.\n\n>>> explain(Array([1, 2]) + "
      "1).passes\n1");
  m.def(
      "compute",
      [](nb::args arrays) -> nb::object {
        const std::vector<Array> all = arrays_of(arrays, "compute");
        evaluate_all(all);
        if (all.size() == 1) return wrap(all[0]);
        return wrap_all(all);
      },
      "arrays"_a,
      "Evaluates arrays together, in one pass where they share lists, and returns them.\n\n"
      ">>> a, b = compute(x + 1, x * 2)");
}

}  // namespace serrate::python
