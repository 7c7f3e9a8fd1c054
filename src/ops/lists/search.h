// Looking for values in sorted lists: binary search as an expression.
#pragma once

#include <span>
#include <string>

#include "graph/ir.h"

namespace serrate::ops {

/// Where NaN are in sorted lists: behind all numbers; nowhere; behind all numbers, but where one
/// that is looked for goes does not matter.
enum class NanPlace : uint8_t { last, none, any };

/// Sorted lists that values are looked for in.
struct SortedLists {
  graph::SpaceRef over;
  graph::NodeRef values;  ///< leaf or string over `over`
  graph::ColumnRef size;  ///< over the parent of `over`: items that take part, from the first on
  int64_t longest = 0;    ///< no list has more
  NanPlace nan = NanPlace::last;
  bool whole = false;  ///< `longest` is 2^n - 1, and all lists have as many items
};

/// How many items of its list are smaller than `key` (`right`: not larger), over `space`, which is
/// under the owner of the lists. Keys are leaves or strings, as the values are.
graph::ColumnRef insertion_point(const graph::SpaceRef& space, const graph::NodeRef& key,
                                 const SortedLists& sorted, bool right);

/// Has its type a NaN or NaT?
bool may_be_nan(const graph::ColumnRef& c);

/// a < b of leaves or strings over `space`; NaN is the largest number.
graph::ColumnRef comes_before(const graph::SpaceRef& space, const graph::Node& a,
                              const graph::Node& b);

/// a == b; with `equal_nan` NaN is equal to NaN.
graph::ColumnRef values_match(const graph::SpaceRef& space, const graph::Node& a,
                              const graph::Node& b, bool equal_nan);

/// Values as one list on the device of `like`.
graph::NodeRef table_of(std::span<const double> values, const graph::NodeRef& like);
graph::NodeRef table_of(std::span<const int32_t> values, const graph::NodeRef& like);
graph::NodeRef table_of(std::span<const int64_t> values, const graph::NodeRef& like);
graph::NodeRef table_of(std::span<const std::string> values, const graph::NodeRef& like);

/// The same in order, to be searched.
SortedLists sorted_table(const graph::NodeRef& table);

}  // namespace serrate::ops
