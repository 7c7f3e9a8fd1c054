// The slow, obvious evaluator: one position at a time, straight from the definitions in ir.h. An
// oracle for tests, and a back end (reference/backend.h).
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// What evaluate() must give for this tree over unit.
NodeRef reference_evaluate(const NodeRef& root);

}  // namespace serrate::graph
