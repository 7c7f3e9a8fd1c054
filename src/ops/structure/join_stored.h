// concatenate of arrays that are stored already: their memory is copied, piece by piece.
#pragma once

#include <optional>
#include <vector>

#include "graph/ir.h"
#include "serrate/array.h"

namespace serrate::ops {

/// Positions first .. first + size - 1 of the domain that a part's columns load from.
struct Piece {
  const graph::Node* node;
  int64_t first, size;
};
using Pieces = std::vector<Piece>;

/// Whether all are stored on the CPU in the same way: lists by offsets, or all of one size, but for
/// those of `axis`. A copy is cheaper then than choosing among them item by item, whatever is done
/// with the result. `types`: the types of numbers are the same, too.
bool can_join_stored(const std::vector<graph::NodeRef>& arrays, int axis = 0, bool types = true);
/// The arrays end to end.
graph::NodeRef join_stored(const std::vector<graph::NodeRef>& arrays);

/// Arrays that could be, but for the types of their numbers, with those of `joined`, what they are
/// together; nothing where that is made of unions, or the arrays are few items.
std::optional<std::vector<graph::NodeRef>> as_types_of(const std::vector<graph::NodeRef>& arrays,
                                                       const graph::NodeRef& joined, int axis = 0);

/// Those that are expressions of many items are evaluated, where arrays can be joined then: one
/// column each, as of records a field may be all that is asked for. Null where they are left.
std::optional<std::vector<graph::NodeRef>> stored_to_be_joined(
    const std::vector<Array>& arrays, const std::vector<graph::NodeRef>& nodes, int axis);

/// n with 64-bit offsets of all of its lists, which are stored on the CPU.
graph::NodeRef with_wide_offsets(const graph::NodeRef& n);

/// The same of the lists of axis `level` of arrays of as many rows each, of a few columns.
bool can_join_stored_lists(const std::vector<graph::NodeRef>& arrays, int level, bool types = true);
/// These lists end to end, list by list; null where lists around them are of unequal lengths.
graph::NodeRef join_stored_lists(const std::vector<graph::NodeRef>& arrays, int level);

}  // namespace serrate::ops
