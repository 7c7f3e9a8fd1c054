// Dense matrices on a GPU: products by cuBLAS, if there is one, and transposed ones.
#pragma once

#include <optional>

#include "graph/backend.h"

namespace serrate::cuda {

/// See Backend::matrix_product. Nothing for few products, which kernels of ours have done before
/// the library is opened, and by vectors, whose kernels read memory at its rate.
std::optional<Buffer> matrix_product(const graph::MatrixPair& of);

/// See Backend::transposed.
Buffer transposed(const graph::Matrices& of);

}  // namespace serrate::cuda
