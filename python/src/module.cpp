// The Python module serrate._core.
#include "operators.h"

NB_MODULE(_core, m) {
  using namespace serrate::python;
  // NumPy 2 leaks a reference to the array in each refused np.add.reduce(x); no news at every exit.
  nanobind::set_leak_warnings(false);
  m.attr("__version__") = SERRATE_VERSION;
  bind_errors(m);
  bind_type(m);
  bind_array(m);
  bind_record(m);
  bind_builder(m);
  bind_elementwise(m);
  bind_reducers(m);
  bind_sorting(m);
  bind_structure(m);
  bind_records(m);
  bind_missing(m);
  bind_combinatorics(m);
  bind_io(m);
  bind_plan(m);
  remember_attributes(nanobind::type<serrate::Array>());
  remember_attributes(nanobind::type<Record>());
}
