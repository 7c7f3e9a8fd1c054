// Runs a finished nest on the GPU.
#pragma once

#include <string>
#include <vector>

#include "graph/nest.h"
#include "graph/store.h"

namespace serrate::cuda {

/// One buffer on the GPU per nest output. Throws what a failed check says.
std::vector<graph::Written> run(graph::Nest& nest);

/// The text that run() would compile, without the prelude. Needs no GPU.
std::string kernel_text(graph::Nest& nest);

}  // namespace serrate::cuda
