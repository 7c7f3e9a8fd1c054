// Plans of element-wise expressions of arrays whose items lie side by side, and of reducers of flat
// ones, by a key of a few words: where all that is computed is small, writing a Signature and
// walking a plan takes longer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "graph/evaluation/plan_cache.h"
#include "graph/ir.h"
#include "graph/parts/strided.h"
#include "graph/signature.h"

namespace serrate::graph {

/// An array, or a single value, of nothing but operations, reducers, numbers and stored arrays of
/// one length in the host's memory; or lists, of any lengths, of as many such items from the first
/// one on. Two with equal words have equal signatures, if they are flat arrays, but for what no
/// plan of such trees looks at, and their leaves correspond by number.
class FlatExpression {
 public:
  explicit FlatExpression(const NodeRef& root);
  explicit operator bool() const { return is_flat_; }
  int64_t rows() const { return count_of_rows_; }
  /// Lists of what is computed as a flat array.
  bool has_lists() const { return rows_ != nullptr && rows_->kind != SpaceKind::rows; }
  /// Their items as a flat array; lists of such numbers, which are stored.
  NodeRef without_lists() const;
  NodeRef with_lists(const NodeRef& stored) const;
  /// Of a value that is not missing: its plan is that of the value alone.
  bool is_option() const { return root_->kind == NodeKind::option; }
  const NodeRef& value() const { return is_option() ? root_->contents[0] : root_; }
  /// The tree with what is stored of its content.
  NodeRef with_content(NodeRef stored) const;

  /// Its stored form, by a plan that was kept for such a tree; null where there is none, or where
  /// it takes longer than what is `shortly` done.
  NodeRef evaluate(bool shortly = false) const;
  /// The same of an array's items, to memory; false where evaluate() would give none. Of `strided`
  /// columns, of one shape, the items are not those of their buffers.
  bool evaluate_to(std::byte* out, std::span<const StridedColumn> strided = {}) const;
  /// Keeps this plan, which was kept for its signature, if it looks at its leaves only.
  void keep(const Signature& s, const std::shared_ptr<const KeptPlan>& plan) const;

 private:
  static constexpr size_t kMostWords = 24, kMostLeaves = 8;

  bool add_items(const NodeRef& n, uint64_t word);
  bool add(const Column& c, bool is_row);
  bool add_load(const Column& c);
  bool add_constant(const Column& c);
  bool add_leaf(const Column& c, uint64_t word);
  bool put(uint64_t word);
  bool is_over_rows(const Space* s);
  ColumnRef over(const ColumnRef& c, const SpaceRef& rows) const;
  template <class F>
  bool run(bool shortly, F&& memory, std::span<const StridedColumn> strided = {}) const;
  std::span<const uint64_t> words() const { return {words_.data(), size_}; }
  friend struct FlatPlans;

  const NodeRef& root_;
  const Node* items_ = nullptr;  // the leaf
  const Space* rows_ = nullptr;  // or of the items of lists
  int64_t count_of_rows_ = 0;
  bool is_flat_ = false, has_loads_ = false;
  size_t size_ = 0, count_ = 0;
  std::array<uint64_t, kMostWords> words_;
  std::array<const Column*, kMostLeaves> leaves_;
};

}  // namespace serrate::graph
