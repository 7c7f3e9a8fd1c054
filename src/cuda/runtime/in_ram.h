// Expressions of arrays on a GPU, evaluated in RAM: to find what is wrong with them.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace serrate::cuda {

/// Copies what these trees load, and evaluates them on the CPU, whose errors say where. What
/// categories stand for is not looked at.
void evaluate_in_ram(const std::vector<graph::NodeRef>& roots);

}  // namespace serrate::cuda
