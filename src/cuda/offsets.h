// Offsets of lists from their lengths, on the GPU.
#pragma once

#include "cuda/device.h"
#include "graph/store.h"

namespace serrate::cuda {

/// Waits for the total, which the next allocation needs.
graph::KnownOffsets offsets_of(const Buffer& counts, int64_t n);

}  // namespace serrate::cuda
