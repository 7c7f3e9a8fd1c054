// What operations give without a look at the data.
#pragma once

#include <optional>

#include "graph/ir.h"

namespace serrate::graph {

/// What a condition is, or chooses, whatever the data: c of `c and true`, or of `c and 1 > 0`, as
/// lists of one item have some; the first of two where true. Null if that is not known.
ColumnRef known_condition(Op op, const ColumnRef* args, size_t n);

/// Does b hold wherever a does, as n > 0 where n >= 2? Seen from their structure: false if unknown.
bool implies(const ColumnRef& a, const ColumnRef& b);
/// Is `space` what a filter leaves, and does its condition imply c, a column over it?
bool holds_after_filter(const SpaceRef& space, const ColumnRef& c);

/// The length of what `x[:, :k]` or `x[:, -k:]` leaves of lists, from theirs: min(k, n); n of those
/// that end at start + n. Null of others.
ColumnRef length_of_slice(const ColumnRef& starts, const ColumnRef& stops);
/// Where lists begin that are not empty: of `x[:, -1:]` stop - 1, not max(stop - 1, start).
ColumnRef start_unless_empty(const Space& lists);

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
/// Of a column that is one.
Line line_of(const Column& c);

/// Are its items, and starts and stops of its lists, all items of stored memory at
/// first + step * p? Nothing is left to compute of it.
bool has_items_at_lines(const Node& n);
/// Is it an array of such items, as `x[::-1]` is? They, or the lists, are not side by side.
bool is_view(const Node& n);

/// What is true, or false, of any number of this type: integers and booleans are all finite, and
/// no time is infinite.
std::optional<bool> test_of_integers(Op op, DType t);

/// Of a node and all below it, found when somebody first asks: a tree that is made of others then
/// looks at its own nodes only.
struct TreeFacts {
  bool has_weak_numbers;  ///< of Python or C++, as leaves
  bool has_parameters;
  bool is_modest;   ///< far from all that is a reason to store it: see graph/materialise.h
  bool is_regular;  ///< all lists down to numbers, records or unions
  int depth;        ///< of these lists, through options; at most 255
};
TreeFacts facts_of_tree(const Node& n);

}  // namespace serrate::graph
