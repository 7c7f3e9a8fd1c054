// Matrices, transposed.
#pragma once

#include <cstdint>

#include "cpu/machine/isa.h"

namespace serrate::cpu {

struct MatrixShape {
  int64_t count, rows, columns;  // matrices one after the other, row by row
  // Items from row to row, of the matrices and of the transposed ones, where these are parts of
  // others; 0: they are not.
  int64_t stride = 0, to_stride = 0;
};

/// Up to 32 neighbouring rows of a matrix, and where their first column goes.
struct MatrixBand {
  const void* from;
  void* to;
  int64_t rows, columns, stride, to_stride;
};

/// `to` gets the transposed matrices one after the other. `itemsize`: 1, 2, 4, 8 or 16.
void transpose(const void* from, const MatrixShape& shape, int64_t itemsize, void* to,
               Isa isa = best_isa());

}  // namespace serrate::cpu
