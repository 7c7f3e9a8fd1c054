// Lists along an axis as lists of items: see list_items.h.
#include "ops/lists/list_items.h"

#include <algorithm>

#include "core/seams.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/type_text.h"
#include "ops/lists/column_bands.h"
#include "ops/lists/columns.h"
#include "ops/lists/flatten.h"
#include "ops/lists/fold.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
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
    // Columns need the lists stored.
    const int inner = levels(*root).max - 1;
    const bool is_outer = *o_.axis < 0 ? *o_.axis < -1 : *o_.axis < inner;
    return descend(unit(), is_outer && !has_stored_lists(*root) ? evaluate(root) : root, 0);
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
        // Of nothing at all there is nothing to compare.
        if (is_empty(space)) return o_.positions ? leaf(local(space)) : n;
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

  /// Those that are present, in front of those that are missing: they are stored by themselves.
  NodeRef missing_last(const SpaceRef& space, const NodeRef& n) {
    const SpaceRef some = select(space, n->column);
    const ColumnRef outer = row_ ? row_ : local(space);
    const auto [all, present] = stored_items(
        some, tuple_node({rebase_at(n->contents[0], space, some), leaf(at(some, 0, outer))}));
    row_ = all->contents[1]->column;
    const NodeRef inner = items(present, all->contents[0]);
    row_ = outer;
    const ColumnRef has = apply(Op::less, {local(space), parent(space, count(present))});
    return option_node(has, rebase_pick(inner, space, present, local(space), has));
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
    return columns(Columns(space, row_), {}, space, n);
  }

  /// Down to the leaves; `valid` over `space`: what is not missing, nor in what is.
  NodeRef columns(const Columns& above, const ColumnRef& valid, const SpaceRef& space,
                  const NodeRef& n) {
    if (is_leaf(*n)) return columns_of_leaves(above, valid, n);
    if (n->kind == NodeKind::list) {
      Columns below = above;
      below.enter(n->space, valid, n->size);
      const ColumnRef who = valid ? parent(n->space, valid) : valid;
      return list_node(n->space, columns(below, who, n->space, n->contents[0]), n->size,
                       n->parameters);
    }
    const ColumnRef here = n->kind == NodeKind::option ? both(valid, n->column) : valid;
    return inside(
        space, n, [&](const NodeRef& c) { return columns(above, here, space, c); },
        [](const NodeRef& c) { return c; });
  }

  /// Each column becomes a list; what is made of its items goes back to where they are.
  NodeRef columns_of_leaves(const Columns& columns, const ColumnRef& valid, const NodeRef& n) {
    if (o_.scan) {
      if (const NodeRef result = columns.scanned(*o_.scan, n, valid)) return result;
    }
    if (const auto bands = ColumnBands::of(columns, n, valid, o_.positions)) {
      const auto made = [&](ColumnLists& c) { return results_of(c); };
      if (const NodeRef result = bands->map(columns.items(), made)) return result;
    }
    ColumnLists c = lists_of_columns(columns, n, valid, o_.positions);
    const NodeRef result = results_of(c);
    return back_to_items(c, result, columns.items(), valid);
  }

  /// What is made of the columns, stored, and nothing of them but the way back.
  NodeRef results_of(ColumnLists& c) {
    // Looked at twice: by what is made of the columns and by the way back.
    if (c.order) c.order = stored_over(c.all, c.order);
    NodeRef result = f_(c.lists, c.values);
    // Of long ones the values go before what is told of them comes.
    if (o_.positions && stored_extent(c.lists).size >= seams().block)
      result = stored_items(c.lists, result).items;
    c.values = {};
    if (o_.positions) result = leaf(pick(c.lists, c.lists, c.row, result->column));
    result = stored_items(c.lists, result).items;
    c.row = {};
    if (c.order) c.place = stored_over(c.all, barrier(Barrier::inverse, c.all, c.order));
    c.order = {};
    return result;
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
      if (const NodeRef stored = joined_stored(*c); stored) {
        n = stored;
        continue;
      }
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
                    bool with_place, const OnListsAlong& f, bool numbers) {
  check<TypeError>(is_list(*root), "{}: expected an array, got {}", name, type_text(*root));
  if (!is_outer_axis(*root, axis))
    return innermost_lists(root, name, axis, [&](const SpaceRef& space, const NodeRef& list) {
      return f(space, list, with_place ? local(list->space) : ColumnRef());
    });
  FoldOptions options;
  options.name = name;
  options.axis = axis;
  options.tuples = options.any_value = options.missing = true;
  options.cells = false;
  options.orders = true;
  options.row = with_place;
  options.lists = !numbers;
  return fold_axis(root, options,
                   [&](const FoldedLists& lists, const NodeRef& value, const ColumnRef& take_part) {
                     const SpaceRef& all = lists.items();
                     const ColumnRef row = with_place ? lists.row() : ColumnRef();
                     if (!take_part) return f(all->parent, list_node(all, value), row);
                     const SpaceRef some = select(all, take_part);
                     return f(all->parent, list_node(some, rebase_at(value, all, some)),
                              row ? at(some, 0, row) : row);
                   });
}

NodeRef map_items(const NodeRef& root, const ItemsOptions& options, const OnItems& f) {
  return ItemsMap(options, f).run(root);
}

}  // namespace serrate::ops
