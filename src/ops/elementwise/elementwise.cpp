// Element-wise functions of broadcast arrays, and constants in the shape of an array.
#include "ops/elementwise/elementwise.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/lazy_text.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/elementwise/leaves.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/compare.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "ops/tree/strings.h"
#include "serrate/ops.h"

namespace serrate {

namespace {

using namespace graph;
using namespace ops;

/// Lists of the same spaces down to numbers, of which some may be missing, beside numbers that are
/// repeated for the items: trees of which broadcasting would change nothing. The usual case, done
/// quickly; null for all others.
class PlainWalk {
 public:
  explicit PlainWalk(Op op) : op_(op) {}

  NodeRef run(const std::vector<NodeRef>& nodes) const {
    Leaves leaves;
    for (const NodeRef& n : nodes) leaves.push_back({n.get(), n->column});
    return step(unit(), leaves, {});
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
        lifts |= n.column->kind != ColumnKind::constant;
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
    if (lists == nullptr) return apply_leaves(op_, operands.all(), guard);
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
    const bool outermost = space->kind == SpaceKind::unit;
    return inner ? list_node(child, std::move(inner), outermost ? -1 : lists.size) : inner;
  }

  NodeRef missing(const SpaceRef& space, Leaves& operands, const ColumnRef& guard) const {
    if (space->kind == SpaceKind::unit) return {};
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

  Op op_;
};

bool is_maybe_categorical(const Node& n) {
  return n.kind == NodeKind::categorical ||
         (n.kind == NodeKind::option && n.contents[0]->kind == NodeKind::categorical);
}

bool has_name(const Node& n) {
  return std::any_of(n.parameters.begin(), n.parameters.end(), [](const auto& p) {
    return p.first == "__record__" || p.first == "__list__";
  });
}

/// What overloads would go by: names of types, else the types.
std::string names_of(const std::vector<NodeRef>& nodes) {
  std::string out;
  for (const auto& n : nodes) {
    const auto name = std::find_if(n->parameters.begin(), n->parameters.end(),
                                   [](const auto& p) { return p.first == "__record__"; });
    const bool named = name != n->parameters.end();
    if (!out.empty()) out += ", ";
    out += named ? name->second.substr(1, name->second.size() - 2) : type_of(*n).str();
  }
  return out;
}

}  // namespace

NodeRef ops::elementwise_over(const SpaceRef& at, Op op, const std::vector<NodeRef>& nodes) {
  const OpInfo& row = info(op);
  if (at->kind == SpaceKind::unit) {
    if (NodeRef plain = PlainWalk(op).run(nodes)) return plain;
  }
  BroadcastOptions options;
  options.where = row.name;
  // Functions that are no ufuncs pass records, named ones too.
  options.allow_records = op == Op::real || op == Op::imag || op == Op::angle;
  ColumnRef counts;
  options.guard = &counts;
  const bool text = std::any_of(nodes.begin(), nodes.end(),
                                [](const NodeRef& x) { return is_string(*x); });  // one, of Python
  auto at_leaves = [&](const SpaceRef& space,
                       const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
    auto all = [&](auto&& f) { return std::all_of(n.begin(), n.end(), f); };
    if (all([](const NodeRef& x) { return x->kind == NodeKind::leaf; })) {
      std::vector<Leaf> leaves;
      for (const NodeRef& x : n) leaves.push_back({x.get(), x->column});
      return apply_leaves(op, leaves, counts);
    }
    if ((op == Op::real || op == Op::imag) && n[0]->kind == NodeKind::unknown) return n[0];
    if (all([](const NodeRef& x) { return is_string(*x) || is_weak_scalar(*x); })) {
      check<TypeError>(
          (op == Op::equal || op == Op::not_equal) &&
              all([](const NodeRef& x) { return is_string(*x); }),
          "{} is not implemented for string types; strings compare with == and !=", row.name);
      const ColumnRef c = strings_equal(space, *n[0], *n[1]);
      return leaf(op == Op::equal ? c : apply(Op::logical_not, {c}));
    }
    // As in Awkward, missing ones of two categoricals are equal.
    if ((op == Op::equal || op == Op::not_equal) &&
        (all([](const NodeRef& x) { return x->kind == NodeKind::record; }) ||
         all([](const NodeRef& x) { return is_maybe_categorical(*x); }))) {
      const ColumnRef c = values_equal(space, n[0], n[1]);
      return leaf(op == Op::equal ? c : apply(Op::logical_not, {c}));
    }
    check<TypeError>(
        options.allow_records ||
            !std::any_of(n.begin(), n.end(), [](const NodeRef& x) { return has_name(*x); }) ||
            !all([&](const NodeRef& x) {
              return has_name(*x) || is_weak_scalar(*x) || (text && is_string(*x));
            }),
        "{}: no overloads for custom types: {}", row.name, lazily([&] { return names_of(n); }));
    return std::nullopt;
  };
  return broadcast_apply(at, nodes, options, at_leaves);
}

Array elementwise(Op op, const std::vector<Array>& args) {
  const graph::Operation operation;
  const OpInfo& row = info(op);
  check<TypeError>(args.size() == row.arity, "{}: expected {} arguments, got {}", row.name,
                   row.arity, args.size());
  return Array(elementwise_over(unit(), op, inputs(args)));
}

}  // namespace serrate
