// num, local_index, to_regular, from_regular, broadcast_arrays: list structure without the values.
#include <algorithm>

#include "graph/evaluate.h"
#include "graph/operation.h"
#include "ops/lists/flatten.h"
#include "ops/lists/list_items.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/shift.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;

/// Replaces lists (strings too) at one axis or, for axis=None, at every axis below the outermost.
class ListMap {
 public:
  using F = std::function<NodeRef(const SpaceRef&, const NodeRef&, const ColumnRef&)>;
  ListMap(const char* where, Axis axis, F f) : where_(where), axis_(axis), f_(std::move(f)) {}

  NodeRef operator()(const SpaceRef& space, const NodeRef& n, int level, const ColumnRef& guard) {
    switch (n->kind) {
      case NodeKind::list: {
        const auto a = axis_ ? ops::positive_axis(*n, *axis_, level) : std::nullopt;
        if (a && *a == level) return level == 0 ? n : f_(space, n, guard);
        NodeRef out = n;
        if (!is_string(*n)) {
          const ColumnRef below = guard ? lift(guard, space, n->space) : guard;
          out = list_node(n->space, (*this)(n->space, n->contents[0], level + 1, below), n->size,
                          n->parameters);
        } else if (axis_) {
          ops::axis_too_large(where_, *axis_, level);
        }
        return axis_ || level == 0 ? out : f_(space, out, guard);
      }
      case NodeKind::option:
        return option_node(n->column,
                           (*this)(space, n->contents[0], level, ops::both(guard, n->column)));
      case NodeKind::record: {
        std::vector<NodeRef> contents;
        for (const auto& c : n->contents) contents.push_back((*this)(space, c, level, guard));
        return ops::record_like(*n, std::move(contents));
      }
      case NodeKind::union_: {
        std::vector<NodeRef> contents;
        for (size_t k = 0; k < n->contents.size(); k++) {
          const ColumnRef here = ops::is_member(*n, k);
          contents.push_back((*this)(space, n->contents[k], level, ops::both(guard, here)));
        }
        return union_node(n->column, std::move(contents), n->parameters);
      }
      default:
        if (axis_) ops::axis_too_large(where_, *axis_, level);
        return n;
    }
  }

 private:
  const char* where_;
  Axis axis_;
  F f_;
};

/// The length that all lists have; looks at them.
int64_t common_length(const SpaceRef& space, const NodeRef& n, const ColumnRef& guard) {
  if (n->size >= 0) return n->size;
  NodeRef lengths = leaf(count(n->space));
  if (guard) lengths = option_node(guard, lengths);
  const NodeRef flat = ops::flatten_all(ops::list_of(space, lengths), false);
  const std::vector<int64_t> all = ops::look_at_integers(flat);
  for (size_t i = 0; i < all.size(); i++) {
    check<ValueError>(all[i] == all[0],
                      "to_regular: lists must have equal lengths, found {} and {} (list {})",
                      all[0], all[i], i);
  }
  return all.empty() ? 0 : all[0];
}

}  // namespace

NodeRef ops::regular_list(const SpaceRef& space, const NodeRef& n, const ColumnRef& guard) {
  const int64_t size = common_length(space, n, guard);
  if (n->space->kind == SpaceKind::fixed)
    return list_node(n->space, n->contents[0], size, n->parameters);
  // Of missing lists nothing may be looked at: what is below would be another list's.
  if (n->space->kind == SpaceKind::list && !guard) {
    const SpaceRef to = fixed(space, cast(n->space->starts, DType::int64), size);
    return list_node(to, ops::rebase_shift(n->contents[0], n->space, to), size, n->parameters);
  }
  const SpaceRef to = fixed(space, constant(0), size);
  const ColumnRef below = guard ? lift(guard, space, to) : guard;
  return list_node(to, rebase_pick(n->contents[0], to, n->space, local(to), below), size,
                   n->parameters);
}

namespace {

void check_axis(const NodeRef& n, Axis axis, const char* where) {
  if (!axis) return;
  const auto a = ops::positive_axis(*n, *axis, 0);
  if (a && *a < 0) ops::axis_too_large(where, *axis, ops::levels(*n).max);
}

}  // namespace

Array num(const Array& x, int axis) {
  const graph::Operation operation;
  auto length = [](const NodeRef& n, const ColumnRef&) { return leaf(count(n->space)); };
  return Array(
      ops::at_axis(ops::input(x), axis, "num", length, {.simplify = true, .strings = true}));
}

