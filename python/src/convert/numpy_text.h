// Strings as NumPy's arrays of text.
#pragma once

#include "common/python.h"
#include "serrate/visit.h"

namespace serrate::python {

/// Items first .. first + n - 1 as an array of NumPy's str or bytes_, as long as the longest one.
/// Bytes that are no UTF-8 become lone surrogates, as in to_list.
nb::object numpy_text(const View& v, int64_t first, int64_t n);

}  // namespace serrate::python
