// The columns of an outer axis some at a time: what is made of them takes memory for these alone,
// and finds them in the caches.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "graph/backend.h"
#include "ops/lists/columns.h"

namespace serrate::ops {

class ColumnBands {
 public:
  /// `value` over the items of the columns, of which those take part that `who` says (null: all);
  /// both are evaluated if need be. Null where they are not many numbers, or of a device that has
  /// all columns or none. `with_row`: indexes along the axis are asked for.
  static std::unique_ptr<const ColumnBands> of(const Columns& columns, const graph::NodeRef& value,
                                               const graph::ColumnRef& who, bool with_row);
  ColumnBands() = default;
  ColumnBands(const ColumnBands&) = delete;
  ColumnBands& operator=(const ColumnBands&) = delete;
  virtual ~ColumnBands() = default;

  /// What f makes of the items of each column, stored over its lists: one number for each, or an
  /// option of one. Over `items`, those of the columns; null where f makes something else.
  graph::NodeRef map(const graph::SpaceRef& items,
                     const std::function<graph::NodeRef(ColumnLists&)>& f) const;
  /// The same of one number for each column, stored over the owner of its list; over `cells`.
  graph::NodeRef fold(const graph::SpaceRef& cells,
                      const std::function<graph::NodeRef(ColumnLists&)>& f) const;

 protected:
  /// Columns `first` to first + columns of all owners.
  struct Band {
    int64_t first, columns;
  };
  virtual std::vector<Band> bands() const = 0;
  virtual int64_t items() const = 0;
  virtual int64_t columns() const = 0;
  virtual ColumnLists lists_of(const Band& band) const = 0;
  /// Numbers of some bytes, one for each item of a band's columns, to their places among all.
  virtual void put(const std::byte* from, int64_t itemsize, const Band& band,
                   std::byte* all) const = 0;

 private:
  graph::NodeRef joined(const std::function<graph::NodeRef(ColumnLists&)>& f,
                        bool one_a_column) const;
};

/// Bytes of an item, or of what becomes of it, as of indexes.
inline int64_t bytes_of_item(int64_t itemsize) { return itemsize < 8 ? 8 : itemsize; }
/// Those of matrices, which are transposed, and of lists, which are moved.
std::unique_ptr<const ColumnBands> bands_of_matrices(const Columns& columns,
                                                     const graph::NodeRef& value);
std::unique_ptr<const ColumnBands> bands_of_lists(const Columns& columns,
                                                  const graph::NodeRef& value,
                                                  const graph::ColumnRef& who, bool with_row);

}  // namespace serrate::ops
