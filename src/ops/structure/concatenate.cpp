// concatenate: arrays end to end, at any axis.
#include <algorithm>

#include "core/seams.h"
#include "graph/operation.h"
#include "ops/lists/flatten.h"
#include "ops/structure/join_stored.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// Parts among which each item of an expression is chosen. More are stored, and joined some at a
/// time where they are not alike, so that the time grows with the items and not with items times
/// parts.
size_t most_parts() { return static_cast<size_t>(seams().parts); }
size_t at_once() { return static_cast<size_t>(seams().together); }

NodeRef one_item(const SpaceRef& space, const NodeRef& n) {
  const SpaceRef one = fresh_lists(space, 1);
  return list_node(one, lift_node(n, space, one), space->kind == SpaceKind::unit ? -1 : 1);
}

bool is_list_like(const Node& n) {
  return is_list(n) || (n.kind == NodeKind::option && is_list(*n.contents[0]));
}

/// Records, perhaps missing, that hold lists.
bool has_lists_inside(const Node& n) {
  if (n.kind == NodeKind::option) return has_lists_inside(*n.contents[0]);
  return n.kind == NodeKind::record && levels(n).max > 0;
}

}  // namespace

NodeRef join_lists(const SpaceRef& space, const std::vector<NodeRef>& parts, bool mergebool) {
  if (parts.size() == 1 && is_list(*parts[0])) return parts[0];
  std::vector<const Node*> lists;
  std::vector<ColumnRef> ends;
  ColumnRef total = constant(0);
  int64_t size = 0;
  for (const auto& p : parts) {
    const Node& n = p->kind == NodeKind::option ? *p->contents[0] : *p;
    lists.push_back(&n);
    ColumnRef length = count(n.space);
    if (p->kind == NodeKind::option) length = apply(Op::where, {p->column, length, constant(0)});
    size = size < 0 || n.size < 0 || p->kind == NodeKind::option ? -1 : size + n.size;
    const bool known = total->kind == ColumnKind::constant && length->kind == ColumnKind::constant;
    total = known ? constant(total->scalar.i + length->scalar.i) : apply(Op::add, {length, total});
    ends.push_back(total);
  }
  const SpaceRef to = fresh_lists(space, total);
  // Which part an item comes from: the first one that ends after it.
  const auto last = static_cast<int64_t>(parts.size()) - 1;
  ColumnRef tag = constant(last);
  for (int64_t k = last; k-- > 0;) {
    const ColumnRef before = apply(Op::less, {local(to), lift(ends[k], space, to)});
    tag = apply(Op::where, {before, constant(k), tag});
  }
  std::vector<NodeRef> contents;
  for (size_t k = 0; k < parts.size(); k++) {
    ColumnRef index = local(to);
    if (k > 0) index = apply(Op::subtract, {index, lift(ends[k - 1], space, to)});
    ColumnRef here;
    if (parts.size() > 1) here = apply(Op::equal, {tag, constant(static_cast<int64_t>(k))});
    contents.push_back(rebase_pick(lists[k]->contents[0], to, lists[k]->space, index, here));
  }
  const bool outermost = space->kind == SpaceKind::unit;
  return list_node(to, simplified_union(to, tag, contents, mergebool), outermost ? -1 : size);
}

NodeRef join(const std::vector<NodeRef>& arrays, bool mergebool) {
  std::vector<NodeRef> parts;
  for (const auto& a : arrays) parts.push_back(is_list(*a) ? a : one_item(unit(), a));
  if (parts.size() > 1 && can_join_stored(parts)) return join_stored(parts);
  if (parts.size() <= most_parts()) {
    const NodeRef joined = join_lists(unit(), parts, mergebool);
    const auto cast = parts.size() > 1 ? as_types_of(parts, joined) : std::nullopt;
    return cast ? join_stored(*cast) : joined;
  }
  for (auto& p : parts) p = Array(p).evaluate().node();
  if (can_join_stored(parts)) return join_stored(parts);
  std::vector<NodeRef> groups;
  for (size_t i = 0; i < parts.size(); i += at_once()) {
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(i);
    const auto size = static_cast<std::ptrdiff_t>(std::min(at_once(), parts.size() - i));
    groups.push_back(join_lists(unit(), {begin, begin + size}, mergebool));
  }
  return join(groups, mergebool);
}

}  // namespace serrate::ops

