// One value read from memory.
#pragma once

#include "serrate/dtype.h"

namespace serrate {

/// The item of type t at p. float16 has no C++ type: a TypeError.
Scalar load_scalar(const void* p, DType t);

}  // namespace serrate
