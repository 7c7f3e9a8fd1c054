// Matrices, transposed.
#pragma once

#include <cstdint>

namespace serrate::cpu {

struct MatrixShape {
  int64_t count, rows, columns;  // matrices one after the other, row by row
};

/// `to` gets the transposed matrices one after the other. `itemsize`: 1, 2, 4, 8 or 16.
void transpose(const void* from, const MatrixShape& shape, int64_t itemsize, void* to);

}  // namespace serrate::cpu
