// The reference evaluator as a back end (graph/backend.h): for tests, and as proof that nothing
// above back ends knows them. Its memory is the host's, but only its own functions look at it.
#pragma once

#include "graph/backend.h"

namespace serrate::reference {

/// Its memory. Not a device that users may choose, so Device does not list it.
inline constexpr Device kReference{2};

graph::Backend& reference_backend();

/// A column at these places, in memory of the host.
Buffer store(class Evaluator& evaluator, const graph::ColumnRef& c,
             const std::vector<const struct Place*>& at);

}  // namespace serrate::reference
