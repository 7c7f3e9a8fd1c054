// Running sums, products, minima and maxima of the columns of lists, row by row.
#pragma once

#include <cstdint>

#include "core/types/reducer.h"
#include "cpu/lists/matrices/list_columns.h"
#include "serrate/dtype.h"

namespace serrate::cpu {

struct RowScan {
  Reducer reducer = Reducer::sum;
  DType dtype = DType::float64;
  const void* items = nullptr;
  const uint8_t* valid = nullptr;  // of each item: others add nothing; null: all are
  bool but_nan = false;            // products: of what is not NaN
};

/// As scan_lists() of each column, where the items lie; what is in no column gets any number. Lists
/// without places_of, of which all columns are asked for. Sums of more than seams().giant items are
/// added up in chunks of the lists, whose sums go before: the same for any number of threads.
void scan_rows(const RowScan& scan, const ListsInColumns& lists, void* out);
/// The same of `count` matrices, one after the other.
void scan_rows(const RowScan& scan, int64_t count, int64_t rows, int64_t columns, void* out);
/// The products of all columns, in the order of their lists, of the type of running ones.
void multiply_rows(const RowScan& scan, const ListsInColumns& lists, void* out);
void multiply_rows(const RowScan& scan, int64_t count, int64_t rows, int64_t columns, void* out);

}  // namespace serrate::cpu
