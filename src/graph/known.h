// What operations give without a look at the data.
#pragma once

#include <optional>

#include "graph/ir.h"

namespace serrate::graph {

/// What a condition is, or chooses, whatever the data: c of `c and true`, or of `c and 1 > 0`, as
/// lists of one item have some; the first of two where true. Null if that is not known.
ColumnRef known_condition(Op op, const ColumnRef* args, size_t n);

/// true, or 1 > 0: the condition of what is never missing.
bool is_true(const Column& c);

/// The integers first + step * p at positions p of a space. They wrap around.
struct Line {
  int64_t first = 0, step = 0;
  int64_t at(int64_t p) const {
    return static_cast<int64_t>(static_cast<uint64_t>(first) +
                                static_cast<uint64_t>(step) * static_cast<uint64_t>(p));
  }
};

/// Is it such a column? That is seen from its structure, without a look at constants.
bool is_line(const ColumnRef& c);
/// The sum, difference or product of two of them, of which one is a constant.
Line combined(Op op, const Line& a, const Line& b);

/// What is true, or false, of any number of this type: integers and booleans are all finite.
std::optional<bool> test_of_integers(Op op, DType t);

}  // namespace serrate::graph
