// Few bytes of the GPU's written to pinned memory by a kernel, sooner than a copy would begin.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace serrate::cuda {

/// Writes them to pinned memory, and 1 to *done when all are there, which the host sees before the
/// kernel's end.
cudaError_t show_bytes(const void* from, int64_t bytes, void* to, uint64_t* done, cudaStream_t s);

}  // namespace serrate::cuda
