// Where the data of value trees are.
#pragma once

#include <optional>
#include <vector>

#include "graph/ir.h"

namespace serrate::graph {

/// The device of all buffers that these trees load from; nothing where they have none. ValueError,
/// naming to_backend, if they are on several. A few nanoseconds while no GPU is in use.
std::optional<Device> device_of(const std::vector<NodeRef>& roots);

/// The stored tree `n` over unit with its buffers on `to`: each once, trimmed to what is used.
NodeRef move_stored(const NodeRef& n, Device to);

}  // namespace serrate::graph
