// The columns of an outer axis: item [k, l, ...] of each of its lists goes to column [k, l, ...].
//
// Results have lists of columns: as long, at each place, as the longest list there that takes part.
// Their lengths are maxima by cell (a scatter of the lengths of the lists inside), level by level;
// with the offsets these give, the column of an item is where its list's columns begin plus its
// index. So cost and memory follow the items, however different the lists are.
#pragma once

#include <optional>
#include <vector>

#include "graph/backend.h"
#include "graph/ir.h"

namespace serrate::ops {

class Columns {
 public:
  /// Of lists over the items of `axis`, which is stored or an axis 0. `row` over it: the index that
  /// results tell (null: that of the item).
  explicit Columns(graph::SpaceRef axis, graph::ColumnRef row = {});
  /// The lists inside the last ones (at first, inside the axis). `who` over what owns them: those
  /// that take part (null: all). `size`: of regular lists, else -1. Lengths are looked at.
  void enter(const graph::SpaceRef& lists, const graph::ColumnRef& who, int64_t size);

  /// That of the lists.
  graph::Backend& backend() const;
  /// How many lists the axis has, if these have columns of their own; else 1.
  int64_t owners() const;
  /// The items of the innermost lists; their column, to whom it matters.
  const graph::SpaceRef& items() const { return items_; }
  const graph::ColumnRef& column() const { return cell_; }
  /// The columns, one behind the other: a rows space.
  const graph::SpaceRef& cells() const { return cells_; }
  /// The index along the axis, of the items.
  graph::ColumnRef row() const;
  /// Of regular lists throughout, of which all take part: the items of each owner of the axis are
  /// a matrix, its columns are ours.
  std::optional<graph::Matrices> as_matrices() const;
  /// Of few long lists, stored, of which all take part; how many items each of their columns has.
  std::optional<graph::ListColumns> as_long_lists() const;
  /// The same, or any lists that a back end folds by this reducer.
  std::optional<graph::ListColumns> as_lists_for(Reducer r) const;
  graph::ColumnRef counts() const;
  /// Which column each item is in, of lists of items that a back end moves; what is in each column
  /// is not said.
  std::optional<graph::ListColumns> as_lists() const;
  /// Running results of `value` over items(), which is evaluated if need be, over the same; null of
  /// what is no number, or no option of one, or where a back end has nothing for it. `who`: items
  /// that take part (null: all).
  graph::NodeRef scanned(Reducer r, const graph::NodeRef& value, const graph::ColumnRef& who) const;
  /// Is the index along the axis that of the list which an item is in?
  bool tells_lists() const { return tells_indexes_ && sizes_.size() == 1; }
  /// What `load` reads over items(), where it is such matrices or lists and stored, folded now,
  /// over cells(); null where a back end has nothing for it.
  graph::ColumnRef folded(const graph::ColumnFold& fold, const graph::ColumnRef& load) const;
  /// One value a column as lists of columns, one list for each owner of the axis. `regular`: of
  /// regular lists even where that is the whole array.
  graph::NodeRef lists_of(const graph::NodeRef& value, bool regular) const;

 private:
  void begin(const graph::SpaceRef& lists, const graph::ColumnRef& who, int64_t size);
  void go_on(const graph::SpaceRef& lists, const graph::ColumnRef& who, int64_t size);

  graph::SpaceRef axis_, items_, cells_;
  bool tells_indexes_;
  graph::ColumnRef row_;                 // over axis_
  graph::ColumnRef cell_;                // int32 or int64, over items_
  graph::ColumnRef first_;               // int64, of each list the cell of its first item
  std::vector<graph::SpaceRef> levels_;  // lists of the result, the last one's positions are cells
  std::vector<int64_t> sizes_;
  bool all_take_part_ = true;
};

/// The items of each column as a list.
struct ColumnLists {
  graph::SpaceRef lists;   // stored, over columns.cells()
  graph::NodeRef values;   // over lists
  graph::ColumnRef row;    // over lists: indexes along the axis; null if nobody asked
  graph::SpaceRef all;     // rows: all items as they stand in the array
  graph::ColumnRef order;  // over all: that of the columns, items that take no part last
  graph::ColumnRef place;  // over all: where each item is in that order, if it is known
  std::optional<graph::Matrices> matrices;  // that were transposed; then there is no order
  std::optional<graph::ListColumns> moved;  // items that were; the same
};
/// The numbers of a stored leaf, or of an option of one, of matrices of this shape from item
/// `first` of its memory on, transposed, over `to`; null where a back end does not.
graph::NodeRef transposed_items(const graph::Node& n, const graph::Matrices& shape, int64_t first,
                                const graph::SpaceRef& to);
/// `value` over the items; `who`: those that take part (null: all). What is not stored of them is
/// evaluated.
ColumnLists lists_of_columns(const Columns& columns, const graph::NodeRef& value,
                             const graph::ColumnRef& who, bool with_row);
/// What is stored over `lists`, seen from the items of the array. `who`: where items take part.
graph::NodeRef back_to_items(const ColumnLists& lists, const graph::NodeRef& stored,
                             const graph::SpaceRef& items, const graph::ColumnRef& who);

/// Are all lists of a tree stored ones? Then columns need nothing else to be evaluated.
bool has_stored_lists(const graph::Node& n);
/// Are they stored, and so long on average that their columns are folded list by list?
bool are_few_long_lists(const graph::SpaceRef& lists);

/// Stored lists over a stored space, with these lengths: computed now.
graph::SpaceRef lists_with_lengths(const graph::SpaceRef& parent, const graph::ColumnRef& length);

/// n over a stored space as one over another whose items are the same, one by one.
graph::NodeRef over_same_items(const graph::NodeRef& n, const graph::SpaceRef& from,
                               const graph::SpaceRef& to);

}  // namespace serrate::ops
