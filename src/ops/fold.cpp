// Folding the lists of one axis. The innermost axis is the plain case; an outer axis makes virtual
// lists of columns, whose rows are the lists that are long enough.
#include "ops/fold.h"

#include "graph/type_text.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/merge.h"
#include "serrate/error.h"

namespace serrate::ops {
namespace {

using namespace graph;

class Folder {
 public:
  Folder(const FoldOptions& options, const Fold& fold) : o_(options), fold_(fold) {}

  NodeRef run(const NodeRef& root) {
    check<TypeError>(is_list(*root), "{}: expected an array, got {}", o_.name, type_text(*root));
    const int depth = depth_of(*root);
    if (!o_.axis) return everything(root, depth);
    const int axis = *o_.axis < 0 ? *o_.axis + depth : *o_.axis;
    check<AxisError>(axis >= 0 && axis < depth,
                     "{}: axis={} exceeds the depth of the nested list structure (which is {})",
                     o_.name, *o_.axis, depth);
    return descend(unit(), root, axis);
  }

 private:
  /// List levels; refuses what cannot be folded.
  int depth_of(const Node& n) {
    switch (n.kind) {
      case NodeKind::list:
        check<TypeError>(!is_string(n), "{}: not defined for strings", o_.name);
        return 1 + depth_of(*n.contents[0]);
      case NodeKind::option:
      case NodeKind::categorical:
        return depth_of(*n.contents[0]);
      case NodeKind::union_:
        throw ValueError(
            fmt::format("{}: cannot reduce an irreducible union, got {}", o_.name, type_text(n)));
      case NodeKind::record:
        check<TypeError>(o_.tuples, "{}: not defined for records, got {}", o_.name, type_text(n));
        return 0;
      default:
        return 0;
    }
  }

  NodeRef descend(const SpaceRef& space, const NodeRef& n, int axis) {
    if (n->kind == NodeKind::option)
      return option_node(n->column, descend(space, n->contents[0], axis));
    if (axis > 0)
      return list_node(n->space, descend(n->space, n->contents[0], axis - 1), n->size,
                       n->parameters);
    const NodeRef r = rows_of(space, n->space, n->contents[0], {});
    if (!o_.keepdims) return r;
    const SpaceRef one = adjacent_lists(space, 1);
    return list_node(one, rebase_lift(r, space, one), space->kind == SpaceKind::unit ? -1 : 1);
  }

  /// One result over `space` from the rows `over` (a list of each position of space) of n.
  NodeRef rows_of(const SpaceRef& space, const SpaceRef& over, const NodeRef& n,
                  const ColumnRef& take_part) {
    switch (n->kind) {
      case NodeKind::option:
        return rows_of(space, over, n->contents[0], both(take_part, n->column));
      case NodeKind::unknown:
        return fold_(over, leaf(constant(Scalar::of(0.0))), take_part);
      case NodeKind::categorical:
        return rows_of(space, over, project_categorical(over, n), take_part);
      case NodeKind::list:
        return columns_of(space, over, n, take_part);
      default:
        return fold_(over, n, take_part);
    }
  }

  NodeRef columns_of(const SpaceRef& space, const SpaceRef& over, const NodeRef& n,
                     const ColumnRef& take_part) {
    // As many columns as the longest row that takes part has items.
    SpaceRef columns;
    if (n->size >= 0) {
      // A row of rows(1) is not unit: keepdims lifts the result into one.
      columns = space->kind == SpaceKind::unit && o_.keepdims
                    ? fixed(space, constant(0), n->size, true)
                    : adjacent_lists(space, n->size);
    } else {
      const ColumnRef rows_here = count_items(over, take_part);
      const ColumnRef longest = reduce(Reducer::max, over, count(n->space), take_part);
      columns = list(
          space, constant(0),
          apply(Op::where, {apply(Op::greater, {rows_here, constant(0)}), longest, constant(0)}));
    }
    // The same rows again under each column.
    const SpaceRef again = list(columns, constant(0), lift(count(over), space, columns));
    const ColumnRef row = local(again);
    const NodeRef here = rebase_pick(n, again, over, row);
    const ColumnRef column = parent(again, local(columns));
    ColumnRef has = apply(Op::less, {column, count(here->space)});
    if (take_part) has = both(pick(again, over, take_part, row), has);
    const NodeRef item = rebase_pick(here->contents[0], again, here->space, column, has);
    const int64_t size = space->kind == SpaceKind::unit && !o_.keepdims ? -1 : n->size;
    return list_node(columns, rows_of(columns, again, item, has), size);
  }

  /// axis=None: all leaves are one list.
  NodeRef everything(const NodeRef& root, int depth) {
    SpaceRef over = root->space;
    NodeRef n = root->contents[0];
    ColumnRef take_part;
    for (;;) {
      if (n->kind == NodeKind::option) {
        const ColumnRef valid = n->column;
        n = n->contents[0];
        if (o_.positions && n->kind == NodeKind::list) {
          const SpaceRef present = select(over, valid);
          n = rebase_at(n, over, present);
          over = present;
        } else {
          take_part = both(take_part, valid);
        }
      } else if (n->kind == NodeKind::list) {
        if (take_part) take_part = parent(n->space, take_part);
        over = n->space;
        n = n->contents[0];
      } else {
        break;
      }
    }
    while (over->depth > 1) {
      const SpaceRef joined = flat(over);
      n = rebase_at(n, over, joined);
      if (take_part) take_part = at(joined, 0, take_part);
      over = joined;
    }
    NodeRef r = rows_of(unit(), over, n, take_part);
    if (!o_.keepdims) return r;
    std::vector<SpaceRef> dims{unit()};
    for (int i = 0; i < depth; i++) dims.push_back(adjacent_lists(dims.back(), 1));
    r = rebase_lift(r, unit(), dims.back());
    for (int i = depth; i > 0; i--) r = list_node(dims[static_cast<size_t>(i)], r, i > 1 ? 1 : -1);
    return r;
  }

  const FoldOptions& o_;
  const Fold& fold_;
};

}  // namespace

NodeRef fold_axis(const NodeRef& root, const FoldOptions& options, const Fold& fold) {
  return Folder(options, fold).run(root);
}

ColumnRef count_items(const SpaceRef& over, const ColumnRef& take_part) {
  return take_part ? reduce(Reducer::sum, over, take_part) : count(over);
}

}  // namespace serrate::ops