namespace serrate {
namespace {

std::vector<Array> joined_in_groups(const std::vector<Array>& arrays, int axis, bool mergebool) {
  std::vector<Array> out;
  for (size_t i = 0; i < arrays.size(); i += ops::at_once()) {
    const auto begin = arrays.begin() + static_cast<std::ptrdiff_t>(i);
    const auto size = static_cast<std::ptrdiff_t>(std::min(ops::at_once(), arrays.size() - i));
    out.push_back(size == 1 ? *begin : concatenate({begin, begin + size}, axis, mergebool));
    out.back().evaluate();
  }
  return out;
}

}  // namespace

Array concatenate(const std::vector<Array>& arrays, int axis, bool mergebool) {
  const graph::Operation operation;
  using namespace graph;
  check<ValueError>(!arrays.empty(), "concatenate: expected at least one array");
  std::vector<NodeRef> nodes = ops::inputs(arrays);
  std::vector<bool> scalar;
  std::optional<int> level;
  for (const auto& n : nodes) {
    scalar.push_back(!ops::is_list(*n));
    if (scalar.back()) continue;
    const auto own = ops::positive_axis(*n, axis, 0);
    check<ValueError>(own && *own >= 0 && (!level || *level == *own),
                      "concatenate: axis={} is beyond the depth of an array or ambiguous", axis);
    level = own;
  }
  if (!level) level = axis;
  if (auto stored = *level < 2 ? ops::stored_to_be_joined(arrays, nodes, *level) : std::nullopt)
    nodes = *std::move(stored);
  if (*level == 0) return Array(ops::join(nodes, mergebool));
  if (ops::can_join_stored_lists(nodes, *level)) {
    if (NodeRef joined = ops::join_stored_lists(nodes, *level)) return Array(std::move(joined));
  }
  // Single values are as many as the others' lists: those of one group may not say.
  if (nodes.size() > ops::most_parts() &&
      std::find(scalar.begin(), scalar.end(), true) == scalar.end())
    return concatenate(joined_in_groups(arrays, axis, mergebool), axis, mergebool);
  ops::BroadcastOptions options;
  options.where = "concatenate";
  options.right_broadcast = false;
  options.allow_records = true;
  auto at_level = [&](const SpaceRef& space,
                      const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
    const bool deep =
        std::any_of(n.begin(), n.end(), [](const NodeRef& c) { return ops::levels(*c).max > 0; });
    check<ValueError>(deep, "concatenate: axis={} is beyond the depth of these arrays", axis);
    if (space->depth != *level) return std::nullopt;
    // Records of lists are joined field by field.
    if (std::any_of(n.begin(), n.end(), [](const NodeRef& c) { return ops::has_lists_inside(*c); }))
      return std::nullopt;
    std::vector<NodeRef> parts;
    for (size_t i = 0; i < n.size(); i++) {
      if (ops::is_list_like(*n[i])) {
        parts.push_back(n[i]);
      } else if (n[i]->kind == NodeKind::union_) {
        parts.push_back(ops::list_of_union(space, *n[i]));
      } else if (n[i]->kind == NodeKind::unknown) {
        parts.push_back(list_node(ops::fresh_lists(space, 0), n[i]));
      } else {
        check<ValueError>(scalar[i], "concatenate: array {} is not deep enough for axis={}", i,
                          axis);
        parts.push_back(ops::one_item(space, n[i]));
      }
    }
    return ops::join_lists(space, parts, mergebool);
  };
  const NodeRef chosen = ops::broadcast_apply(unit(), nodes, options, at_level);
  if (!ops::can_join_stored_lists(nodes, *level, false)) return Array(chosen);
  const auto of_one_type = ops::as_types_of(nodes, chosen, *level);
  const NodeRef joined = of_one_type ? ops::join_stored_lists(*of_one_type, *level) : NodeRef();
  return Array(joined ? joined : chosen);
}

}  // namespace serrate
