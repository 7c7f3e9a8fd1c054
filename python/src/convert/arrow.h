// Arrow's capsules, in and out: see arrow.cpp.
#pragma once

#include "common/python.h"

namespace serrate::python {

/// The array of an object with one of Arrow's methods (__arrow_c_array__ ...); nothing without.
std::optional<Array> from_arrow_object(nb::handle o, bool copy);
/// Does memory of this object's library belong to pandas, whose users write to it?
bool is_of_pandas(nb::handle o);

}  // namespace serrate::python
