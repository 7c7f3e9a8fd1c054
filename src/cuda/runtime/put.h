// Values written to places of numbers on a GPU.
#pragma once

#include <optional>

#include "graph/backend.h"

namespace serrate::cuda {

/// See Backend::put. Waits.
std::optional<Buffer> put(const Buffer& memory, const graph::ItemUpdates& of);

}  // namespace serrate::cuda
