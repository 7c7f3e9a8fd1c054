// flatten and ravel.
#include "ops/lists/flatten.h"

#include "core/host.h"
#include "core/where.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/materialise.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/columns.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate::ops {

using namespace graph;

namespace {

NodeRef one_item(const SpaceRef& space, const NodeRef& n) {
  const SpaceRef one = fresh_lists(space, 1);
  return list_node(one, rebase_lift(n, space, one));
}

/// All values inside each item of n, in order, as a list for each.
NodeRef values_inside(const SpaceRef& space, const NodeRef& n, bool keep_none) {
  switch (n->kind) {
    case NodeKind::list: {
      if (is_string(*n)) return one_item(space, n);
      const NodeRef below = values_inside(n->space, n->contents[0], keep_none);
      const SpaceRef joined = flat(below->space);
      return list_node(joined, rebase_at(below->contents[0], below->space, joined));
    }
    case NodeKind::option: {
      if (keep_none && levels(*n).max == 0) return one_item(space, n);
      const SpaceRef kept =
          fresh_lists(space, apply(Op::where, {n->column, constant(1), constant(0)}));
      const NodeRef below =
          values_inside(kept, rebase_lift(n->contents[0], space, kept), keep_none);
      const SpaceRef joined = flat(below->space);
      return list_node(joined, rebase_at(below->contents[0], below->space, joined));
    }
    case NodeKind::categorical:
      return values_inside(space, project_categorical(space, n), keep_none);
    case NodeKind::record: {
      std::vector<NodeRef> parts;
      for (const auto& c : n->contents) parts.push_back(values_inside(space, c, keep_none));
      if (parts.empty()) return list_node(fresh_lists(space, 0), unknown_node());
      return join_lists(space, parts, true);
    }
    case NodeKind::union_: {
      std::vector<NodeRef> parts;
      for (const auto& c : n->contents) parts.push_back(values_inside(space, c, keep_none));
      return list_of_union(space, *union_node(n->column, std::move(parts)), true);
    }
    case NodeKind::unknown:
      return list_node(fresh_lists(space, 0), n);
    default:
      return one_item(space, n);
  }
}

/// All items of stored lists inside one another, as they lie; null of others.
NodeRef joined_all(const Node& lists) {
  NodeRef n(&lists);
  while (n && is_list(*n->contents[0])) n = joined_stored(*n->contents[0]);
  return n;
}

void collect(const SpaceRef& space, const NodeRef& n, bool keep_none, std::vector<NodeRef>& out) {
  switch (n->kind) {
    case NodeKind::list: {
      if (is_string(*n)) break;
      // The innermost of lists in lists are joined first: stored ones are passed on as they are.
      const Node* lists = n.get();
      while (lists->contents[0]->kind == NodeKind::list && !is_string(*lists->contents[0]))
        lists = lists->contents[0].get();
      const NodeRef stored = space->kind == SpaceKind::unit ? joined_all(*n) : NodeRef();
      const NodeRef all = stored ? stored : list_of(lists->space, lists->contents[0]);
      return collect(all->space, all->contents[0], keep_none, out);
    }
    case NodeKind::option: {
      if (keep_none && levels(*n).max == 0) break;
      const SpaceRef kept = select(space, n->column);
      return collect(kept, rebase_at(n->contents[0], space, kept), keep_none, out);
    }
    case NodeKind::categorical:
      return collect(space, project_categorical(space, n), keep_none, out);
    case NodeKind::record:
      for (const auto& c : n->contents) collect(space, c, keep_none, out);
      return;
    case NodeKind::union_: {
      const NodeRef all = values_inside(space, n, keep_none);
      const SpaceRef joined = space->kind == SpaceKind::unit ? all->space : flat(all->space);
      out.push_back(list_node(joined, rebase_at(all->contents[0], all->space, joined)));
      return;
    }
    default:
      break;
  }
  out.push_back(list_node(space, n));
}

/// Items of each list of a GPU's for which it is waited rather than that they are copied.
constexpr int64_t kMany = 1024;

/// The space of all that stored lists of lists hold for each owner of theirs: rows along axis 1,
/// else offsets that are looked up in the others, now. Null of other lists, and where a GPU would
/// have to be asked for little.
SpaceRef joined_space(const SpaceRef& inner) {
  const int64_t size = size_at_hand(inner);
  if (size < 0) return {};
  if (inner->depth == 2) return rows(size);
  const Space& outer = *inner->parent;
  if (size == 0) return {};
  const Device there = some_device(list_node(inner, unknown_node())).value_or(surrounding_device());
  const int64_t owners = size_at_hand(outer.parent);
  if (!is_host(there) && (owners < 0 || looks_of_thread != nullptr || size / kMany < owners))
    return {};
  const ColumnRef first = cast(outer.starts, DType::int64);
  const ColumnRef behind = outer.kind == SpaceKind::fixed
                               ? apply(Op::add, {first, constant(outer.size)})
                               : cast(outer.stops, DType::int64);
  if (inner->kind == SpaceKind::fixed) {
    const ColumnRef lists = apply(Op::subtract, {behind, first});
    return lists_with_lengths(outer.parent, apply(Op::multiply, {lists, constant(inner->size)}));
  }
  const Buffer& offsets = inner->starts->buffer;
  const DType t = inner->starts->dtype;
  const auto* const next = static_cast<const std::byte*>(offsets.data()) + itemsize(t);
  if (inner->stops->dtype != t || inner->stops->buffer.data() != next) return {};
  const auto at = [&](const ColumnRef& i) { return cast(load(offsets, t, i), DType::int64); };
  return lists_with_lengths(outer.parent, apply(Op::subtract, {at(behind), at(first)}));
}

constexpr int kMostColumns = 32;  // that are looked at, and copied

/// Is what is computed of each item its own numbers alone, as they are stored over s?
bool is_item_by_item(const Column& c, const Space& s, int& left) {
  if (--left < 0) return false;
  switch (c.kind) {
    case ColumnKind::constant:
      return true;
    case ColumnKind::load:
      return c.args[0]->kind == ColumnKind::position && c.args[0]->space.get() == &s;
    case ColumnKind::op:
    case ColumnKind::cast:
      return std::ranges::all_of(
          c.args, [&](const ColumnRef& a) { return !a || is_item_by_item(*a, s, left); });
    default:
      return false;
  }
}

bool is_item_by_item(const Node& n, const Space& s, int& left) {
  if (n.kind != NodeKind::leaf && n.kind != NodeKind::option && n.kind != NodeKind::record)
    return false;
  return (!n.column || is_item_by_item(*n.column, s, left)) &&
         std::ranges::all_of(n.contents,
                             [&](const NodeRef& c) { return is_item_by_item(*c, s, left); });
}

/// flatten at the lists of level axis - 1, which hold the lists of `axis`.
class Flatten {
 public:
  explicit Flatten(int axis) : axis_(axis) {}

