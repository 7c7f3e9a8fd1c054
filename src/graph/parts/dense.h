// Element-wise expressions of slices of matrices and boxes, whose items stand at equal strides.
// They mean the same as expressions of flat arrays, whose plans are short.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/backend.h"
#include "graph/ir.h"
#include "graph/parts/strided.h"

namespace serrate::graph {

/// Operations of columns over `rows`, which have as many items: the same column of what f(argument)
/// makes of its arguments.
template <class F>
ColumnRef operation_over(const ColumnRef& c, const SpaceRef& rows, F&& f) {
  auto* r = new Column(*c);
  ColumnRef result = r;
  r->origin = {};
  r->space = rows;
  for (ColumnRef& a : r->args)
    if (a) a = f(a);
  return result;
}

/// An array of lists of one length at each level, of nothing but operations, numbers and items of
/// memory of the host, each found by a sum of its indexes times strides, and some of them not side
/// by side: m[:, ::-1] * 2, m[:, 1:] - m[:, :-1].
class DenseExpression {
 public:
  explicit DenseExpression(const NodeRef& root);
  explicit operator bool() const { return is_dense_; }
  /// Along the first dimension, and so many of it as copy about so many bytes.
  int64_t rows() const { return sizes_[0]; }
  int64_t rows_of(int64_t bytes) const;
  /// Is it evaluated faster some rows at a time than in one walk? Where the innermost dimension is
  /// so short that a walk takes longer for each list than for its items, and where each row is many
  /// items side by side.
  bool is_faster_in_parts() const {
    return has_long_rows_ || is_slice() || sizes_[static_cast<size_t>(dimensions_ - 1)] < kShort;
  }
  /// Nothing but items of memory, elsewhere?
  bool is_slice() const { return count_ == 1 && operations_ == 0; }
  /// Those of some rows, one behind the other.
  void copy(int64_t first, int64_t last, std::byte* to) const;

  /// The same of the items of some rows as one flat array: what does not lie side by side is
  /// copied. Of a long row some items, as many as one loop takes.
  NodeRef flat(int64_t first, int64_t last, int64_t piece = 0) const;
  /// The same, but that nothing is copied: columns over no memory stand for what does not lie side
  /// by side.
  NodeRef flat(int64_t first, int64_t last, std::vector<StridedColumn>& strided) const;
  /// Are they many items, of which something is repeated, so that it is copied for a block and read
  /// again in the next ones, or whose innermost lists are long? So many rows are a flat array of
  /// one loop.
  bool is_faster_by_blocks() const;
  int64_t rows_of_one_loop() const;
  int64_t pieces() const { return (items_of_row() + piece_ - 1) / piece_; }
  int64_t items_of_row() const { return items_ / rows(); }
  int64_t items_of_piece() const { return piece_; }
  int64_t bytes_of_row() const { return items_of_row() * itemsize(leaf_->column->dtype); }
  /// The tree of this array with items that are stored, those of flat() of all rows.
  NodeRef of_items(const Buffer& items) const;

 private:
  static constexpr size_t kMostViews = kMostStrided, kMostOperations = 12;
  static constexpr int kMostDimensions = StridedItems::kMostDimensions;
  static constexpr int64_t kShort = 32;

  /// Where item [i, j, ...] is in memory: first + i * strides[0] + j * strides[1] + ..., and of one
  /// dimension maybe what a table says.
  struct Places {
    int64_t first = 0;
    std::array<int64_t, kMostDimensions> strides{};
    int table_dimension = -1;
    std::vector<int64_t> table;

    bool add(int dimension, std::span<const int64_t> places, int64_t times = 1);
    void simplify();
  };
  struct View {
    const Column* load = nullptr;
    Places places;
  };
  /// What is made of some rows, one after the other.
  struct Rows {
    int64_t first, last, begin;  // and at which item
    SpaceRef items;
    std::array<ColumnRef, kMostViews> loads;
    std::vector<StridedColumn>* strided = nullptr;
  };

  bool has_dimensions(const Node& root);
  bool add(const Column& c, int dimensions);
  bool add_load(const Column& c, int dimensions);
  bool find_places(const Column& index, int dimensions, Places& to) const;
  bool find_told(const Column& table, int dimensions, Places& to) const;
  bool find_places(const Space& s, int dimensions, Places& to) const;
  StridedItems items(const View& v, int64_t first, int64_t last) const;
  StridedItems strided(const View& v, int64_t first, int64_t last) const {
    return merged(items(v, first, last));
  }
  bool are_rows_long() const;
  ColumnRef flat(const ColumnRef& c, Rows& rows) const;
  ColumnRef side_by_side(const View& v, const Rows& rows) const;

  const NodeRef& root_;
  const Node* leaf_ = nullptr;
  bool is_dense_ = false, are_adjacent_ = true, repeats_ = false, has_long_rows_ = false;
  int dimensions_ = 0;
  int64_t items_ = 1, copied_ = 0, piece_ = 1;
  std::array<int64_t, kMostDimensions> sizes_{};
  size_t operations_ = 0, count_ = 0;
  std::array<View, kMostViews> views_;
};

}  // namespace serrate::graph
