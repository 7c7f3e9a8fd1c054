// When an expression is stored before more is made of it: see docs/internals.md, "What is stored on
// the way".
#pragma once

#include <optional>
#include <string>

#include "graph/ir.h"
#include "serrate/array.h"

namespace serrate {

namespace graph {

/// Beyond these an operand is evaluated before anything is made of it.
struct Bounds {
  int copied = 64;   // additions for an item that rewrites have made again: a store and a load, and
                     // what planning them costs
  int walks = 32;    // after one another, or inside one another
  int height = 320;  // with what one operation may add, below kMaxHeight
};
/// Those above, or what SERRATE_MOST_COPIED and SERRATE_MOST_WALKS say.
const Bounds& bounds();

/// How much is computed for an item, in additions of float64.
int cost_of(const Column& c);

/// A rewrite made `copy` of `of`, to be computed at other positions.
void note_copy(const Column& of, const Column& copy);
void note_copy(const Space& of, const Space& copy);

/// Why a tree should be stored, if it should.
std::optional<std::string> reason_to_store(const Node& n);

/// `stored`, the stored form of n, with a note for explain() in each column that is new.
NodeRef noted(const NodeRef& stored, const Node& n, const std::string& why);

}  // namespace graph

/// Evaluates x in place. explain() of what is made of it says why.
void materialise(const Array& x, std::string why);

}  // namespace serrate
