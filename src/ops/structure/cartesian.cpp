// cartesian and argcartesian: every pairing of the items of several lists.
#include <algorithm>

#include "graph/operation.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;

/// The axis that all arrays mean by a negative one. Of positions, all arrays must have it.
int common_axis(const std::vector<NodeRef>& nodes, int axis, const char* where, bool positions) {
  std::optional<int> found;
  int deepest = 0;
  for (const auto& n : nodes) {
    const int depth = positions ? ops::levels(*n).min : ops::purelist_depth(*n) - 1;
    deepest = positions && deepest ? std::min(deepest, depth) : std::max(deepest, depth);
    if (axis >= 0 || !ops::is_list(*n)) continue;
    const auto a = ops::positive_axis(*n, axis, 0);
    check<AxisError>(a && (!found || *found == *a), "{}: axis={} is ambiguous for these arrays",
                     where, axis);
    found = a;
  }
  if (!found) found = axis;
  check<AxisError>(*found >= 0 && *found < deepest,
                   "{}: axis={} exceeds the depth of the arrays ({})", where, axis, deepest);
  return *found;
}

/// Lists that make up one level of the result, and where each of their items comes from.
struct Level {
  SpaceRef space;
  int64_t size = -1;
  std::vector<NodeRef> items;
  ColumnRef valid;  ///< where the first of these lists is not missing
};

Level one_level(std::vector<NodeRef> lists, bool indices) {
  Level level;
  std::vector<SpaceRef> bases;
  for (const auto& n : lists) bases.push_back(n->space);
  const bool single = lists.size() == 1;
  level.space = single ? bases[0] : cartesian_space(bases);
  if (single) level.size = lists[0]->size;
  for (size_t k = 0; k < lists.size(); k++) {
    const int link = static_cast<int>(k);
    if (indices) {
      level.items.push_back(leaf(single ? local(level.space) : local(level.space, link)));
    } else {
      const NodeRef& content = lists[k]->contents[0];
      level.items.push_back(single ? content : rebase_at(content, bases[k], level.space, link));
    }
  }
  return level;
}

/// A single item stands for a list of one; what is missing for a list of none.
NodeRef as_list(const SpaceRef& space, const NodeRef& n) {
  if (ops::is_list(*n)) return n;
  if (n->kind == NodeKind::option && space->kind != SpaceKind::unit) {
    const NodeRef l = as_list(space, n->contents[0]);
    const SpaceRef some =
        list(space, constant(0), apply(Op::where, {n->column, count(l->space), constant(0)}));
    return list_node(some, rebase_pick(l->contents[0], some, l->space, local(some)));
  }
  const SpaceRef one = ops::fresh_lists(space, 1);
  return list_node(one, ops::lift_node(n, space, one), 1);
}

/// As in Awkward, the first list of each level makes the level missing, another one empty.
NodeRef product(const SpaceRef& space, const std::vector<NodeRef>& nodes, const CartesianOptions& o,
                bool indices) {
  std::vector<NodeRef> lists;
  for (const auto& n : nodes) lists.push_back(ops::tuple_base(as_list(space, n)));
  const auto first_of_level = [&](size_t i) {
    return i > 0 &&
           std::find(o.nested.begin(), o.nested.end(), static_cast<int>(i) - 1) != o.nested.end();
  };
  std::vector<Level> levels;
  SpaceRef over = space;
  for (size_t begin = 0; begin < lists.size();) {
    size_t end = begin + 1;
    while (end < lists.size() && !first_of_level(end)) end++;
    std::vector<NodeRef> group;
    const Node& first = *nodes[begin];
    if (end == begin + 1 && first.kind == NodeKind::option) {
      // Missing as a whole: regular lists stay so.
      const NodeRef whole = as_list(space, first.contents[0]);
      if (whole->size >= 0) lists[begin] = whole;
    }
    for (size_t i = begin; i < end; i++) group.push_back(ops::lift_node(lists[i], space, over));
    levels.push_back(one_level(std::move(group), indices));
    if (nodes[begin]->kind == NodeKind::option)
      levels.back().valid = lift(nodes[begin]->column, space, levels.back().space->parent);
    over = levels.back().space;
    begin = end;
  }
  std::vector<NodeRef> contents;
  for (const auto& level : levels) {
    for (const auto& n : level.items) contents.push_back(rebase_lift(n, level.space, over));
  }
  Parameters p;
  if (!o.with_name.empty()) p.emplace_back("__record__", json_quote(o.with_name));
  NodeRef out = o.fields.empty() ? tuple_node(std::move(contents), std::move(p))
                                 : record_node(o.fields, std::move(contents), std::move(p));
  for (size_t i = levels.size(); i-- > 0;) {
    const bool outermost = i == 0 && space->kind == SpaceKind::unit;
    out = list_node(levels[i].space, out, outermost ? -1 : levels[i].size);
    if (levels[i].valid) out = option_node(levels[i].valid, out);
  }
  return out;
}

