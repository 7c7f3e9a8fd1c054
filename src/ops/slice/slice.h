// Slicing: the items of x[...] made ready, and the walk down a value tree that applies them.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "graph/ir.h"
#include "serrate/ops.h"

namespace serrate::ops {

/// One item of x[...] that is not a field.
struct SliceStep {
  enum class Kind : uint8_t {
    at,        // index: one item of each list; a column over unit where it is not known yet
    range,     // slice
    ellipsis,  //
    newaxis,   //
    array,     // tree: regular lists of integers, NumPy's advanced indexing
    missing,   // tree: a list of integers or None
    mask,      // tree: a list (or regular lists) of booleans, maybe None, for the outermost axes
    jagged     // tree: lists of lists of integers or booleans, maybe None
  };
  Kind kind = Kind::at;
  graph::ColumnRef index;
  Slice slice;
  graph::NodeRef tree;
};

/// Positional items and the field names, which commute with them.
struct SlicePlan {
  std::vector<SliceStep> steps;
  std::vector<const SliceItem*> fields;
  std::list<SliceItem> names;  // of fields that came as an array of strings
};
/// Checks and sorts the items. TypeError for what can't slice, ValueError for mixtures that have no
/// meaning.
SlicePlan plan_slice(const std::vector<SliceItem>& items);
/// Next to arrays integers are arrays too: records above what they pick from come out as such, and
/// of a missing list each item that is asked for is missing.
void integers_as_arrays(SlicePlan& plan, const graph::NodeRef& sliced);

/// The arrays of indices where a mask is true, one per dimension; looks at the mask.
std::vector<SliceStep> nonzero(const SliceStep& mask);

/// The tree of x, evaluated first where its items would be computed again and again; steps that
/// were made of it are over what is stored then.
graph::NodeRef sliced_input(const Array& x, std::vector<SliceStep>& steps);

struct RangeBounds {
  graph::SpaceRef space;   // of the lists that remain
  graph::NodeRef content;  // over it
  int64_t size = -1;       // of each, if regular
};
/// The lists of `n` (a list node over `space`) cut to a Python slice.
RangeBounds slice_lists(const graph::Node& n, const graph::SpaceRef& space, const Slice& slice);

/// x["name"] and x[["a", "b"]] at any depth; `rest` are the field items that follow. FieldError.
graph::NodeRef slice_field(const graph::SpaceRef& space, const graph::NodeRef& n,
                           std::string_view name);
graph::NodeRef slice_fields(const graph::SpaceRef& space, const graph::NodeRef& n,
                            const std::vector<const SliceItem*>& fields);

/// A single item without option or union, unless it is missing; looks at it.
graph::NodeRef present(const graph::NodeRef& item);

/// The positional part of a slice.
class Slicer {
 public:
  explicit Slicer(const std::vector<SliceStep>& steps) : steps_(steps) {}
  /// Applies the steps from `i` on to n over `space`. `guard`: where false nobody looks at the
  /// result.
  graph::NodeRef next(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                      const graph::ColumnRef& guard);

 private:
  using Guard = graph::ColumnRef;
  graph::NodeRef inside(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                        const Guard& guard);
  graph::NodeRef lists(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                       const Guard& guard);
  graph::NodeRef ellipsis(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                          const Guard& guard);
  graph::NodeRef newaxis(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                         const Guard& guard);
  graph::NodeRef array(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                       const Guard& guard);
  graph::NodeRef missing(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                         const Guard& guard);
  graph::NodeRef mask(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                      const Guard& guard);
  graph::NodeRef jagged(const graph::SpaceRef& space, const graph::NodeRef& n, size_t i,
                        const Guard& guard);
  graph::NodeRef jagged_below(const graph::SpaceRef& space, const graph::NodeRef& n,
                              const graph::NodeRef& by, size_t i, const Guard& guard);
  graph::NodeRef jagged_pick(const graph::SpaceRef& space, const graph::Node& n,
                             const graph::Node& by, size_t i, const Guard& guard);
  graph::ColumnRef item_index(const graph::SpaceRef& space, const graph::Node& n, size_t i,
                              const Guard& guard) const;
  bool has_empty_array() const;
  void look_at_indexes(const graph::SpaceRef& space, const graph::Node& n, size_t i);
  void broadcast_indexes(const graph::SpaceRef& space);

  const std::vector<SliceStep>& steps_;
  bool of_item_ = false;  // an index has taken an item of the array: what follows is about that
  // NumPy's advanced indexing: the dimensions of the broadcast arrays, outermost first, and for
  // each step that is an array its column over the last of them. Filled at the first array.
  std::vector<graph::SpaceRef> dims_;
  std::vector<int64_t> sizes_;
  std::vector<graph::ColumnRef> columns_;
  std::vector<graph::NodeRef> indexes_;  // of each step, and whether these are known to be in range
  std::vector<bool> are_known_;
};

}  // namespace serrate::ops
