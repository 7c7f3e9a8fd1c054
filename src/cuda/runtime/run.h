// Runs kernels on the GPU.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/kernels/generate.h"
#include "cuda/runtime/checks.h"
#include "graph/nest.h"
#include "graph/store.h"

namespace serrate::cuda {

/// Writes and compiles the kernels of a finished nest.
NewKernels make_kernels(graph::Nest& nest);

/// One buffer on the GPU per nest output. Throws what a failed check says.
std::vector<graph::Written> run(const Kernels& kernels, std::span<const void* const> objects,
                                const Evaluated& evaluated);

/// Throws std::logic_error unless kept kernels are what would be written for this nest, and find
/// the same numbers in these objects.
void check_kept(const Kernels& kernels, std::span<const void* const> objects, graph::Nest& nest);

/// How often the host waits for the GPU while these run: for sizes of what must be allocated.
int waits(const Kernels& kernels, std::span<const void* const> objects);

}  // namespace serrate::cuda
