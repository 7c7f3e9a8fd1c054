// Spaces as kernels see them: whose items are found by number, and which numbers ints hold.
#pragma once

#include "graph/nest.h"

namespace serrate::cuda {

/// Spaces whose items can be reached by number: rows, list, fixed.
bool is_plain(const graph::Space& s);
/// Can items be found by number? Plain spaces, pairs, triples, products and aligned lists of plain
/// ones.
bool is_ranked(const graph::Space& s);
/// Is the number of items of so many lists surely an int?
bool counts_in_int(const graph::Space& s, int lists);
/// Do ints hold the positions of its items?
bool is_in_int(const graph::SpaceRef& s);
/// Is it counted without a walk, and folded by nobody?
bool is_count_of_ranked(const graph::Column& c);
/// Items of a list of the space on average, as far as is known.
double average_items(const graph::SpaceRef& s);
/// What threads that share a list of the space have in turns: its items, or of tuples that are not
/// found by number those that they begin with.
double average_turns(const graph::SpaceRef& s);

/// What sums and extrema are kept in: of float16 in float32 until they are looked at; of argmin and
/// argmax the value.
DType accumulator_type(const graph::Column& reduction);
/// Does it keep an index besides?
bool has_index(const graph::Column& reduction);
/// Is a NaN its result where that is the first item that takes part, which only all of them
/// together tell? Folds of parts of a list keep that item's index, too.
bool keeps_first(const graph::Nest& nest, const graph::Column& reduction);
/// Does it need its items one after the other?
bool order_matters(const graph::Nest& nest, const graph::Column& reduction);

}  // namespace serrate::cuda
