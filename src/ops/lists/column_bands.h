// The columns of large matrices some at a time: what is made of them takes memory for these alone,
// and finds them in the caches.
#pragma once

#include <functional>
#include <optional>

#include "graph/backend.h"
#include "graph/evaluation/barriers.h"
#include "ops/lists/columns.h"

namespace serrate::ops {

class ColumnBands {
 public:
  /// `value` over the items of the columns, which is evaluated if need be. Nothing where they are
  /// not the columns of large matrices of numbers, or of a device that has all or none of them.
  static std::optional<ColumnBands> of(const Columns& columns, const graph::NodeRef& value);

  /// What f makes of the items of each column, stored over its lists: one number for each, or an
  /// option of one. Over `items`, those of the columns; null where f makes something else.
  graph::NodeRef map(const graph::SpaceRef& items,
                     const std::function<graph::NodeRef(ColumnLists&)>& f) const;
  /// The same of one number for each column, stored over the owner of its list; over `cells`.
  graph::NodeRef fold(const graph::SpaceRef& cells,
                      const std::function<graph::NodeRef(ColumnLists&)>& f) const;

 private:
  /// Columns `first` to first + columns of some matrices, which are one or all columns.
  struct Band {
    int64_t matrix, matrices, first, columns;
  };
  /// Numbers of all bands in the making.
  struct Numbers {
    Buffer buffer;
    std::byte* data = nullptr;
  };
  using Made = std::function<graph::NodeRef(ColumnLists&)>;
  ColumnBands(graph::Matrices shape, graph::StoredItems value)
      : shape_(shape), value_(std::move(value)) {}
  std::vector<Band> bands() const;
  ColumnLists lists_of(const Band& band) const;
  graph::NodeRef joined(const Made& f, bool one_a_column) const;
  /// Puts a band's numbers to those of all.
  void put(const graph::Column& c, int64_t skip, const Band& band, bool one_a_column,
           Numbers& all) const;

  graph::Matrices shape_;  // of all items, without their memory
  graph::StoredItems value_;
};

}  // namespace serrate::ops
