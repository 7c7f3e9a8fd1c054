// Offsets of lists from their lengths, on the GPU.
#pragma once

#include "cuda/device.h"

namespace serrate::cuda {

struct Offsets {
  Buffer buffer;  // n + 1 of int64
  int64_t total = 0;
};

/// Waits for the total, which the next allocation needs.
Offsets offsets_of(const Buffer& counts, int64_t n);

}  // namespace serrate::cuda
