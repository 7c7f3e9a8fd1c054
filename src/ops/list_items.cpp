// Lists along an axis as lists of items: see list_items.h.
#include "ops/list_items.h"

#include <algorithm>

#include "graph/type_text.h"
#include "ops/contents.h"
#include "ops/flatten.h"
#include "ops/fold.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/merge.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

namespace {

/// What f gets: numbers, strings, options and unions of these.
bool is_leaf(const Node& n) {
  const Node& v = n.kind == NodeKind::option ? *n.contents[0] : n;
  if (v.kind == NodeKind::union_)
    return std::all_of(v.contents.begin(), v.contents.end(),
                       [](const NodeRef& c) { return is_leaf(*c); });
  return v.kind == NodeKind::leaf || v.kind == NodeKind::unknown || is_string(v);
}

class ItemsMap {
 public:
  ItemsMap(const ItemsOptions& options, const OnItems& f) : o_(options), f_(f) {}

  NodeRef run(const NodeRef& root) {
    check<TypeError>(is_list(*root), "{}: expected an array, got {}", o_.name, type_text(*root));
    if (!o_.axis) {
      const NodeRef all = flatten_all(root, true);
      return list_like(*all, all->space, items(all->space, all->contents[0]));
    }
    if (const auto a = positive_axis(*root, *o_.axis, 0); a && *a < 0)
      axis_too_large(o_.name, *o_.axis, levels(*root).max);
    return descend(unit(), root, 0);
  }

 private:
  NodeRef descend(const SpaceRef& space, const NodeRef& n, int level) {
    if (is_list(*n)) {
      const bool here = positive_axis(*n, *o_.axis, level) == level;
      return list_node(
          n->space,
          here ? items(n->space, n->contents[0]) : descend(n->space, n->contents[0], level + 1),
          n->size, n->parameters);
    }
    return inside(
        space, n, [&](const NodeRef& c) { return descend(space, c, level); },
        [&](const NodeRef&) -> NodeRef { axis_too_large(o_.name, *o_.axis, level); });
  }

  /// f of what an option or a record holds, leaf(n) of anything else.
  template <class F, class Leaf>
  NodeRef inside(const SpaceRef& space, const NodeRef& n, F&& f, Leaf&& on_leaf) {
    switch (n->kind) {
      case NodeKind::option:
        return option_node(n->column, f(n->contents[0]));
      case NodeKind::categorical:
        return f(project_categorical(space, n));
      case NodeKind::union_:
        throw ValueError(fmt::format("{}: cannot {} an irreducible union", o_.name, o_.name));
      case NodeKind::record: {
        check<TypeError>(o_.records, "{}: not defined for records, got {}", o_.name, type_text(*n));
        std::vector<NodeRef> contents;
        for (const auto& c : n->contents) contents.push_back(f(c));
        return record_like(*n, std::move(contents));
      }
      default:
        return on_leaf(n);
    }
  }

  /// A union of numbers as numbers.
  static NodeRef numbers_merged(const SpaceRef& space, const NodeRef& n) {
    if (n->kind == NodeKind::option)
      return option_node(n->column, numbers_merged(space, n->contents[0]));
    return n->kind == NodeKind::union_ ? simplified_union(space, n->column, n->contents, true) : n;
  }

  /// Those that are present, in front of those that are missing.
  NodeRef missing_last(const SpaceRef& space, const NodeRef& n) {
    const SpaceRef present = select(space, n->column);
    const ColumnRef outer = row_ ? row_ : local(space);
    row_ = at(present, 0, outer);
    const NodeRef inner = items(present, rebase_at(n->contents[0], space, present));
    row_ = outer;
    const ColumnRef some = apply(Op::less, {local(space), parent(space, count(present))});
    return option_node(some, rebase_pick(inner, space, present, local(space), some));
  }

  /// The items of one axis, over `space`.
  NodeRef items(const SpaceRef& space, const NodeRef& node) {
    const NodeRef n = numbers_merged(space, node);
    if (is_leaf(*n)) return f_(space, n);
    if (n->kind == NodeKind::option && n->contents[0]->kind == NodeKind::categorical)
      return items(space, option_node(n->column, project_categorical(space, n->contents[0])));
    if (n->kind == NodeKind::option && o_.missing_last) return missing_last(space, n);
    if (n->kind == NodeKind::option && n->contents[0]->kind == NodeKind::record) {
      // Missing records are missing in each field.
      const Node& r = *n->contents[0];
      std::vector<NodeRef> contents;
      for (const auto& c : r.contents) contents.push_back(option_node(n->column, c));
      return items(space, record_like(r, std::move(contents)));
    }
    if (n->kind != NodeKind::list && n->kind != NodeKind::option)
      return inside(
          space, n, [&](const NodeRef& c) { return items(space, c); },
          [](const NodeRef& c) { return c; });
    Path path;
    path.axis = space;
    path.row = row_ ? row_ : local(space);
    return columns(path, space, n);
  }

