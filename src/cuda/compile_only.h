// SERRATE_CUDA=compile-only: a GPU that is none. Its memory is host memory, its algorithms run on
// the host, its kernels are compiled (compile.h) but never run: what they would write stays zero.
// A machine without a GPU can so compile every kernel that a program would launch.
#pragma once

#include "cuda/device.h"

namespace serrate::cuda {

GpuDevice& compile_only_gpu();

}  // namespace serrate::cuda
