// A GPU as a back end: kernels, the plug-in's algorithms and memory behind graph/backend.h.
#pragma once

#include "graph/backend.h"

namespace serrate::cuda {

graph::Backend& cuda_backend();

/// See Backend::materialise, Backend::offsets_of.
Buffer materialise(const graph::Column& barrier, const graph::BarrierInput& in, int64_t skip);
Buffer offsets_of(const graph::SpaceRef& s);

}  // namespace serrate::cuda
