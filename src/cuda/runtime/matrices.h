// Products of dense matrices on a GPU by cuBLAS, if there is one.
#pragma once

#include <optional>

#include "graph/backend.h"

namespace serrate::cuda {

/// See Backend::matrix_product. Nothing for few products, which kernels of ours have done before
/// the library is opened, and by vectors, whose kernels read memory at its rate.
std::optional<Buffer> matrix_product(const graph::MatrixPair& of);

}  // namespace serrate::cuda
