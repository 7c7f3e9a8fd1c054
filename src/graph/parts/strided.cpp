// Items at strides: see strided.h.
#include "graph/parts/strided.h"

namespace serrate::graph {

StridedItems merged(const StridedItems& from) {
  StridedItems of;
  of.items = from.items;
  of.itemsize = from.itemsize;
  size_t n = 0;
  for (size_t d = 0; d < static_cast<size_t>(from.dimensions); d++) {
    const int64_t size = from.sizes[d], stride = from.strides[d];
    const bool is_told = from.table_dimension == static_cast<int>(d);
    if (size == 1) {
      if (is_told) of.items += from.table[0] * of.itemsize;
      continue;
    }
    const bool is_behind_table = n > 0 && of.table_dimension == static_cast<int>(n) - 1;
    if (is_told) {
      of.table_dimension = static_cast<int>(n);
      of.table = from.table;
      of.sizes[n++] = size;
    } else if (n > 0 && !is_behind_table && of.strides[n - 1] == stride * size) {
      of.sizes[n - 1] *= size;
      of.strides[n - 1] = stride;
    } else {
      of.sizes[n] = size;
      of.strides[n++] = stride;
    }
  }
  of.dimensions = static_cast<int>(n);
  return of;
}

StridedItems part_of(const StridedItems& from, std::span<const int64_t> at, int64_t begin,
                     int64_t n) {
  StridedItems of;
  of.items = from.items;
  of.itemsize = from.itemsize;
  const size_t next = at.size();
  for (size_t d = 0; d < next; d++) {
    const bool is_told = from.table_dimension == static_cast<int>(d);
    of.items += (is_told ? from.table[at[d]] : at[d] * from.strides[d]) * of.itemsize;
  }
  for (size_t d = next; d < static_cast<size_t>(from.dimensions); d++) {
    of.sizes[d - next] = d == next ? n : from.sizes[d];
    of.strides[d - next] = from.strides[d];
  }
  of.dimensions = from.dimensions - static_cast<int>(next);
  if (from.table_dimension >= static_cast<int>(next)) {
    of.table_dimension = from.table_dimension - static_cast<int>(next);
    of.table = from.table;
  }
  if (of.table_dimension == 0)
    of.table += begin;
  else
    of.items += begin * of.strides[0] * of.itemsize;
  return of;
}

bool is_whole(const StridedItems& of) {
  const bool is_row = of.dimensions == 1 && of.strides[0] == 1 && of.table_dimension < 0;
  return of.dimensions == 0 || is_row;
}

bool is_one(const StridedItems& of) {
  return of.dimensions == 1 && of.strides[0] == 0 && of.table_dimension < 0;
}

}  // namespace serrate::graph
