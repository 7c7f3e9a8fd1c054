// SERRATE_CUDA=compile-only: a GPU that is none. Its memory is host memory, its algorithms run on
// the host, its kernels are compiled (compile.h) but never run; graph::evaluate has the CPU compute
// what they would write. So a machine without a GPU compiles every kernel that a program would
// launch, and tests all that is around them.
#pragma once

#include "cuda/device.h"

namespace serrate::cuda {

GpuDevice& compile_only_gpu();

}  // namespace serrate::cuda
