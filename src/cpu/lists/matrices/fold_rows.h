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
  bool wide = false;     // sums: as float64, or complex128
  bool squares = false;  // sums: of the squares of differences from the column's mean; wide
  bool but_nan = false;  // sums, positions; count and any: of what is not NaN
};

/// Columns `first` to `last` of the matrix `number`, of all of them.
struct RowBand {
  int64_t number, first, last;
};

/// Is there a loop for them? Of extremes and tests there must be a row; nothing counts without a
/// look at items.
bool folds_rows(const RowFold& fold);

/// A result for each column of each matrix, of result_type() unless they are `wide`: products in
/// the order of the rows, sums of four rows at a time (of float32 in double precision), extremes,
/// or the first row that has one. Extremes pass over NaN, but argmin and argmax give row 0 where
/// that is one; of complex numbers the real parts decide, then the imaginary ones, and row 0 comes
/// where nothing else is left. The same bits for any number of threads and all instruction sets.
void fold_rows(const RowFold& fold, void* out, Isa isa = best_isa());

}  // namespace serrate::cpu
