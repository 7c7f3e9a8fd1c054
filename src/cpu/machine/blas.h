// Products of matrices by a BLAS, if there is one.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate::cpu {

/// out = left * right, all of them dense and row by row: rows x inner times inner x columns. False,
/// with nothing done, for other types than float32, float64, complex64 and complex128, and where no
/// library is found. That is an OpenBLAS that the process has loaded (NumPy does), else
/// libopenblas, else what libblas is. It takes the threads that it is told to take.
bool multiply_matrices(DType t, int64_t rows, int64_t columns, int64_t inner, const void* left,
                       const void* right, void* out);

/// The sum of the products of n numbers each, those on the left conjugated if that is asked for;
/// else as multiply_matrices.
bool dot_vectors(DType t, int64_t n, const void* left, const void* right, bool conjugates,
                 void* out);

}  // namespace serrate::cpu
