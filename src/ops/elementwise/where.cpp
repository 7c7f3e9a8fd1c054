// where: one of two arrays, position by position.
#include <algorithm>

#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/elementwise/dense_walk.h"
#include "ops/elementwise/plain_walk.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Lists of `conditions` where x is missing (each item missing), else x's own: the option moves
/// inside, so that only the chosen branch can be missing. `known`: where there are conditions.
NodeRef option_inside(const SpaceRef& space, const NodeRef& x, const SpaceRef& conditions,
                      const ColumnRef& known) {
  const NodeRef& content = x->contents[0];
  if (!is_list(*content)) return list_node(conditions, rebase_lift(x, space, conditions));
  if (content->size >= 0) {  // missing ones are as long as the others
    const SpaceRef child = adjacent_lists(space, content->size);
    const ColumnRef valid = parent(child, x->column);
    const NodeRef items =
        rebase_pick(content->contents[0], child, content->space, local(child), valid);
    return list_node(child, option_node(valid, items), content->size);
  }
  ColumnRef missing = count(conditions);
  if (known) missing = apply(Op::where, {known, missing, constant(0)});
  const ColumnRef n = apply(Op::where, {x->column, count(content->space), missing});
  const SpaceRef child = list(space, constant(0), n);
  const ColumnRef valid = parent(child, x->column);
  return list_node(child, option_node(valid, rebase_pick(content->contents[0], child,
                                                         content->space, local(child), valid)));
}

ColumnRef is_nonzero(const ColumnRef& c) {
  if (c->dtype == DType::boolean) return c;
  return apply(Op::not_equal, {c, constant(Scalar::of(int64_t{0}), true)});
}

/// Of numbers, none missing, and a condition that is as deep as they are; null for all others.
NodeRef where_plain(const std::vector<NodeRef>& nodes, bool mergebool) {
  const int depth = levels(*nodes[0]).max;
  if (depth == 0 || depth < levels(*nodes[1]).max || depth < levels(*nodes[2]).max) return {};
  const auto of_numbers = [&](std::span<const Leaf> n, const ColumnRef& guard) {
    for (const Leaf& x : n) {
      if (!x.node->parameters.empty() || is_time(x.column->dtype)) return NodeRef();
    }
    if (guard)
      return NodeRef();  // what is missing in the condition is, in others where it is chosen
    ColumnRef c = choose_numbers(is_nonzero(n[0].column), n[1].column, n[2].column, mergebool);
    return c ? leaf(std::move(c)) : NodeRef();
  };
  if (NodeRef plain = PlainWalk(of_numbers).run(nodes)) return plain;
  return DenseWalk(of_numbers).run(nodes);
}

NodeRef where_nodes(const SpaceRef& space, const std::vector<NodeRef>& nodes, bool mergebool) {
  BroadcastOptions options;
  options.where = "where";
  options.allow_records = true;
  return broadcast_apply(
      space, nodes, options,
      [&](const SpaceRef& s, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
        const NodeRef& condition = n[0];
        if (condition->kind == NodeKind::leaf)
          return choose(s, is_nonzero(condition->column), n[1], n[2], mergebool);
        if (condition->kind == NodeKind::option && condition->contents[0]->kind == NodeKind::leaf) {
          const NodeRef& content = condition->contents[0];
          NodeRef chosen = where_nodes(s, {content, n[1], n[2]}, mergebool);
          if (chosen->kind == NodeKind::union_) {
            // What lies under missing conditions must not show in the member that is missing.
            const ColumnRef holds =
                apply(Op::logical_and, {condition->column, is_nonzero(content->column)});
            chosen = where_nodes(s, {leaf(holds), n[1], n[2]}, mergebool);
          }
          return option_node(condition->column, std::move(chosen));
        }
        check<ValueError>(condition->kind != NodeKind::record && !is_string(*condition),
                          "where: expected a condition of booleans or numbers, got {}",
                          type_text(*condition));
        // A missing list of conditions gives a missing list, whatever the others are.
        const bool option = condition->kind == NodeKind::option;
        const Node& lists = option ? *condition->contents[0] : *condition;
        if (!is_list(lists)) return std::nullopt;
        if (n[1]->kind != NodeKind::option && n[2]->kind != NodeKind::option) return std::nullopt;
        std::vector<NodeRef> inside = n;
        for (size_t i : {1, 2}) {
          if (n[i]->kind == NodeKind::option)
            inside[i] =
                option_inside(s, n[i], lists.space, option ? condition->column : ColumnRef());
        }
        if (inside == n) return std::nullopt;
        return where_nodes(s, inside, mergebool);
      });
}

}  // namespace

Array where(const Array& condition, const Array& x, const Array& y, bool mergebool) {
  const graph::Operation operation;
  const std::vector<NodeRef> nodes = inputs({condition, x, y});
  const NodeRef plain = where_plain(nodes, mergebool);
  return Array(plain ? plain : where_nodes(unit(), nodes, mergebool));
}

}  // namespace serrate
