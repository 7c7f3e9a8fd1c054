// Element-wise functions of broadcast arrays, and constants in the shape of an array.
#include "ops/elementwise/elementwise.h"

#include <algorithm>
#include <span>

#include "core/lazy_text.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/elementwise/dense_walk.h"
#include "ops/elementwise/leaves.h"
#include "ops/elementwise/plain_walk.h"
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
    const auto of_numbers = [op](std::span<const Leaf> leaves, const ColumnRef& guard) {
      return apply_leaves(op, leaves, guard);
    };
    if (NodeRef plain = PlainWalk(of_numbers).run(nodes)) return plain;
    if (NodeRef dense = DenseWalk(of_numbers).run(nodes)) return dense;
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
