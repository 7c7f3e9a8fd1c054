// What must be computed before there can be a loop nest: histograms that something is computed
// from, and barriers; as a back end asks also long derived lists that are looked at by index, and
// columns of more inputs than a plan may have.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "graph/backend.h"
#include "graph/evaluation/picks.h"
#include "graph/pointer_flags.h"

namespace serrate::graph {

/// The tree that must be stored before fill c can be computed.
NodeRef fill_input(const Column& c, const LongPick& p, const Capabilities& can);
/// A column over the space of c that loads what c is computed to be.
ColumnRef fill_result(const ColumnRef& c, const LongPick& p, const NodeRef& stored);

/// Finds the fills of value trees that depend on no other fill, computes them, and puts loads of
/// the results in their place.
class Fills : public Rebase {
 public:
  /// `first`: these columns, too.
  explicit Fills(const Capabilities& can, std::vector<ColumnRef> first = {})
      : Rebase(unit(), unit()), can_(can), first_(std::move(first)) {
    keeps_order_ = true;
  }
  /// A histogram at the top of a tree is a result of its own, not a fill.
  void find(const Node& n);
  bool any() const { return !found_.empty(); }
  /// What is to be stored before, each once.
  std::vector<NodeRef> inputs();
  /// Computes what was found from their stored forms, each let go when it has been read.
  void fill(std::vector<NodeRef> stored);
  /// As if they were computed: memory that is all zeros stands for what they are.
  void pretend();
  NodeRef replace(const NodeRef& n) { return (*this)(n); }

  struct Fill {
    ColumnRef column;
    LongPick pick;
    size_t input = 0;
    ColumnRef result;
  };
  /// Different fills, after inputs().
  std::span<const Fill> fills() const { return fills_; }
  /// All that were found, with the number of the fill that each is.
  const std::vector<std::pair<ColumnRef, size_t>>& found() const { return found_; }
  /// Fills that need these, and what became of them when trees were replaced.
  const std::vector<std::pair<ColumnRef, ColumnRef>>& later() const { return later_; }

 protected:
  ColumnRef wrap(const ColumnRef& c) override { return rebuild(c); }
  ColumnRef replacement(const ColumnRef& c) override;
  bool untouched(const void* p) const override;

 private:
  bool find(const SpaceRef& s);
  bool find(const ColumnRef& c);
  template <class SpaceOrColumn>
  bool find_below(const SpaceOrColumn& x);
  bool is_fill(const Column& c) const;
  /// What is stored as lists and loaded again, if c is that.
  LongPick stored_list_of(const Column& c) const;

  const Capabilities& can_;
  std::vector<ColumnRef> first_;

  PointerFlags seen_;  // whether there is a fill in or below it
  std::vector<std::pair<ColumnRef, size_t>> found_;
  std::vector<Fill> fills_;
  std::vector<std::pair<ColumnRef, ColumnRef>> later_;
};

}  // namespace serrate::graph