bool maybe_missing(const Node& n) {
  const auto& c = n.contents;
  return n.kind == NodeKind::option ||
         (n.kind == NodeKind::union_ &&
          std::any_of(c.begin(), c.end(), [](const NodeRef& x) { return maybe_missing(*x); }));
}

/// Lists that tags choose from: the pairings are those of each choice.
bool is_union_of_lists(const Node& n) {
  const auto is_list_inside = [](const NodeRef& c) {
    const Node& inner = c->kind == NodeKind::option ? *c->contents[0] : *c;
    return ops::is_list(inner) && !is_string(inner);
  };
  return n.kind == NodeKind::union_ &&
         std::any_of(n.contents.begin(), n.contents.end(), is_list_inside);
}

/// Do the groups end with the last arrays, so that one product a level says it?
bool ends_nested(const std::vector<int>& nested, size_t arrays) {
  const size_t first = arrays - 1 - nested.size();
  for (size_t i = first; i + 1 < arrays; i++)
    if (std::find(nested.begin(), nested.end(), static_cast<int>(i)) == nested.end()) return false;
  return true;
}

/// As in Awkward, groups of axis 0 are of as many tuples as the array behind has items, whatever
/// comes after that.
Array grouped(Array flat, const std::vector<Array>& arrays, std::vector<int> nested) {
  std::sort(nested.rbegin(), nested.rend());
  for (const int i : nested)
    flat = unflatten(flat, Array(arrays[static_cast<size_t>(i) + 1].size()));
  return flat;
}

NodeRef variable_above(const NodeRef& n, int levels) {
  if (levels < 1) return n;
  if (n->kind == NodeKind::option)
    return option_node(n->column, variable_above(n->contents[0], levels));
  if (n->kind != NodeKind::list) return n;
  return list_node(n->space, variable_above(n->contents[0], levels - 1), -1, n->parameters);
}

Array cross(const std::vector<Array>& arrays, const CartesianOptions& o, bool indices) {
  const char* where = indices ? "argcartesian" : "cartesian";
  check<ValueError>(!arrays.empty(), "{}: expected at least one array", where);
  check<ValueError>(o.fields.empty() || o.fields.size() == arrays.size(),
                    "{}: expected {} fields, got {}", where, arrays.size(), o.fields.size());
  for (int i : o.nested)
    check<ValueError>(i >= 0 && i + 1 < static_cast<int>(arrays.size()),
                      "{}: nested must name arrays 0 to {}, got {}", where,
                      static_cast<int>(arrays.size()) - 2, i);
  std::vector<NodeRef> nodes;
  for (const auto& a : arrays) nodes.push_back(ops::input(a));
  const int axis = common_axis(nodes, o.axis, where, indices);
  if (axis == 0 && !ends_nested(o.nested, arrays.size()) &&
      std::all_of(arrays.begin(), arrays.end(), [](const Array& a) { return a.size() > 0; })) {
    CartesianOptions all = o;
    all.nested.clear();
    return grouped(cross(arrays, all, indices), arrays, o.nested);
  }
  ops::BroadcastOptions options;
  options.where = where;
  options.right_broadcast = false;
  options.allow_records = true;
  const NodeRef out = ops::broadcast_apply(
      unit(), nodes, options,
      [&](const SpaceRef& space, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
        if (space->depth != axis) return std::nullopt;
        check<ValueError>(axis == 0 || std::none_of(n.begin(), n.end(),
                                                    [](const NodeRef& c) { return is_string(*c); }),
                          "{}: a string is no list of characters", where);
        if (n[0]->kind == NodeKind::union_ && maybe_missing(*n[0])) return std::nullopt;
        if (std::any_of(n.begin(), n.end(), [](const auto& c) { return is_union_of_lists(*c); }))
          return std::nullopt;
        return product(space, n, o, indices);
      });
  // As in Awkward, levels above a product that is not fully nested are of variable length.
  const bool nested = o.nested.size() + 1 == arrays.size() || arrays.size() == 1;
  return Array(nested ? out : variable_above(out, axis));
}

}  // namespace

Array cartesian(const std::vector<Array>& arrays, CartesianOptions o) {
  const graph::Operation operation;
  return cross(arrays, o, false);
}
Array argcartesian(const std::vector<Array>& arrays, CartesianOptions o) {
  const graph::Operation operation;
  return cross(arrays, o, true);
}

}  // namespace serrate
