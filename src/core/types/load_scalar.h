// One value read from memory, or written there.
#pragma once

#include "serrate/dtype.h"

namespace serrate {

/// The item of type t at p. float16 has no C++ type: a TypeError.
Scalar load_scalar(const void* p, DType t);
/// Writes it to itemsize(s.dtype) bytes at p; float16, too, is a TypeError.
void store_scalar(const Scalar& s, void* p);

}  // namespace serrate
