// Binding functions of an array and an axis.
#pragma once

#include "python.h"

namespace serrate::python {

template <class F>
void bind_axis(nb::module_& m, const char* name, F f, const char* doc) {
  m.def(
      name,
      [name, f](nb::handle array, nb::handle axis, bool highlevel, nb::handle behavior,
                nb::handle attrs) {
        begin(highlevel, behavior, attrs);
        return wrap(f(as_array(array, name), as_axis(axis, name, array)));
      },
      "array"_a, "axis"_a.none() = -1, nb::kw_only(), SERRATE_HBA, doc);
}

}  // namespace serrate::python
