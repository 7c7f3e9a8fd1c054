// Explaining and computing.
#include <optional>
#include <string>

#include "functions/bind.h"
#include "graph/evaluate.h"

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
      .def_ro("kernels", &graph::Explanation::kernels, "Text of the CUDA kernels, if asked for.")
      .def_ro("text", &graph::Explanation::text)
      .def_ro("passes", &graph::Explanation::passes, "Sweeps over the data.")
      .def_ro("bytes_read", &graph::Explanation::bytes_read, "Of stored buffers.")
      .def_ro("bytes_written", &graph::Explanation::bytes_written,
              "An upper bound where it depends on the data.")
      .def_ro("waits", &graph::Explanation::waits,
              "Times the host waits for a GPU, to make room for what is of unknown size.")
      .def("__str__", [](const graph::Explanation& e) { return e.text; })
      .def("__repr__", [](const graph::Explanation& e) { return e.text; });
  def<"explain">(m, [](nb::args arrays, std::optional<std::string> backend, Truth kernels) {
    std::vector<graph::NodeRef> roots;
    for (const Array& a : arrays_of(arrays, "explain")) roots.push_back(a.node());
    const std::string name = backend.value_or(kernels ? "cuda" : "cpu");
    check<ValueError>(name == "cpu" || name == "cuda",
                      "explain: expected backend 'cpu' or 'cuda', got '{}'", name);
    return graph::explain(roots, kernels && name == "cuda",
                          name == "cuda" ? Device::cuda : Device::cpu);
  });
  m.def("_evaluate", [](nb::args arrays) { evaluate_all(arrays_of(arrays, "compute")); });
  def<"compute">(m, [](nb::args arrays) -> nb::object {
    const std::vector<Array> all = arrays_of(arrays, "compute");
    compute_all(all);
    if (all.size() == 1) return wrap(all[0]);
    return wrap_all(all);
  });
}

}  // namespace serrate::python
