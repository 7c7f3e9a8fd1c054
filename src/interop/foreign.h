// Making foreign memory safe to load from.
#pragma once

#include "serrate/buffer.h"
#include "serrate/dtype.h"

namespace serrate::interop {

/// b, or a copy if its items have to be swapped into this machine's byte order or are not aligned.
Buffer usable(const Buffer& b, DType t, bool swap);
/// Bytes as booleans: b itself if all are 0 or 1 and `one` is true, else a copy of (byte != 0) ==
/// one.
Buffer zeros_and_ones(const Buffer& b, bool one);
/// A copy with the bytes of each item (each part of complex items) reversed.
Buffer swapped(const Buffer& b, DType t);

}  // namespace serrate::interop
