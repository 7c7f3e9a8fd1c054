// Items of lists, and the columns that they make: item j of a list is in column j of its owner, or
// in the j-th of the columns that are said to be its own.
#pragma once

#include <cstdint>

namespace serrate::cpu {

/// Lists of some owners; each owner has columns of its own, which lie one behind the other.
struct ListsInColumns {
  int64_t owners = 0;
  const int64_t* lists_of = nullptr;    // offsets of the lists of each owner
  const int64_t* items_of = nullptr;    // offsets of the items of each list
  const int64_t* columns_of = nullptr;  // offsets of the columns of each owner
  const int64_t* places_of = nullptr;   // offsets of what is in each column
  const int64_t* first_of = nullptr;    // of each list, of those of its owner; null: the first one
  const uint8_t* take_part = nullptr;   // of each item: others are in no column; null: all
  // Those that are asked for, of all columns: places are counted from the first one's on.
  int64_t first = 0, last = -1;  // -1: all from the first one on, and items that are in none
};

/// `to` gets the items column by column, in each in the order of the lists. `itemsize`: 1, 2, 4, 8
/// or 16.
void items_to_columns(const ListsInColumns& x, const void* items, int64_t itemsize, void* to);
/// The way back; items that are in no column become 0, those of columns that are not asked for stay
/// as they are.
void columns_to_items(const ListsInColumns& x, const void* columns, int64_t itemsize, void* to);
/// Column by column, which list of its owner each item is of.
void lists_in_columns(const ListsInColumns& x, int32_t* to);
/// How many items are in each column, of lists without places_of. All columns are asked for here,
/// and in places_in_columns().
void count_in_columns(const ListsInColumns& x, int64_t* counts);
/// Of each item, its place among all columns, or 0.
void places_in_columns(const ListsInColumns& x, int64_t* to);

}  // namespace serrate::cpu
