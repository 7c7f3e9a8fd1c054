// Folds along the outer axis: item k of every list goes to place k.
#pragma once

#include <cstdint>

#include "cpu/lists/ragged.h"

namespace serrate::cpu {

struct ColumnFoldArgs {
  const void* values = nullptr;  // n items of `dtype`; null: count
  DType dtype = DType::int64;    // int64, float64, or float32, which is added up as float64
  const int32_t* off = nullptr;  // local offsets of the lists, which may be read 64 bytes behind
  int64_t lists = 0;
  int64_t start = 0;    // place of the first list's first item
  int64_t size = 0;     // places; lists are no longer
  int tables = 1;       // of size + 1 items, as of HistogramArgs; lists take turns between two
  void* out = nullptr;  // updated in place
};

/// Sums and counts, smallest or largest items (NaN is passed over). The order of additions is the
/// same for all instruction sets.
void fold_columns(Reducer reducer, const ColumnFoldArgs& args, Isa isa = best_isa());

}  // namespace serrate::cpu
