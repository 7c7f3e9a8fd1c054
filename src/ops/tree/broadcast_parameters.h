// Parameters of what broadcasting gives, from those of the operands.
#pragma once

#include <cstddef>
#include <vector>

#include "ops/tree/broadcast.h"

namespace serrate::ops {

/// Drops the parameters that n does not have.
void keep_common(Parameters& common, const graph::Node& n);
/// Parameters of list (or record) i of the results, from the operands of this kind.
Parameters result_parameters(const std::vector<graph::NodeRef>& nodes, graph::NodeKind kind,
                             BroadcastOptions::Rule rule, size_t i);
/// Those of an option around result i: of all operands, without what says what an operand is.
Parameters option_parameters(const std::vector<graph::NodeRef>& nodes, BroadcastOptions::Rule rule,
                             size_t i);

}  // namespace serrate::ops