  NodeRef operator()(const SpaceRef& space, const NodeRef& n, int level) {
    switch (n->kind) {
      case NodeKind::list: {
        if (is_string(*n)) axis_too_large("flatten", axis_, level);
        const auto a = positive_axis(*n, axis_, level);
        if (a && *a == 0 && level == 0) return without_missing(*n);
        if (a && *a <= level) break;
        if (a && *a == level + 1) return join_lists(*n, n->space, n->contents[0], level);
        return inside(space, n, level + 1);
      }
      case NodeKind::option:
      case NodeKind::record:
      case NodeKind::union_:
        return inside(space, n, level);
      case NodeKind::categorical:
        return (*this)(space, project_categorical(space, n), level);
      case NodeKind::unknown:
        return n;
      default:
        break;
    }
    axis_too_large("flatten", axis_, level);
  }

 private:
  NodeRef inside(const SpaceRef& space, const NodeRef& n, int level) {
    return map_contents(space, n,
                        [&](const SpaceRef& s, const NodeRef& c) { return (*this)(s, c, level); });
  }

  static NodeRef without_missing(const Node& n) {
    const NodeRef content = option_outside(n.contents[0]);
    if (content->kind != NodeKind::option) return list_node(n.space, content, n.size, n.parameters);
    const SpaceRef kept = select(n.space, content->column);
    return list_node(kept, rebase_at(content->contents[0], n.space, kept), -1, n.parameters);
  }

