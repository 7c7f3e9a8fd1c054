// Columns of matrices and lists, by the kernels of cpu/lists/matrices.
#include <algorithm>

#include "core/seams.h"
#include "cpu/backend.h"
#include "cpu/lists/matrices/fold_lists.h"
#include "cpu/lists/matrices/fold_rows.h"
#include "cpu/lists/matrices/list_columns.h"
#include "cpu/lists/matrices/scan_rows.h"
#include "cpu/lists/matrices/transpose.h"

namespace serrate::cpu {

using namespace graph;

namespace {

ListsInColumns lists_of(const ListColumns& c) {
  const bool some = c.take_part.bytes() > 0, own = c.first.bytes() > 0;
  return {c.owners,
          c.lists.as<int64_t>(),
          c.items.as<int64_t>(),
          c.columns.as<int64_t>(),
          c.places.as<int64_t>(),
          own ? c.first.as<int64_t>() : nullptr,
          some ? c.take_part.as<uint8_t>() : nullptr,
          c.first_column,
          c.end_column};
}

/// How many items are in the columns that are asked for.
int64_t placed(const ListColumns& c) {
  if (c.first_column == 0 && c.end_column < 0) return c.placed;
  const auto* places = c.places.as<int64_t>();
  return (c.end_column < 0 ? c.placed : places[c.end_column]) - places[c.first_column];
}

template <class F>
Buffer made(int64_t bytes, F&& f) {
  void* p = nullptr;
  const Buffer out = Buffer::allocate(bytes, &p);
  f(p);
  return out;
}

}  // namespace

std::optional<Buffer> transposed(const Matrices& of) {
  return made(of.count * of.rows * of.columns * of.itemsize, [&](void* to) {
    transpose(of.items, {of.count, of.rows, of.columns, of.stride}, of.itemsize, to);
  });
}

Buffer to_columns(const ListColumns& c, const std::byte* items, int64_t itemsize) {
  return made(placed(c) * itemsize,
              [&](void* to) { items_to_columns(lists_of(c), items, itemsize, to); });
}

void from_columns(const ListColumns& c, const std::byte* items, int64_t itemsize, std::byte* to) {
  columns_to_items(lists_of(c), items, itemsize, to);
}

Buffer count_in_columns(const ListColumns& c) {
  return made(c.columns.as<int64_t>()[c.owners] * 8,
              [&](void* to) { count_in_columns(lists_of(c), static_cast<int64_t*>(to)); });
}

Buffer lists_in_columns(const ListColumns& c) {
  return made(placed(c) * 4,
              [&](void* to) { lists_in_columns(lists_of(c), static_cast<int32_t*>(to)); });
}

Buffer places_in_columns(const ListColumns& c) {
  return made(c.count * 8,
              [&](void* to) { places_in_columns(lists_of(c), static_cast<int64_t*>(to)); });
}

namespace {

RowScan products(const ColumnFold& of, const std::byte* items) {
  return {.reducer = of.reducer, .dtype = of.dtype, .items = items, .but_nan = of.but_nan};
}

RowFold row_fold(const ColumnFold& of) {
  RowFold fold{of.reducer, of.dtype};
  fold.wide = of.wide;
  fold.squares = of.squares;
  fold.but_nan = of.but_nan;
  return fold;
}

}  // namespace

std::optional<Buffer> folded(const ColumnFold& of, const Matrices& m) {
  RowFold fold = row_fold(of);
  fold.items = m.items;
  fold.count = m.count;
  fold.rows = m.rows;
  fold.columns = m.columns;
  const int64_t bytes = m.count * m.columns * itemsize(of.result());
  if (of.reducer == Reducer::prod && of.but_nan)
    return made(bytes, [&](void* out) {
      multiply_rows(products(of, m.items), m.count, m.rows, m.columns, out);
    });
  if (!folds_rows(fold)) return {};
  return made(bytes, [&](void* out) { fold_rows(fold, out); });
}

std::optional<Buffer> folded(const ColumnFold& of, const ListColumns& c, const std::byte* items) {
  const int64_t size = itemsize(of.result());
  const ListsInColumns lists = lists_of(c);
  const int64_t bytes = lists.columns_of[c.owners] * size;
  // Regular columns of no lists have products, too.
  const auto *first = lists.lists_of, *last = first + lists.owners + 1;
  const bool are_long = c.first.bytes() == 0 && c.count >= seams().long_lists * *(last - 1) &&
                        std::adjacent_find(first, last) == last;
  if (of.reducer == Reducer::prod && (!are_long || of.but_nan))
    return made(bytes, [&](void* out) { multiply_rows(products(of, items), lists, out); });
  RowFold fold = row_fold(of);
  fold.items = items;
  fold.count = fold.rows = fold.columns = 1;
  if (!folds_rows(fold)) return {};
  return made(bytes, [&](void* out) { fold_lists(fold, lists, size, out); });
}

namespace {

RowScan row_scan(const ColumnScan& of, const std::byte* items) {
  return {of.reducer, of.dtype, items, reinterpret_cast<const uint8_t*>(of.valid)};
}

}  // namespace

std::optional<Buffer> scanned(const ColumnScan& of, const Matrices& m) {
  return made(m.count * m.rows * m.columns * itemsize(of.result), [&](void* out) {
    scan_rows(row_scan(of, m.items), m.count, m.rows, m.columns, out);
  });
}

std::optional<Buffer> scanned(const ColumnScan& of, const ListColumns& c, const std::byte* items) {
  return made(c.count * itemsize(of.result),
              [&](void* out) { scan_rows(row_scan(of, items), lists_of(c), out); });
}

}  // namespace serrate::cpu
