// The type slots of Array and Record that Python calls without going through a method.
#pragma once

#include "common/python.h"

namespace serrate::python {

/// Arithmetic, comparison, len, bool, x[...], fields as attributes.
extern PyType_Slot array_slots[];
/// Comparison and fields as attributes.
extern PyType_Slot record_slots[];

}  // namespace serrate::python