  NodeRef join_lists(const Node& n, const SpaceRef& space, const NodeRef& content, int level) {
    switch (content->kind) {
      case NodeKind::unknown:
        return list_node(space, content, -1, n.parameters);
      case NodeKind::option: {
        const SpaceRef kept = select(space, content->column);
        return join_lists(n, kept, rebase_at(content->contents[0], space, kept), level);
      }
      case NodeKind::union_:
        return join_lists(n, space, list_of_union(space, *content), level);
      case NodeKind::record:
        throw ValueError(
            "flatten: arrays of records can't be flattened; flatten their fields or another axis");
      case NodeKind::list:
        if (!is_string(*content)) break;
        [[fallthrough]];
      default:
        axis_too_large("flatten", axis_, level + 1);
    }
    if (const NodeRef found = joined_stored(*content); found)
      return list_node(found->space, found->contents[0], -1, n.parameters);
    const SpaceRef joined = flat(content->space);
    return list_node(joined, rebase_at(content->contents[0], content->space, joined), -1,
                     n.parameters);
  }

  int axis_;
};

/// The tree of an operand whose lists from the one axis to the other are joined to those around
/// them.
NodeRef joined_input(const Array& a, int first_axis, int last_axis) {
  NodeRef n = input(a);
  if (!looks_into_lists_of_owners(*n, first_axis + 1, last_axis + 1)) return n;
  materialise(a, current_where("materialised") +
                     ": lists that its items look into would be made again for each of them");
  return a.node();
}

}  // namespace

NodeRef joined_stored(const Node& lists) {
  const SpaceRef& s = lists.space;
  const NodeRef& content = lists.contents[0];
  if (!is_stored(s)) return {};
  // What is traced must fit lists of other sizes.
  int left = looks_of_thread == nullptr ? kMostColumns : 0;
  const bool ready = is_stored(*content, s);
  if (!ready && !is_item_by_item(*content, *s, left)) return {};
  const SpaceRef to = joined_space(s);
  if (!to) return {};
  const NodeRef items = over_same_items(content, s, to);
  return !ready || is_stored(*items, to) ? list_node(to, items) : NodeRef();
}

NodeRef items_side_by_side(const Node& lists) {
  const Node* inner = &lists;
  while (is_list(*inner->contents[0])) inner = inner->contents[0].get();
  const SpaceRef& s = inner->space;
  const NodeRef& items = inner->contents[0];
  // What is traced must fit lists of other sizes.
  if (inner == &lists || looks_of_thread != nullptr || !is_stored(s)) return {};
  const NodeRef& numbers = items->kind == NodeKind::option ? items->contents[0] : items;
  int left = kMostColumns;
  if (numbers->kind != NodeKind::leaf || !is_item_by_item(*items, *s, left)) return {};
  const int64_t size = size_at_hand(s);
  if (size < 0) return {};
  const SpaceRef all = rows(size);
  return list_node(all, over_same_items(items, s, all));
}

NodeRef list_of(const SpaceRef& space, const NodeRef& n) {
  NodeRef out = n;
  SpaceRef s = space;
  if (s->kind == SpaceKind::unit) {
    const SpaceRef one = rows(1);
    return list_node(one, rebase_lift(out, s, one));
  }
  while (s->depth > 1) {
    const SpaceRef joined = flat(s);
    out = rebase_at(out, s, joined);
    s = joined;
  }
  return list_node(s, out);
}

bool is_empty(const SpaceRef& space) {
  if (space->kind == SpaceKind::unit) return false;
  const NodeRef no = leaf(constant(Scalar::boolean(false)));
  return all(Array(list_of(space, no))).item_scalar().i != 0;
}

