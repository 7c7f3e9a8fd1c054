// What must be computed before there can be a loop nest: histograms that something is computed
// from, and barriers; on a GPU also long derived lists that are looked at by index, and columns of
// more inputs than a kernel takes.
#pragma once

#include <utility>
#include <vector>

#include "graph/ir.h"
#include "graph/picks.h"
#include "graph/pointer_flags.h"

namespace serrate::graph {

/// Finds the fills of value trees that depend on no other fill, computes them, and puts loads of
/// the results in their place.
class Fills : public Rebase {
 public:
  /// `picks`: long derived lists too; `first`: and these columns.
  explicit Fills(bool picks, std::vector<ColumnRef> first = {})
      : Rebase(unit(), unit()), picks_(picks), first_(std::move(first)) {
    keeps_order_ = true;
  }
  /// A histogram at the top of a tree is a result of its own, not a fill.
  void find(const Node& n);
  void fill();
  bool any() const { return !found_.empty(); }
  NodeRef replace(const NodeRef& n) { return (*this)(n); }

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return rebuild(c); }
  ColumnRef replacement(const ColumnRef& c) override;
  bool untouched(const void* p) const override;

 private:
  bool find(const SpaceRef& s);
  bool find(const ColumnRef& c);
  bool find_below(const Column& c);
  bool is_fill(const Column& c) const;
  /// What is stored as lists and loaded again, if c is that.
  LongPick stored_list_of(const Column& c) const;

  bool picks_;
  std::vector<ColumnRef> first_;

  PointerFlags seen_;  // whether there is a fill in or below it
  std::vector<ColumnRef> found_, filled_;
};

}  // namespace serrate::graph
