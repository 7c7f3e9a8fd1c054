// When an expression is stored before more is made of it: see docs/internals.md, "What is stored on
// the way".
#pragma once

#include <optional>
#include <string>

#include "graph/ir.h"
#include "serrate/array.h"

namespace serrate {

namespace graph {

/// How much is computed for an item, in additions of float64.
int cost_of(const Column& c);

/// A rewrite made `copy` of `of`, to be computed at other positions.
void note_copy(const Column& of, const Column& copy);
void note_copy(const Space& of, const Space& copy);

/// Are the columns and spaces of this node far from all limits?
bool is_modest_itself(const Node& n);

/// Why a tree should be stored, if it should.
std::optional<std::string> reason_to_store(const Node& n);

/// Are lists reduced for each item of it? What repeats items had better repeat stored ones.
bool has_reductions(const Node& n);

/// Does an item of lists of these depths (of spaces) depend on others of its list: on their order,
/// sums, positions? Seen from more places than there are lists, each would have all of its list
/// made for itself.
bool needs_whole_lists(const Node& n, int least_depth, int most_depth);

/// Do items look into lists of their owners' that are nowhere stored, where lists of these depths
/// (of spaces) are joined? What is joined has lost its owners: each item would have all of such a
/// list made for itself.
bool looks_into_lists_of_owners(const Node& n, int least_depth, int most_depth);

/// `stored`, the stored form of n, with a note for explain() in each column that is new.
NodeRef noted(const NodeRef& stored, const Node& n, const std::string& why);

}  // namespace graph

/// Evaluates x in place. explain() of what is made of it says why.
void materialise(const Array& x, std::string why);
/// Evaluates x if that takes a few microseconds and cannot fail; false where it is left to
/// evaluate().
bool evaluate_shortly(const Array& x);
/// Evaluates several arrays together: afterwards all are stored.
void evaluate_together(const std::vector<Array>& arrays);
/// Is it stored, or a view of what is stored, and no check is left? Users' compute() leaves it
/// then.
bool is_computed(const Array& x);

}  // namespace serrate