  /// The lists between an outer axis and the leaves, and which of them are not missing.
  struct Path {
    SpaceRef axis;
    ColumnRef row;  // over the axis: the index that results tell
    std::vector<SpaceRef> levels;
    ColumnRef valid;  // over the last of them
    const SpaceRef& last() const { return levels.empty() ? axis : levels.back(); }
  };

  NodeRef columns(const Path& path, const SpaceRef& space, const NodeRef& n) {
    if (is_leaf(*n)) return columns_of_leaves(path, n);
    if (n->kind == NodeKind::list) {
      Path below = path;
      below.levels.push_back(n->space);
      if (path.valid) below.valid = parent(n->space, path.valid);
      return list_node(n->space, columns(below, n->space, n->contents[0]), n->size, n->parameters);
    }
    Path here = path;
    if (n->kind == NodeKind::option) here.valid = both(path.valid, n->column);
    return inside(
        space, n, [&](const NodeRef& c) { return columns(here, space, c); },
        [](const NodeRef& c) { return c; });
  }

  /// Columns are sorted next to each other, so that each becomes a list; back by the inverse.
  NodeRef columns_of_leaves(const Path& path, const NodeRef& n) {
    const SpaceRef& bottom = path.last();
    // What belongs to an item: its place in each level, its row, itself.
    std::vector<NodeRef> fields;
    if (path.valid) fields.push_back(leaf(path.valid));
    for (const auto& s : path.levels) fields.push_back(leaf(lift(local(s), s, bottom)));
    const size_t keys = fields.size();
    fields.push_back(leaf(lift(path.row, path.axis, bottom)));
    fields.push_back(n);
    NodeRef all = tuple_node(std::move(fields));
    SpaceRef joined = bottom;
    while (joined->depth > path.axis->depth) {
      const SpaceRef next = flat(joined);
      all = rebase_at(all, joined, next);
      joined = next;
    }
    // Stable sorts, the first key last.
    ColumnRef order;
    for (size_t k = keys; k-- > 0;) {
      const ColumnRef& key = all->contents[k]->column;
      const ColumnRef next =
          barrier(Barrier::argsort, joined, order ? pick(joined, joined, key, order) : key);
      order = order ? pick(joined, joined, order, next) : next;
    }
    ColumnRef starts = apply(Op::equal, {local(joined), constant(0)});
    const ColumnRef before = apply(Op::subtract, {local(joined), constant(1)});
    const ColumnRef is_first = starts;
    const ColumnRef has_before = apply(Op::logical_not, {is_first});
    for (size_t k = 0; k < keys; k++) {
      const ColumnRef key = pick(joined, joined, all->contents[k]->column, order);
      const ColumnRef other = pick(joined, joined, key, before, has_before);
      starts = apply(Op::logical_or, {starts, apply(Op::not_equal, {key, other})});
    }
    const Runs runs = runs_of(joined, starts);
    const SpaceRef column = list(runs.space, constant(0), runs.length);
    const ColumnRef slot = apply(Op::add, {parent(column, runs.first), local(column)});
    const ColumnRef item = pick(column, joined, order, slot);
    NodeRef result = f_(column, rebase_pick(all->contents[keys + 1], column, joined, item));
    if (o_.positions) {
      const ColumnRef row = pick(column, joined, all->contents[keys]->column, item);
      result = leaf(pick(column, column, row, result->column));
    }
    // Columns end to end are the slots.
    const SpaceRef slots = flat(column);
    const ColumnRef back =
        pick(bottom, joined, barrier(Barrier::inverse, joined, order), place_in_joined(path));
    return rebase_pick(rebase_at(result, column, slots), bottom, slots, back);
  }

