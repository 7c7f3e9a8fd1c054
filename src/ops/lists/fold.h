// Folding the lists of one axis: where a reducer's lists are, whatever the axis.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "graph/ir.h"

namespace serrate::ops {

class RowFolds;  // ops/lists/row_folds.h

/// The lists that are folded. Usually those of a space; along an outer axis of lists of different
/// lengths the j-th items of all of them, each of which adds to cell j.
class FoldedLists {
 public:
  /// `row`: the index of an item along the axis, if it is another than in its list.
  explicit FoldedLists(graph::SpaceRef lists, graph::ColumnRef row = {})
      : over_(std::move(lists)), row_(std::move(row)) {}
  /// Items of `items` are in the list that `cell` says, one of `cells` (a rows space), where `who`
  /// holds (null: all); `row` is their index in it.
  FoldedLists(graph::SpaceRef items, graph::ColumnRef cell, graph::ColumnRef row,
              graph::SpaceRef cells, graph::ColumnRef who)
      : over_(std::move(items)),
        cell_(std::move(cell)),
        row_(std::move(row)),
        cells_(std::move(cells)),
        who_(std::move(who)) {}
  /// The items of groups in the order of the array; `lists` are the groups.
  FoldedLists(const graph::SpaceRef& lists, const graph::Grouping& of)
      : over_(of.items), cell_(of.number), cells_(lists->parent), size_(graph::count(lists)) {}
  /// The same cells, of which each gets so many items if all take part.
  FoldedLists with_size(graph::ColumnRef size) const {
    FoldedLists r = *this;
    r.size_ = std::move(size);
    return r;
  }

  /// The same cells, which are columns of matrices that may be folded row by row.
  FoldedLists with_rows(std::shared_ptr<RowFolds> rows) const {
    FoldedLists r = *this;
    r.rows_ = std::move(rows);
    return r;
  }

  /// Where the items are, and where the results.
  const graph::SpaceRef& items() const { return over_; }
  const graph::SpaceRef& results() const { return cells_ ? cells_ : over_->parent; }
  /// Is it one list, that of a whole array (flat, or with no axis)?
  bool is_whole() const { return results()->kind == graph::SpaceKind::unit; }
  /// One of each list, of the items for which `take_part` (null: all) holds.
  graph::ColumnRef reduce(Reducer r, const graph::ColumnRef& value,
                          const graph::ColumnRef& take_part) const;
  graph::ColumnRef count(const graph::ColumnRef& take_part) const;
  /// Sums of the squares of what items differ from their list's mean, where that takes less than
  /// the same as an expression; else null.
  graph::ColumnRef squares(const graph::ColumnRef& value, const graph::ColumnRef& take_part) const;
  /// Index along the axis: of the items; and of the item at this index of each list, of lists for
  /// which `some` holds.
  graph::ColumnRef row() const;
  graph::ColumnRef row_at(const graph::ColumnRef& index, const graph::ColumnRef& some) const;
  /// A result, at each item that is in a list.
  graph::ColumnRef of_items(const graph::ColumnRef& result) const;

 private:
  graph::ColumnRef by_cells(Reducer r, const graph::ColumnRef& value,
                            const graph::ColumnRef& take_part) const;
  graph::ColumnRef position_of(Reducer r, const graph::ColumnRef& value,
                               const graph::ColumnRef& take_part) const;
  graph::ColumnRef of_complex(Reducer r, const graph::ColumnRef& value,
                              const graph::ColumnRef& take_part) const;
  graph::SpaceRef over_;
  graph::ColumnRef cell_, row_;
  graph::SpaceRef cells_;
  graph::ColumnRef who_;
  graph::ColumnRef size_;  // how many items come to each cell, where that is known
  std::shared_ptr<RowFolds> rows_;
};

/// One result per list. `value` over the items is a leaf (a tuple of leaves if
/// FoldOptions::tuples); `take_part` (null: all) tells which of its items count.
using Fold = std::function<graph::NodeRef(const FoldedLists& lists, const graph::NodeRef& value,
                                          const graph::ColumnRef& take_part)>;

struct FoldOptions {
  std::string name;              ///< for messages
  std::optional<int> axis = {};  ///< none: everything is one list
  bool keepdims = false;
  bool tuples = false;     ///< records at the leaves are what is folded
  bool positions = false;  ///< the fold gives positions: missing lists must not count
  bool any_value = false;  ///< strings and unions of leaves are folded too
  bool cells = true;       ///< no products: they need the items of a list next to each other
  std::optional<Reducer> reducer =
      {};                ///< all that the fold asks of values, or an extreme for both
  bool moments = false;  ///< it asks for their sums, or mean and squares, alone
  bool orders = false;   ///< it sorts or scans the items of a list: they are stored
  bool row = false;      ///< it asks for indexes along the axis
  bool missing = false;  ///< missing items are folded too, as options
  bool lists = false;    ///< results are lists, not numbers
};

/// The tree over unit with one axis folded. Lists below the axis are folded column by column: item
/// j of the result folds the j-th items of all lists that have one.
/// Unions of lists are folded as lists of unions, unions of numbers as numbers; with axis=None all
/// leaves are one list. AxisError, TypeError for records and strings, ValueError for other unions.
graph::NodeRef fold_axis(const graph::NodeRef& root, const FoldOptions& options, const Fold& fold);

/// At this level or below.
bool has_union(const graph::Node& n);

}  // namespace serrate::ops
