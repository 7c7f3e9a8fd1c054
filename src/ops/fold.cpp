// Folding the lists of one axis. The innermost axis is the plain case; an outer axis makes virtual
// lists of columns, whose rows are the lists that are long enough.
#include "ops/fold.h"

#include <algorithm>

#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/scatter.h"
#include "graph/type_text.h"
#include "ops/flatten.h"
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

  NodeRef run(NodeRef root) {
    check<TypeError>(is_list(*root), "{}: expected an array, got {}", o_.name, type_text(*root));
    if (has_union(*root)) root = merged(unit(), root);
    if (!o_.axis && !o_.tuples && has_mixed(*root)) root = flatten_all(root, true);
    if (o_.axis) axis_of(levels(*root).max);  // an axis that is nowhere comes before other errors
    const int depth = depth_of(*root);
    return o_.axis ? descend(unit(), root, axis_of(depth)) : everything(root, depth);
  }

 private:
  int axis_of(int depth) {
    const int axis = *o_.axis < 0 ? *o_.axis + depth : *o_.axis;
    check<AxisError>(axis >= 0 && axis < depth,
                     "{}: axis={} exceeds the depth of the nested list structure (which is {})",
                     o_.name, *o_.axis, depth);
    return axis;
  }

  /// Lists beside numbers: with no axis their items are beside them.
  static bool has_mixed(const Node& n) {
    if (n.kind == NodeKind::union_) return has_lists(n);
    return std::any_of(n.contents.begin(), n.contents.end(),
                       [](const NodeRef& c) { return has_mixed(*c); });
  }

  /// Unions of lists as lists of unions, unions of numbers as numbers.
  NodeRef merged(const SpaceRef& space, const NodeRef& node) {
    const NodeRef n = option_outside(node);
    switch (n->kind) {
      case NodeKind::option:
        return option_node(n->column, merged(space, n->contents[0]));
      case NodeKind::list:
        if (is_string(*n)) return n;
        return list_node(n->space, merged(n->space, n->contents[0]), n->size, n->parameters);
      case NodeKind::union_: {
        if (std::all_of(n->contents.begin(), n->contents.end(),
                        [](const NodeRef& c) { return is_list(*c); }))
          return merged(space, list_of_union(space, *n));
        return simplified_union(space, n->column, n->contents, true);
      }
      default:
        return n;
    }
  }

  /// List levels; refuses what cannot be folded.
  int depth_of(const Node& n) {
    switch (n.kind) {
      case NodeKind::list:
        if (is_string(n)) {
          check<TypeError>(o_.any_value, "{}: not defined for strings", o_.name);
          return 0;
        }
        return 1 + depth_of(*n.contents[0]);
      case NodeKind::option:
      case NodeKind::categorical:
        return depth_of(*n.contents[0]);
      case NodeKind::union_:
        if (o_.any_value && !has_lists(n) && !has_records(n)) return 0;
        throw ValueError(
            fmt::format("{}: cannot reduce an irreducible union, got {}", o_.name, type_text(n)));
      case NodeKind::record:
        check<TypeError>(o_.tuples, "{}: not defined for records, got {}", o_.name, type_text(n));
        return 0;
      default:
        return 0;
    }
  }

  static bool has_records(const Node& n) {
    return n.kind == NodeKind::record ||
           std::any_of(n.contents.begin(), n.contents.end(),
                       [](const NodeRef& c) { return has_records(*c); });
  }

  static bool has_lists(const Node& n) {
    return is_list(n) ||
           (!is_string(n) && std::any_of(n.contents.begin(), n.contents.end(),
                                         [](const NodeRef& c) { return has_lists(*c); }));
  }

  NodeRef descend(const SpaceRef& space, const NodeRef& n, int axis) {
    if (n->kind == NodeKind::option)
      return option_node(n->column, descend(space, n->contents[0], axis));
    if (n->kind == NodeKind::categorical)
      return descend(space, project_categorical(space, n), axis);
    if (axis > 0)
      return list_node(n->space, descend(n->space, n->contents[0], axis - 1), n->size,
                       n->parameters);
    const NodeRef r = rows_of(space, n->space, n->contents[0], {});
    if (!o_.keepdims) return r;
    const SpaceRef one = adjacent_lists(space, 1);
    return list_node(one, rebase_lift(r, space, one), space->kind == SpaceKind::unit ? -1 : 1);
  }

  /// One result over `space` from the rows `over` (a list of each position of space) of n.
  NodeRef rows_of(const SpaceRef& space, const SpaceRef& over, const NodeRef& node,
                  const ColumnRef& take_part) {
    const NodeRef n = option_outside(node);
    switch (n->kind) {
      case NodeKind::option:
        if (o_.missing && !has_lists(*n)) break;
        return rows_of(space, over, n->contents[0], both(take_part, n->column));
      case NodeKind::unknown:
        if (o_.missing) break;
        return fold_(FoldedLists(over), leaf(constant(Scalar::of(0.0))), take_part);
      case NodeKind::categorical:
        return rows_of(space, over, project_categorical(over, n), take_part);
      case NodeKind::union_: {
        std::vector<NodeRef> contents;
        for (const auto& c : n->contents) contents.push_back(project_categorical(over, c));
        return fold_(FoldedLists(over), union_node(n->column, contents, n->parameters), take_part);
      }
      case NodeKind::list:
        if (!is_string(*n)) return columns_of(space, over, n, take_part);
        break;
      default:
        break;
    }
    return fold_(FoldedLists(over), n, take_part);
  }

  NodeRef columns_of(const SpaceRef& space, const SpaceRef& over, const NodeRef& n,
                     const ColumnRef& take_part) {
    if (const auto r = columns_by_cells(space, over, n, take_part)) return *r;
    // As many columns as the longest row that takes part has items.
    SpaceRef columns;
    // On a GPU their number is known before, so that each has a part of the threads.
    const bool look_now = n->size < 0 && !take_part && space->kind == SpaceKind::unit &&
                          some_device(n->contents[0]) == Device::cuda;
    const int64_t size_now = look_now ? longest_of(over, n->space, {}) : n->size;
    if (size_now >= 0) {
      // A row of rows(1) is not unit: keepdims lifts the result into one.
      if (space->kind != SpaceKind::unit || !o_.keepdims)
        columns = adjacent_lists(space, size_now);
      else if (look_now)
        columns = list(space, constant(0), constant(size_now));
      else
        columns = fixed(space, constant(0), n->size, true);
    } else {
      const ColumnRef rows_here = FoldedLists(over).count(take_part);
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

  /// Items of the longest row that takes part.
  static int64_t longest_of(const SpaceRef& over, const SpaceRef& items,
                            const ColumnRef& take_part) {
    if (const int64_t known = take_part ? -1 : longest_list(items); known >= 0) return known;
    const ColumnRef longest = graph::reduce(Reducer::max, over, graph::count(items), take_part);
    return std::max<int64_t>(0, look(longest));
  }

  /// The columns of one array of lists of numbers: each item adds to its cell, in one pass.
  std::optional<NodeRef> columns_by_cells(const SpaceRef& space, const SpaceRef& over,
                                          const NodeRef& n, const ColumnRef& rows_taken) {
    if (space->kind != SpaceKind::unit || !o_.cells) return {};
    const SpaceRef& items = n->space;
    ColumnRef take_part = rows_taken ? parent(items, rows_taken) : rows_taken;
    NodeRef value = n->contents[0];
    if (value->kind == NodeKind::option) {
      take_part = both(take_part, value->column);
      value = value->contents[0];
    }
    if (!fits_cells(*value)) return {};
    int64_t size = n->size;
    if (size < 0) size = longest_of(over, items, rows_taken);
    const SpaceRef cells = rows(size);
    const DType t = size < (int64_t{1} << 31) ? DType::int32 : DType::int64;
    const FoldedLists lists(items, cast(local(items), t), parent(items, local(over)), cells);
    const NodeRef result = fold_(lists, value, take_part);
    if (!o_.keepdims) return list_node(cells, result);
    const SpaceRef one = n->size >= 0 ? fixed(space, constant(0), size, true)
                                      : list(space, constant(0), constant(size));
    return list_node(one, rebase_pick(result, one, cells, local(one)), n->size);
  }

  /// Real numbers that histograms add; on a GPU integers: sums of floats take long there, where
  /// many threads add to few columns.
  static bool fits_cells(const Node& n) {
    if (n.kind == NodeKind::record)
      return std::all_of(n.contents.begin(), n.contents.end(),
                         [](const NodeRef& c) { return fits_cells(*c); });
    if (n.kind != NodeKind::leaf) return false;
    const DType t = n.column->dtype;
    return t == DType::boolean || (is_integer(t) && t != DType::uint64) ||
           ((t == DType::float64 || t == DType::float32) &&
            some_device(leaf(n.column)) != Device::cuda);
  }

  /// axis=None: all leaves are one list.
  NodeRef everything(const NodeRef& root, int depth) {
    SpaceRef over = root->space;
    NodeRef n = root->contents[0];
    ColumnRef take_part;
    for (;;) {
      n = option_outside(n);
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
      } else if (is_list(*n)) {
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

bool has_union(const Node& n) {
  return n.kind == NodeKind::union_ || std::any_of(n.contents.begin(), n.contents.end(),
                                                   [](const NodeRef& c) { return has_union(*c); });
}

NodeRef fold_axis(const NodeRef& root, const FoldOptions& options, const Fold& fold) {
  return Folder(options, fold).run(root);
}

ColumnRef FoldedLists::count(const ColumnRef& take_part) const {
  if (cells_) return by_cells(Reducer::count, {}, take_part);
  return take_part ? graph::reduce(Reducer::sum, over_, take_part) : graph::count(over_);
}

ColumnRef FoldedLists::of_items(const ColumnRef& result) const {
  if (!cells_) return parent(over_, result);
  if (result->kind == ColumnKind::constant) return result;
  return pick(over_, cells_, result, cast(cell_, DType::int64));
}

ColumnRef FoldedLists::reduce(Reducer r, const ColumnRef& value, const ColumnRef& take_part) const {
  if (cells_) return by_cells(r, value, take_part);
  const bool ordered =
      r == Reducer::min || r == Reducer::max || r == Reducer::argmin || r == Reducer::argmax;
  if (ordered && is_complex(value->dtype)) return of_complex(r, value, take_part);
  return graph::reduce(r, over_, value, take_part);
}

/// The real parts decide, then the imaginary ones; the first item if there are only NaN.
ColumnRef FoldedLists::of_complex(Reducer r, const ColumnRef& value,
                                  const ColumnRef& take_part) const {
  const bool least = r == Reducer::min || r == Reducer::argmin;
  const auto is_best = [&](Op part, const ColumnRef& who) {
    const ColumnRef c = apply(part, {value});
    const ColumnRef best = graph::reduce(least ? Reducer::min : Reducer::max, over_, c, who);
    return apply(Op::equal, {c, of_items(best)});
  };
  const ColumnRef real = is_best(Op::real, take_part);
  const ColumnRef both_parts =
      apply(Op::logical_and, {real, is_best(Op::imag, both(take_part, real))});
  const ColumnRef first = graph::reduce(Reducer::argmax, over_, both_parts, take_part);
  if (r == Reducer::argmin || r == Reducer::argmax) return first;
  const ColumnRef some = apply(Op::greater, {count(take_part), constant(0)});
  return pick(over_->parent, over_, value, first, some);
}

ColumnRef FoldedLists::by_cells(Reducer r, const ColumnRef& value,
                                const ColumnRef& take_part) const {
  const ColumnRef zero = constant(0);
  const ColumnRef truth = value ? cast(value, DType::boolean) : value;
  const auto sum = [&](const ColumnRef& weight, const ColumnRef& who) {
    const ColumnRef nowhere = constant(Scalar::of(int64_t{-1}, cell_->dtype));
    const ColumnRef cell = who ? apply(Op::where, {who, cell_, nowhere}) : cell_;
    return histogram(over_, cell, weight, cells_->size);
  };
  switch (r) {
    case Reducer::count:
      return sum({}, take_part);
    case Reducer::count_nonzero:
      return sum({}, both(take_part, truth));
    case Reducer::any:
      return apply(Op::greater, {sum({}, both(take_part, truth)), zero});
    case Reducer::all:
      return apply(Op::equal, {sum({}, both(take_part, apply(Op::logical_not, {truth}))), zero});
    case Reducer::sum: {
      const DType t = value->dtype;
      const ColumnRef total = sum(value, take_part);
      return cast(total, is_floating(t)           ? t
                         : is_unsigned_integer(t) ? DType::uint64
                                                  : DType::int64);
    }
    case Reducer::min:
    case Reducer::max: {
      const ColumnRef nowhere = constant(Scalar::of(int64_t{-1}, cell_->dtype));
      const ColumnRef cell = take_part ? apply(Op::where, {take_part, cell_, nowhere}) : cell_;
      const DType wide = is_floating(value->dtype) ? DType::float64 : DType::int64;
      return cast(scatter(r, over_, cell, cast(value, wide), cells_->size), value->dtype);
    }
    case Reducer::argmin:
    case Reducer::argmax:
      return position_of(r, value, take_part);
    default:
      throw ValueError("products need the items of a list next to each other");
  }
}

/// The first row that has the extreme, or the first row of all if its item is NaN.
ColumnRef FoldedLists::position_of(Reducer r, const ColumnRef& value,
                                   const ColumnRef& take_part) const {
  const bool least = r == Reducer::argmin;
  const ColumnRef best = by_cells(least ? Reducer::min : Reducer::max, value, take_part);
  const auto first_of = [&](const ColumnRef& who) {
    return by_cells(Reducer::min, row_, both(take_part, who));
  };
  const ColumnRef found = first_of(apply(Op::equal, {value, of_items(best)}));
  if (!is_floating(value->dtype)) return found;
  const ColumnRef first = first_of({}), first_nan = first_of(apply(Op::isnan, {value}));
  return apply(Op::where, {apply(Op::equal, {first, first_nan}), first, found});
}

}  // namespace serrate::ops
