// What kernels of functions of lists need: see lists.cpp.
#pragma once

#include "common/class.h"

namespace serrate::python {

void bind_list_kernels(nb::module_& m);

}  // namespace serrate::python
