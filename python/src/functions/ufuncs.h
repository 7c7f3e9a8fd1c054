// Which ufunc of NumPy is which row of the table.
#pragma once

#include <unordered_map>

#include "common/python.h"

namespace serrate::python {

/// numpy.<ufunc> object to row, for all rows that are ufuncs.
const std::unordered_map<PyObject*, Op>& ufunc_rows();

/// matmul, divmod and other functions that are no single row; what _ufuncs.py is made of.
void bind_ufuncs(nb::module_& m);

}  // namespace serrate::python