NodeRef list_of_union(const SpaceRef& space, const Node& n, bool mergebool) {
  ColumnRef length;
  for (size_t k = n.contents.size(); k-- > 0;) {
    const Node& c = *n.contents[k];
    const Node& l = c.kind == NodeKind::option ? *c.contents[0] : c;
    check<AxisError>(is_list(l), "flatten: expected lists, found {} in {}", type_text(l),
                     type_text(n));
    ColumnRef own = count(l.space);
    if (c.kind == NodeKind::option) own = apply(Op::where, {c.column, own, constant(0)});
    if (!length) {
      length = own;
      continue;
    }
    const ColumnRef here = is_member(n, k);
    length = apply(Op::where, {here, own, length});
  }
  const SpaceRef to = list(space, constant(0), length);
  const ColumnRef tag = parent(to, n.column);
  std::vector<NodeRef> contents;
  for (size_t k = 0; k < n.contents.size(); k++) {
    const Node& c = *n.contents[k];
    const Node& l = c.kind == NodeKind::option ? *c.contents[0] : c;
    const ColumnRef here =
        apply(Op::equal, {tag, constant(Scalar::of(static_cast<int64_t>(k), DType::int8))});
    contents.push_back(rebase_pick(l.contents[0], to, l.space, local(to), here));
  }
  return list_node(to, simplified_union(to, tag, contents, mergebool));
}

NodeRef without_absent(const SpaceRef& space, const NodeRef& n) {
  if (n->kind != NodeKind::union_) return map_contents(space, n, without_absent);
  ColumnRef tag;
  std::vector<NodeRef> contents;
  for (size_t k = 0; k < n->contents.size(); k++) {
    const ColumnRef here = is_member(*n, k);
    const NodeRef all = list_of(space, leaf(here));
    if (look(reduce(Reducer::any, all->space, all->contents[0]->column)) == 0) continue;
    const ColumnRef own = constant(static_cast<int64_t>(contents.size()));
    tag = tag ? apply(Op::where, {here, own, tag}) : own;
    contents.push_back(without_absent(space, n->contents[k]));
  }
  if (contents.empty()) return unknown_node();
  return contents.size() == 1 ? contents[0] : union_node(tag, std::move(contents));
}

NodeRef flatten_all(const NodeRef& array, bool keep_none) {
  std::vector<NodeRef> parts;
  collect(unit(), array, keep_none, parts);
  if (parts.empty()) return list_node(rows(0), unknown_node());
  // Items of stored lists lie side by side already: evaluated, fields are copied end to end.
  if (parts.size() > 1 && is_stored(*array)) {
    for (NodeRef& p : parts) {
      if (p->space->kind == SpaceKind::flat) p = evaluate(p);
    }
  }
  return join(parts, true);
}

}  // namespace serrate::ops

namespace serrate {

Array flatten(const Array& x, Axis axis) {
  const graph::Operation operation;
  const graph::NodeRef n = ops::input(x);
  check<TypeError>(ops::is_list(*n), "flatten: expected an array, got a single {}",
                   graph::type_text(*n));
  const auto a = axis ? ops::positive_axis(*n, *axis, 0) : std::nullopt;
  if (a && *a < 0) ops::axis_too_large("flatten", *axis, ops::levels(*n).max);
  const graph::NodeRef all = ops::joined_input(x, a.value_or(1), a.value_or(kMaxTypeDepth));
  if (!axis) return Array(ops::flatten_all(ops::without_absent(graph::unit(), all), false));
  return Array(ops::Flatten(*axis)(graph::unit(), all, 0));
}

Array ravel(const Array& x) {
  const graph::Operation operation;
  check<TypeError>(ops::is_list(*x.node()), "ravel: expected an array, got {}",
                   graph::type_text(*x.node()));
  const graph::NodeRef n = ops::joined_input(x, 1, kMaxTypeDepth);
  return Array(ops::flatten_all(ops::without_absent(graph::unit(), n), true));
}

}  // namespace serrate
