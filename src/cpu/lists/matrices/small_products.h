// Products of many small matrices.
#pragma once

#include <cstdint>

#include "cpu/machine/isa.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

/// Pairs of dense matrices, row by row: `left` of rows x inner items, `right` of inner x columns,
/// the next pair right behind.
struct SmallProducts {
  DType type = DType::float64;
  const void* left = nullptr;
  const void* right = nullptr;
  int64_t count = 0, rows = 0, inner = 0, columns = 0;
};

/// out = left * right, `count` times. Sums in the order of the inner items, the same bits for all
/// instruction sets. float32, float64, complex64 or complex128.
void small_products(const SmallProducts& of, void* out, Isa isa = best_isa());

}  // namespace serrate::cpu
