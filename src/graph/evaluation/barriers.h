// Resolving barriers: what needs whole lists is computed from stored keys, outside of loop nests.
//
// A barrier over C is resolved in three steps. Its keys are evaluated, as a tree of lists down to
// C. The primitive of the back end runs on keys and offsets. A load of the result takes the
// barrier's place: at a position of C it reads where the tree of lists has that position.
#pragma once

#include "graph/evaluate.h"
#include "graph/ir.h"

namespace serrate::graph {

struct Capabilities;

/// The tree of lists that must be stored before: keys, and who takes part, over the space of c.
NodeRef barrier_input(const Column& c, const Capabilities& can);
/// Runs c on the stored form of its input: a column over the space of c that loads the results.
ColumnRef run_barrier(const ColumnRef& c, const NodeRef& stored);

/// Lists of nothing but a barrier of numbers that the host has stored already, in their stored
/// form, without a plan: of small arrays its signature takes longer than what is done. Null of
/// others.
NodeRef run_alone(const NodeRef& root);

/// Is it a running sum or product?
bool adds(const Column& c);

/// The stored input of a barrier, taken apart. Nothing is wrong about it.
struct BarrierInput {
  SpaceRef space;
  NodeRef key;          // a leaf over it, or strings
  ColumnRef take_part;  // may be null
  int64_t items = 0;

  BarrierInput(const Column& c, const NodeRef& stored);
  const std::byte* data(const ColumnRef& c, const SpaceRef& s) const {
    return c->buffer.data() + stored_extent(s).first * itemsize(c->dtype);
  }
  const std::byte* data(const ColumnRef& c) const { return data(c, space); }
};

/// The groups of equal items of lists. Their items are numbered in each list by themselves.
struct ItemGroups {
  Buffer offsets;  // int64: list i has the groups from offsets[i] to offsets[i + 1]
  Buffer firsts;   // int64: of each group its first item; none where the order tells
  Buffer counts;   // int64: how many it has; of a single list whose items are numbered
  Buffer begins;   // int64, one more than groups: where in their order each begins instead
  Buffer numbers;  // int32, of each item: which group of its list it is in; if asked for
  Buffer order;  // int64: the items of a single list by their groups, where that is known; or none
  int64_t groups = 0, most = 0;  // in all, and of a list
};

/// The key of a sort of which all items take part, and those that take no part in c come last.
ColumnRef sort_key(const Column& c);
/// The same from sorts of numbers without missing ones and passes over the data: what a GPU does.
/// Everything is over `space`, a stored space. Null for a sort that is one already.
ColumnRef lower_barrier(const Column& c, const SpaceRef& space, const NodeRef& key,
                        const ColumnRef& take_part);

/// n under the lists that lead from axis 0 down to s.
NodeRef lists_down_to(const SpaceRef& s, NodeRef n);
/// What was over a space, and the stored space of the same positions that it is over now.
struct StoredItems {
  NodeRef items;
  SpaceRef space;
};
/// The tree n over s in its stored form, computed now as the items of lists_down_to(s, n).
StoredItems stored_items(const SpaceRef& s, const NodeRef& n);
/// Column c over s, a stored space, as a load: computed now.
ColumnRef stored_over(const SpaceRef& s, const ColumnRef& c);
/// Where, in the stored form of such a tree, the list begins that a position of the parent of s
/// has: a column over that parent. `stored` is s in that form.
ColumnRef first_of_list(const SpaceRef& s, const SpaceRef& stored);
/// Where a position of s stands in the tree of lists whose space at this level is `stored`.
ColumnRef place_in(const SpaceRef& s, const SpaceRef& stored);
/// A column over s of values that lie as the items of `stored`, s in the form that was evaluated.
ColumnRef stored_items_over(const SpaceRef& s, const SpaceRef& stored, const Buffer& values,
                            DType t);
/// Offsets from 0 on of a stored space whose memory the host reads.
Buffer offsets_on_host(const SpaceRef& s);

}  // namespace serrate::graph