  /// Index of an item among all below the same list of the axis.
  static ColumnRef place_in_joined(const Path& path) {
    ColumnRef index = local(path.axis);
    SpaceRef joined = path.axis, above = path.axis;
    for (const auto& s : path.levels) {
      // Lists of s that come before, over the joined space of those that own them.
      ColumnRef size = count(s);
      std::vector<SpaceRef> steps;
      for (SpaceRef j = joined; j != above; j = j->bases[0]) steps.push_back(j);
      for (size_t i = steps.size(); i-- > 0;) size = at(steps[i], 0, size);
      const ColumnRef sum = barrier(Barrier::sum_scan, joined, size);
      const ColumnRef before = apply(Op::subtract, {sum, size});
      const ColumnRef start = joined == above ? before : pick(above, joined, before, index);
      index = apply(Op::add, {parent(s, start), local(s)});
      SpaceRef next = s;
      while (next->depth > path.axis->depth) next = flat(next);
      joined = next;
      above = s;
    }
    return index;
  }

  const ItemsOptions& o_;
  const OnItems& f_;
  ColumnRef row_;  // of what is compacted: the index that results tell
};

NodeRef map_innermost(const std::string& name, const SpaceRef& space, const NodeRef& n,
                      const OnLists& f) {
  switch (n->kind) {
    case NodeKind::option:
      return option_node(n->column, map_innermost(name, space, n->contents[0], f));
    case NodeKind::categorical:
      return map_innermost(name, space, project_categorical(space, n), f);
    case NodeKind::list: {
      NodeRef c = n->contents[0];
      if (c->kind == NodeKind::categorical) c = project_categorical(n->space, c);
      const NodeRef& inside = c->kind == NodeKind::option ? c->contents[0] : c;
      if (is_list(*inside))
        return list_node(n->space, map_innermost(name, n->space, c, f), n->size, n->parameters);
      return f(space, list_node(n->space, c, n->size, n->parameters));
    }
    default:
      throw TypeError(fmt::format("{}: not defined for {}", name, type_of(*n).str()));
  }
}

/// Lists of lists as one list; missing lists are left out.
NodeRef flatten_lists(NodeRef n) {
  for (;;) {
    const NodeRef c = n->contents[0];
    if (is_list(*c)) {
      const SpaceRef joined = flat(c->space);
      n = list_node(joined, rebase_at(c->contents[0], c->space, joined));
    } else if (c->kind == NodeKind::option && is_list(*c->contents[0])) {
      const SpaceRef present = select(n->space, c->column);
      n = list_node(present, rebase_at(c->contents[0], n->space, present));
    } else {
      return n;
    }
  }
}

}  // namespace

int lists_above(const Node& n) {
  if (n.kind == NodeKind::option) return lists_above(*n.contents[0]);
  return is_list(n) ? 1 + lists_above(*n.contents[0]) : 0;
}

NodeRef innermost_lists(const NodeRef& root, const std::string& name, std::optional<int> axis,
                        const OnLists& f) {
  check<TypeError>(is_list(*root), "{}: expected an array, got {}", name, type_text(*root));
  if (!axis) return map_innermost(name, unit(), flatten_lists(root), f);
  const int depth = lists_above(*root);
  check<AxisError>(*axis >= -depth && *axis < depth,
                   "{}: axis={} exceeds the depth of the nested list structure (which is {})", name,
                   *axis, depth);
  check<ValueError>(*axis == -1 || *axis == depth - 1,
                    "{}: only along the innermost axis ({}) or axis=None, got axis={}", name,
                    depth - 1, *axis);
  return map_innermost(name, unit(), root, f);
}

bool is_outer_axis(const Node& root, std::optional<int> axis) {
  const int depth = lists_above(root);
  return axis && *axis >= -depth && (*axis < 0 ? *axis < -1 : *axis < depth - 1);
}

NodeRef lists_along(const NodeRef& root, const std::string& name, std::optional<int> axis,
                    const OnListsAlong& f) {
  check<TypeError>(is_list(*root), "{}: expected an array, got {}", name, type_text(*root));
  if (!is_outer_axis(*root, axis))
    return innermost_lists(root, name, axis, [&](const SpaceRef& space, const NodeRef& list) {
      return f(space, list, local(list->space));
    });
  FoldOptions options;
  options.name = name;
  options.axis = axis;
  options.tuples = options.any_value = options.missing = true;
  options.cells = false;
  return fold_axis(root, options,
                   [&](const FoldedLists& lists, const NodeRef& value, const ColumnRef& take_part) {
                     const SpaceRef& all = lists.items();
                     if (!take_part) return f(all->parent, list_node(all, value), local(all));
                     const SpaceRef some = select(all, take_part);
                     return f(all->parent, list_node(some, rebase_at(value, all, some)),
                              local(some, 0));
                   });
}

NodeRef map_items(const NodeRef& root, const ItemsOptions& options, const OnItems& f) {
  return ItemsMap(options, f).run(root);
}

}  // namespace serrate::ops
