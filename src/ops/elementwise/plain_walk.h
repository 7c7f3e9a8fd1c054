// A walk over operands whose lists are the same, without the long way of broadcasting.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "graph/ir.h"
#include "ops/elementwise/leaves.h"
#include "ops/tree/levels.h"

namespace serrate::ops {

/// Lists of the same spaces down to numbers, of which some may be missing, beside numbers that are
/// repeated for the items: trees of which broadcasting would change nothing. The usual case, done
/// quickly; null for all others. `of_numbers(leaves, guard)` makes a leaf of up to three, or null.
template <class F>
class PlainWalk {
  using NodeRef = graph::NodeRef;
  using SpaceRef = graph::SpaceRef;
  using ColumnRef = graph::ColumnRef;
  using Node = graph::Node;
  using NodeKind = graph::NodeKind;

 public:
  explicit PlainWalk(const F& of_numbers) : of_numbers_(of_numbers) {}

  NodeRef run(const std::vector<NodeRef>& nodes) const {
    Leaves leaves;
    for (const NodeRef& n : nodes) leaves.push_back({n.get(), n->column});
    return step(graph::unit(), leaves, {});
  }

 private:
  /// The operands at one level of their trees; columns are those of leaves.
  class Leaves {
   public:
    void push_back(Leaf x) { of_[size_++] = std::move(x); }
    std::span<Leaf> all() { return {of_.data(), size_}; }

   private:
    std::array<Leaf, 3> of_{};
    size_t size_ = 0;
  };

  NodeRef step(const SpaceRef& space, Leaves& operands, const ColumnRef& guard) const {
    const Node* lists = nullptr;
    bool options = false, lifts = false;
    for (const Leaf& x : operands.all()) {
      const Node& n = *x.node;
      if (n.kind == NodeKind::leaf) {
        lifts |= n.column->kind != graph::ColumnKind::constant;
        continue;
      }
      if (!n.parameters.empty()) return {};
      if (n.kind == NodeKind::option) {
        options = true;
        continue;
      }
      if (n.kind != NodeKind::list) return {};
      if (lists != nullptr && (n.size != lists->size || !same(n.space, lists->space))) return {};
      lists = &n;
    }
    if (options) return missing(space, operands, guard);
    if (lists == nullptr) return of_numbers_(operands.all(), guard);
    // Regular lists beside something shallower: NumPy's rule may add dimensions in front.
    if (lifts && lists->size >= 0) return {};
    return items(space, *lists, operands, guard);
  }

  NodeRef items(const SpaceRef& space, const Node& lists, Leaves& operands,
                const ColumnRef& guard) const {
    const SpaceRef& child = lists.space;
    for (Leaf& x : operands.all()) {
      if (x.node->kind == NodeKind::list) {
        const Node* inner = x.node->contents[0].get();
        x = {inner, inner->column};
      } else {
        x.column = parent(child, std::move(x.column));
      }
    }
    NodeRef inner = step(child, operands, guard ? parent(child, guard) : guard);
    const bool outermost = space->kind == graph::SpaceKind::unit;
    return inner ? list_node(child, std::move(inner), outermost ? -1 : lists.size) : inner;
  }

  NodeRef missing(const SpaceRef& space, Leaves& operands, const ColumnRef& guard) const {
    if (space->kind == graph::SpaceKind::unit) return {};
    ColumnRef valid;
    for (Leaf& x : operands.all()) {
      if (!x.node->parameters.empty()) return {};
      if (x.node->kind != NodeKind::option) continue;
      valid = both(valid, x.column);
      const Node* content = x.node->contents[0].get();
      x = {content, content->column};
    }
    NodeRef values = step(space, operands, both(guard, valid));
    return values ? option_node(std::move(valid), std::move(values)) : values;
  }

  const F& of_numbers_;
};

}  // namespace serrate::ops
