// What operations on times and on complex numbers are in CUDA text: expressions of x and y.
#pragma once

#include <string_view>

#include "serrate/dtype.h"
#include "serrate/op.h"

namespace serrate::cuda {

/// With operands of these types; TypeError for an operation that times have not.
std::string_view time_expression(Op op, DType x, DType y);
/// TypeError for an operation that complex numbers have not.
std::string_view complex_expression(Op op);

}  // namespace serrate::cuda