namespace {

/// The place of each item in its list `axis` levels above the values: -1 is the list of values.
NodeRef places(const SpaceRef& space, const NodeRef& n, int axis) {
  const ops::Levels l = ops::levels(*n);
  if (l.min == l.max && l.max == -axis - 1 && space->kind != SpaceKind::unit)
    return leaf(local(space));
  const auto all = [&](const SpaceRef& at) {
    std::vector<NodeRef> contents;
    for (const auto& c : n->contents) contents.push_back(places(at, c, axis));
    return contents;
  };
  if (ops::is_list(*n)) return list_node(n->space, all(n->space)[0], n->size, n->parameters);
  switch (n->kind) {
    case NodeKind::option:
      return option_node(n->column, all(space)[0]);
    case NodeKind::record:
      return ops::record_like(*n, all(space));
    case NodeKind::union_:
      return union_node(n->column, all(space), n->parameters);
    default:
      ops::axis_too_large("local_index", axis, l.max);
  }
}

}  // namespace

Array local_index(const Array& x, int axis) {
  const graph::Operation operation;
  ops::store_to_tell_indexes(x);
  if (const NodeRef n = ops::input(x); axis < 0 && ops::levels(*n).min != ops::levels(*n).max)
    return Array(places(unit(), n, axis));
  auto index = [](const NodeRef& n, const ColumnRef&) {
    return list_node(n->space, leaf(local(n->space)), n->size);
  };
  return Array(ops::at_axis(ops::input(x), axis, "local_index", index, {.strings = true}));
}

Array to_regular(const Array& x, Axis axis) {
  const graph::Operation operation;
  const NodeRef n = ops::input(x);
  check_axis(n, axis, "to_regular");
  return Array(ListMap("to_regular", axis, ops::regular_list)(unit(), n, 0, {}));
}

Array from_regular(const Array& x, Axis axis) {
  const graph::Operation operation;
  const NodeRef n = ops::input(x);
  check_axis(n, axis, "from_regular");
  auto variable = [](const SpaceRef&, const NodeRef& l, const ColumnRef&) {
    return list_node(l->space, l->contents[0], -1, l->parameters);
  };
  return Array(ListMap("from_regular", axis, variable)(unit(), n, 0, {}));
}

std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays,
                                    const BroadcastArraysOptions& o) {
  const graph::Operation operation;
  using Rule = ops::BroadcastOptions::Rule;
  static constexpr std::pair<std::string_view, Rule> rules[] = {
      {"one_to_one", Rule::one_to_one},
      {"intersect", Rule::intersect},
      {"all_or_nothing", Rule::all_or_nothing},
      {"none", Rule::none}};
  const auto rule = std::ranges::find(rules, std::string_view(o.parameters_rule),
                                      &std::pair<std::string_view, Rule>::first);
  check<ValueError>(rule != std::end(rules),
                    "broadcast_arrays: broadcast_parameters_rule must be one_to_one, intersect, "
                    "all_or_nothing or none, got '{}'",
                    o.parameters_rule);
  const std::vector<NodeRef> nodes = ops::inputs(arrays);
  if (nodes.empty()) return {};
  ops::BroadcastOptions options;
  options.where = "broadcast_arrays";
  options.left_broadcast = o.left_broadcast;
  options.right_broadcast = o.right_broadcast;
  options.rule = rule->second;
  ColumnRef guard;
  options.guard = &guard;
  std::vector<Array> out;
  for (auto& n : ops::broadcast_many(
           unit(), nodes, options,
           [&](const SpaceRef&space,
               const std::vector<NodeRef>&n) -> std::optional<std::vector<NodeRef>> {
             // Missing in one is missing in all: options are passed, not stopped at.
             const bool leaves = std::all_of(n.begin(), n.end(), [](const NodeRef& c) {
               return ops::purelist_depth(*c) == 1 && c->kind != NodeKind::option;
             });
             // A categorical becomes its values, but not below an option: as in Awkward.
             const bool plain = guard || std::none_of(n.begin(), n.end(), [](const NodeRef& c) {
                                  return c->kind == NodeKind::categorical;
                                });
             if ((leaves && plain) || (o.depth_limit && space->depth == *o.depth_limit)) return n;
             return std::nullopt;
           }))
    out.push_back(Array(std::move(n)));
  return out;
}

}  // namespace serrate
