// The Python module serrate._core.
#include "common/class.h"
#include "common/context.h"
#include "core/seams.h"
#include "files/files.h"

NB_MODULE(_core, m) {
  using namespace serrate::python;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nanobind::import_error("serrate can be imported by the main interpreter only");
  // NumPy 2 leaks a reference to the array in each refused np.add.reduce(x); no news at every exit.
  nanobind::set_leak_warnings(false);
  m.attr("__version__") = SERRATE_VERSION;
  serrate::seams();  // what SERRATE_SEAMS says wrong is said now
  bind_errors(m);
  m.attr("behavior") = global_behavior();
  bind_overloads(m);
  bind_table(m);
  bind_type(m);
  bind_array(m);
  bind_record(m);
  bind_builder(m);
  bind_elementwise(m);
  bind_reducers(m);
  bind_statistics(m);
  bind_show(m);
  bind_sorting(m);
  bind_sets(m);
  bind_histograms(m);
  bind_structure(m);
  bind_values(m);
  bind_records(m);
  bind_parameters(m);
  bind_compare(m);
  bind_missing(m);
  bind_combinatorics(m);
  bind_io(m);
  bind_layout(m);
  bind_arrow(m);
  bind_json(m);
  bind_columns(m);
  bind_dlpack(m);
  bind_frames(m);
  bind_plan(m);
  bind_apply(m);
  bind_compile(m);
  bind_backends(m);
  bind_gpu_memory(m);
  bind_vectors(m);
  bind_numba(m);
  bind_numba_builder(m);
  bind_numba_stops(m);
  bind_launches(m);
  wrap_functions(m);
}
