// Products of matrices of integers and booleans, for which there is no library.
#pragma once

#include <cstdint>

#include "cpu/machine/isa.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

/// Dense matrices, row by row: `left` of rows x inner items, `right` of inner x columns.
struct IntegerProduct {
  DType type = DType::int64;
  const void* left = nullptr;
  const void* right = nullptr;
  int64_t rows = 0, inner = 0, columns = 0;
};

/// Columns of the right matrix, side by side, and the rows of the result that they give.
struct IntegerPanel {
  int64_t first_column, columns;
  int64_t first_row, last_row;
};

/// out = left * right. Integers wrap around; of booleans it is whether any of both is true.
void integer_product(const IntegerProduct& of, void* out, Isa isa = best_isa());

}  // namespace serrate::cpu
