// Matrices whose columns are folded, row by row.
#pragma once

#include <cstdint>

#include "core/types/reducer.h"
#include "cpu/machine/isa.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

/// `count` matrices one after the other, row by row, of numbers of a type.
struct RowFold {
  Reducer reducer = Reducer::prod;
  DType dtype = DType::float64;
  const void* items = nullptr;
  int64_t count = 0, rows = 0, columns = 0;
};

/// Columns `first` to `last` of the matrix `number`, of all of them.
struct RowBand {
  int64_t number, first, last;
};

/// Is there a loop for them? Of real numbers; there must be a row, but for products and sums.
bool folds_rows(const RowFold& fold);

/// A result for each column of each matrix, of result_type(): products in the order of the rows,
/// sums of four rows at a time (of float32 in double precision), extremes, or the first row that
/// has one. NaN is passed over, but by argmin and argmax in row 0, which is their result then. The
/// same bits for any number of threads and all instruction sets.
void fold_rows(const RowFold& fold, void* out, Isa isa = best_isa());

}  // namespace serrate::cpu
