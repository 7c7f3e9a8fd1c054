// NumPy's broadcasting of the usual dense arrays: a matrix or box beside a row, a column, or
// numbers.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "graph/evaluate.h"
#include "graph/ir.h"
#include "graph/store.h"
#include "ops/elementwise/leaves.h"

namespace serrate::ops {

/// Arrays of lists of one length at each level, of numbers, of which one is as long as the result
/// in each dimension, or the two of an outer product. Null for all others: broadcasting goes the
/// long way. `of_numbers(leaves, guard)` makes a leaf of up to three, or null.
template <class F>
class DenseWalk {
  using NodeRef = graph::NodeRef;
  using SpaceRef = graph::SpaceRef;
  using ColumnRef = graph::ColumnRef;
  using Node = graph::Node;

 public:
  explicit DenseWalk(const F& of_numbers) : of_numbers_(of_numbers) {}

  NodeRef run(const std::vector<NodeRef>& nodes) {
    size_t most = 0;
    for (const NodeRef& n : nodes) {
      Operand& x = operands_[count_++];
      if (!look(*n, x)) return {};
      most = std::max(most, x.dimensions);
    }
    if (most < 2) return {};
    const Operand* whole = nullptr;
    for (const Operand& x : operands()) {
      if (x.dimensions == most && x.has_no_ones() && (whole == nullptr || is_stored(x.items())))
        whole = &x;
    }
    return whole != nullptr ? beside(*whole) : outer_product();
  }

 private:
  struct Operand {
    const Node* number = nullptr;
    size_t dimensions = 0;
    std::array<SpaceRef, 4> lists{};

    const SpaceRef& items() const { return lists[dimensions - 1]; }
    int64_t size(size_t d) const { return lists[d]->size; }
    bool has_no_ones() const {
      for (size_t d = 0; d < dimensions; d++)
        if (size(d) <= 1) return false;
      return true;
    }
    /// All numbers of memory, from its first one on, or from where a single list begins.
    bool is_side_by_side() const {
      for (size_t d = 1; d < dimensions; d++)
        if (!graph::are_adjacent(*lists[d])) return false;
      return dimensions > 0 && graph::is_plain_load(number->column);
    }
    bool is_row() const { return dimensions == 1 && is_side_by_side(); }
    bool is_column() const { return dimensions == 2 && size(1) == 1 && is_side_by_side(); }
  };
  std::span<Operand> operands() { return {operands_.data(), count_}; }

  static bool look(const Node& root, Operand& x) {
    const Node* n = &root;
    for (; n->kind == graph::NodeKind::list; n = n->contents[0].get()) {
      const graph::Space& s = *n->space;
      const bool are_rows = n == &root && s.kind == graph::SpaceKind::rows && n->size < 0;
      const bool is_dense = are_rows || (s.kind == graph::SpaceKind::fixed && n->size == s.size);
      if (!is_dense || !n->parameters.empty() || s.size <= 0 || x.dimensions == x.lists.size())
        return false;
      x.lists[x.dimensions++] = n->space;
    }
    x.number = n;
    return n->kind == graph::NodeKind::leaf &&
           (x.dimensions > 0 || n->column->kind == graph::ColumnKind::constant);
  }

  /// Its numbers seen from the items of the result's lists; null where that is not known here.
  static ColumnRef seen(const Operand& x, const Operand& whole) {
    if (x.dimensions == 0) return x.number->column;
    if (x.dimensions == whole.dimensions && same(x.items(), whole.items())) return x.number->column;
    return x.is_side_by_side() ? stretched(x, whole) : ColumnRef();
  }

  /// Its numbers, of which each dimension is one or as long as the result's.
  static ColumnRef stretched(const Operand& x, const Operand& whole) {
    if (x.dimensions > whole.dimensions) return {};
    const size_t more = whole.dimensions - x.dimensions;
    std::optional<size_t> last;  // of more than one
    for (size_t d = 0; d < x.dimensions; d++) {
      if (x.size(d) == 1) continue;
      if (x.size(d) != whole.size(d + more)) return {};
      last = d;
    }
    if (!last) return {};
    const SpaceRef& lists = whole.lists[*last + more];
    ColumnRef index;
    int64_t stride = 1;
    const auto add = [&](const ColumnRef& along, const SpaceRef& of) {
      ColumnRef part = graph::lift(along, of, lists);
      if (stride != 1) part = graph::apply(Op::multiply, {part, graph::constant(stride)});
      index = index ? graph::apply(Op::add, {part, index}) : part;
    };
    for (size_t d = x.dimensions; d-- > 0; stride *= x.size(d)) {
      const SpaceRef& along = whole.lists[d + more];
      if (x.size(d) != 1) add(graph::local(along), along);
      if (d == 0 && x.lists[0]->starts) add(x.lists[0]->starts, graph::unit());  // none of rows
    }
    const ColumnRef& c = x.number->column;
    return graph::lift(graph::load(c->buffer, c->dtype, index), lists, whole.items());
  }

  NodeRef beside(const Operand& whole) {
    std::array<Leaf, 3> leaves;
    for (size_t i = 0; i < count_; i++) {
      leaves[i] = {operands_[i].number, seen(operands_[i], whole)};
      if (!leaves[i].column) return {};
    }
    NodeRef out = of_numbers_({leaves.data(), count_}, {});
    for (size_t d = whole.dimensions; out && d-- > 0;)
      out = list_node(whole.lists[d], std::move(out), d == 0 ? -1 : whole.size(d));
    return out;
  }

  /// A column beside a row.
  NodeRef outer_product() {
    const Operand *column = nullptr, *row = nullptr;
    for (const Operand& x : operands()) {
      if (x.dimensions == 0) continue;
      const Operand*& other = x.is_column() ? column : row;
      if (other != nullptr || x.size(0) == 1 || !(x.is_column() || x.is_row())) return {};
      other = &x;
    }
    if (column == nullptr || row == nullptr) return {};
    Operand whole = *column;
    if (whole.lists[0]->kind != graph::SpaceKind::rows) whole.lists[0] = graph::rows(whole.size(0));
    whole.lists[1] = graph::stored_fixed(whole.lists[0], row->size(0));
    return beside(whole);
  }

  const F& of_numbers_;
  std::array<Operand, 3> operands_;
  size_t count_ = 0;
};

}  // namespace serrate::ops
