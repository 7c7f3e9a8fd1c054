// What files need of C++.
#pragma once

#include <nanobind/nanobind.h>

namespace serrate::python {
void bind_json(nanobind::module_& m);
void bind_columns(nanobind::module_& m);
}  // namespace serrate::python
