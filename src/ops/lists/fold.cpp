// Folding the lists of one axis. The innermost axis is the plain case; an outer axis makes virtual
// lists of columns, whose rows are the lists that are long enough.
#include "ops/lists/fold.h"

#include <algorithm>

#include "core/host.h"
#include "core/seams.h"
#include "core/types/reducer_info.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/lengths.h"
#include "graph/materialise.h"
#include "graph/type_text.h"
#include "ops/lists/column_bands.h"
#include "ops/lists/columns.h"
#include "ops/lists/flatten.h"
#include "ops/lists/row_folds.h"
#include "ops/lists/scattered_groups.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// Columns may walk so many times as many rows as there are items and rows; where what they walk is
/// stored, not many more than there are items.
constexpr double kDense = 8, kDenseStored = 1.25;

class Folder {
 public:
  Folder(const FoldOptions& options, const Fold& fold) : o_(options), fold_(fold) {}

  NodeRef run(NodeRef root) {
    check<TypeError>(is_list(*root), "{}: expected an array, got {}", o_.name, type_text(*root));
    if (has_union(*root)) root = merged(unit(), root);
    if (!o_.axis && !o_.tuples && has_mixed(*root)) root = flatten_all(root, true);
    if (o_.axis) axis_of(levels(*root).max);  // an axis that is nowhere comes before other errors
    const int depth = depth_of(*root);
    if (!o_.axis) return everything(root, depth);
    const int axis = axis_of(depth);
    return descend(unit(), axis < depth - 1 ? with_stored_lists(root, axis, depth) : root, axis);
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

  /// What is inside of missing ones and categories, over `over`: lists, or what is folded.
  NodeRef inside(const SpaceRef& over, const NodeRef& node, ColumnRef& take_part) const {
    const NodeRef n = option_outside(node);
    switch (n->kind) {
      case NodeKind::option:
        if (o_.missing && !has_lists(*n)) return n;
        take_part = both(take_part, n->column);
        return inside(over, n->contents[0], take_part);
      case NodeKind::unknown:
        return o_.missing ? n : leaf(constant(Scalar::of(0.0)));
      case NodeKind::categorical:
        return inside(over, project_categorical(over, n), take_part);
      case NodeKind::union_: {
        std::vector<NodeRef> contents;
        for (const auto& c : n->contents) contents.push_back(project_categorical(over, c));
        return union_node(n->column, contents, n->parameters);
      }
      default:
        return n;
    }
  }

  /// One result over `space` from the rows `over` (a list of each position of space) of n.
  NodeRef rows_of(const SpaceRef& space, const SpaceRef& over, const NodeRef& node,
                  ColumnRef take_part) {
    const NodeRef n = inside(over, node, take_part);
    if (is_list(*n)) return columns_of(space, over, n, take_part);
    if (over->grouping && !o_.positions && takes_cells(*n)) {
      if (const auto g = scattered_groups(over, n, take_part))
        return fold_(g->lists, g->value, g->take_part);
    }
    return fold_(FoldedLists(over), n, take_part);
  }

  /// Lists inside an outer axis, and what is in the innermost ones.
  struct Inside {
    struct Level {
      NodeRef list;
      ColumnRef who;  // over its owners
    };
    std::vector<Level> levels;
    NodeRef value;
    ColumnRef who;  // over the items of the last one
    bool is_regular() const {
      return std::ranges::all_of(levels, [](const Level& l) { return l.list->size >= 0; });
    }
    /// Whether each column finds its item in a row without a look. Picks of picks grow with levels.
    bool can_be_walked() const { return is_regular() && levels.size() <= 3; }
    /// Regular lists, of at most so many columns.
    bool has_few_columns(int64_t most) const {
      double n = 1;
      for (const Level& l : levels) n *= static_cast<double>(l.list->size);
      return is_regular() && n <= static_cast<double>(most);
    }
  };

  Inside look_inside(const NodeRef& list, const ColumnRef& take_part) const {
    Inside in{{}, list, take_part};
    while (is_list(*in.value)) {
      in.levels.push_back({in.value, in.who});
      const SpaceRef& items = in.value->space;
      if (in.who) in.who = parent(items, in.who);
      in.value = inside(items, NodeRef(in.value)->contents[0], in.who);
    }
    return in;
  }

  /// Whether items can add to the cell of their column, in one pass.
  bool takes_cells(const Node& value) const { return o_.cells && fits_cells(value); }
  /// Whether sums in cells are better avoided.
  static bool are_cells_slow(const Node& n, const Node& value) {
    return has_floats(value) && !capabilities_of(NodeRef(&n)).adds_floats_to_few_cells;
  }

  NodeRef columns_of(const SpaceRef& space, const SpaceRef& over, const NodeRef& n,
                     const ColumnRef& take_part) {
    const Inside in = look_inside(n, take_part);
    const bool single = space->kind == SpaceKind::unit;
    const int64_t most_exact =
        has_floats(*in.value) ? capabilities_of(n).most_exact_cells : INT64_MAX;
    bool cells = takes_cells(*in.value);
    const bool in_cells =
        !are_cells_slow(*n, *in.value) || (in.levels.size() > 1 && in.has_few_columns(most_exact));
    const bool first_choice = cells && single && in_cells && !has_few_places(over, in);
    const bool is_matrix = single && in.levels.size() == 1;
    if (const NodeRef folded = by_rows(over, in, is_matrix)) return folded;
    const bool is_box = (!is_matrix || o_.orders) && is_large_box(over, in);
    // Few threads would copy the words of a column.
    const bool words_are_slow = is_string(*in.value) && capabilities_of(n).splits_known_columns;
    if (!first_choice && !is_box && !words_are_slow &&
        (in.can_be_walked() ||
         (in.levels.size() == 1 && !(o_.orders && is_moved(*n)) && is_dense(over, *n))))
      return walk_columns(space, over, n, take_part);
    Columns columns(over);
    for (const auto& l : in.levels) columns.enter(l.list->space, l.who, l.list->size);
    if (columns.cells()->size > most_exact || is_box) cells = false;
    NodeRef result;
    if (cells) {
      FoldedLists lists(columns.items(), columns.column(), columns.row(), columns.cells(), in.who);
      if (single && in.is_regular() && !in.who && is_stored(over))
        lists = lists.with_size(constant(stored_extent(over).size));
      result = fold_(lists, in.value, in.who);
    } else {
      const auto folded = [&](const ColumnLists& c) {
        return fold_(FoldedLists(c.lists, c.row), c.values, {});
      };
      const bool with_row = o_.positions || o_.row;
      if (const auto bands =
              o_.lists ? nullptr : ColumnBands::of(columns, in.value, in.who, with_row))
        result = bands->fold(columns.cells(), [&](ColumnLists& c) {
          return stored_items(c.lists->parent, folded(c)).items;
        });
      if (!result)
        result =
            stored_cells(folded(lists_of_columns(columns, in.value, in.who, with_row)), columns);
    }
    return columns.lists_of(result, o_.keepdims);
  }

  /// Of an extreme's position one walk over few places takes less than the passes that cells need:
  /// for the extreme, for the first row that has it, and for the first NaN. The host's lists only.
  bool has_few_places(const SpaceRef& over, const Inside& in) const {
    const SpaceRef& items = in.levels[0].list->space;
    if (!o_.positions || in.levels.size() > 1 || items->kind != SpaceKind::list ||
        !is_stored(items) || !on_host(items->starts->buffer))
      return false;
    const auto rows_here = static_cast<double>(stored_extent(over).size);
    return rows_here * static_cast<double>(look_for_longest(items)) <=
           static_cast<double>(seams().walked);
  }

  /// Of stored matrices, row by row: null where that is not faster. What is computed of one matrix
  /// adds to cells on the way.
  NodeRef by_rows(const SpaceRef& over, const Inside& in, bool is_matrix) const {
    if ((!o_.reducer && !o_.moments) || !is_stored(over)) return {};
    const bool is_product = o_.reducer == Reducer::prod;
    const bool are_few = in.levels.size() == 1 && are_few_long_lists(in.levels[0].list->space);
    const bool are_lists = (is_product || are_few) && capabilities_of(in.value).moves_to_columns;
    if ((!in.is_regular() && !are_lists) || in.value->kind != NodeKind::leaf) return {};
    Columns columns(over);
    for (const auto& l : in.levels) columns.enter(l.list->space, l.who, l.list->size);
    const auto shape = columns.as_matrices();
    const Reducer reducer = o_.reducer.value_or(Reducer::sum);
    if (!shape && !columns.as_lists_for(reducer)) return {};
    NodeRef value = in.value;
    if (!is_stored(*value, columns.items()) && (!shape || is_large_box(over, in))) {
      const bool adds = o_.moments || info(*o_.reducer).join == Op::add;
      if (is_matrix && adds) return {};
      const StoredItems stored = stored_items(columns.items(), value);
      value = over_same_items(stored.items, stored.space, columns.items());
    }
    const auto folds = std::make_shared<RowFolds>(columns);
    const ColumnRef& c = value->column;
    if (o_.moments && is_time(c->dtype)) return {};
    const DType sums = is_complex(c->dtype) ? DType::complex128 : DType::float64;
    if (!(o_.moments ? folds->reduce(Reducer::sum, cast(c, sums), in.who)
                     : folds->reduce(*o_.reducer, c, in.who)))
      return {};
    FoldedLists lists(columns.items(), columns.column(), columns.row(), columns.cells(), in.who);
    if (!in.who && shape) lists = lists.with_size(constant(shape->rows));
    return columns.lists_of(fold_(lists.with_rows(folds), value, in.who), o_.keepdims);
  }

  /// Are there items in regular lists throughout, whose columns are stored as lists in less time
  /// than a walk over all rows for each column takes? Many, unless they are put in order, where a
  /// GPU would walk each column by a thread. Counts ask for no items.
  bool is_large_box(const SpaceRef& over, const Inside& in) const {
    if (o_.reducer == Reducer::count) return false;
    if (looks_of_thread != nullptr || !in.is_regular() || in.who || !is_stored(over)) return false;
    const SpaceRef& items = in.levels.back().list->space;
    if (!is_stored(items)) return false;
    const Capabilities& can = capabilities_of(in.value);
    const bool are_few = stored_extent(items).size < seams().moved;
    const bool moves = in.value->kind == NodeKind::leaf && can.moves_to_columns;
    return o_.orders ? moves || (!are_few && can.splits_known_columns) : moves && !are_few;
  }

  /// Column by column, however many items each has: inside the lists of the result one would be a
  /// loop in a loop, which a GPU does not cut.
  static NodeRef stored_cells(const NodeRef& result, const Columns& columns) {
    const StoredItems stored = stored_items(columns.cells(), result);
    return over_same_items(stored.items, stored.space, columns.cells());
  }

  /// Each column walks all rows, whether they have an item there or not.
  NodeRef walk_columns(const SpaceRef& space, const SpaceRef& over, const NodeRef& n,
                       const ColumnRef& take_part) {
    // As many columns as the longest row that takes part has items.
    SpaceRef columns;
    // Where each gets a part of the threads their number is known before.
    const bool look_now = n->size < 0 && !take_part && space->kind == SpaceKind::unit &&
                          capabilities_of(n->contents[0]).splits_known_columns;
    const int64_t size_now = look_now ? longest_of(over, n->space) : n->size;
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

  /// Items of the longest row.
  static int64_t longest_of(const SpaceRef& over, const SpaceRef& items) {
    if (is_stored(items) && over->parent->kind == SpaceKind::unit) return look_for_longest(items);
    return std::max<int64_t>(0, look(graph::reduce(Reducer::max, over, graph::count(items))));
  }

  /// Are items moved to their columns in less time than walks over all rows take? Those of regular
  /// lists, however few there are.
  static bool is_moved(const Node& n) {
    return (n.size >= 0 || stored_extent(n.space).size >= seams().moved) &&
           capabilities_of(n.contents[0]).moves_to_columns;
  }

  /// Are the lists that the columns of stored rows walk not many more than there are?
  bool is_dense(const SpaceRef& over, const Node& n) const {
    const int64_t rows_here = stored_extent(over).size;
    const double enough = (o_.orders || is_moved(n) ? kDenseStored : kDense) *
                          static_cast<double>(stored_extent(n.space).size + rows_here);
    const auto fits = [&](int64_t longest) {
      return static_cast<double>(longest) * static_cast<double>(rows_here) <= enough;
    };
    const int64_t known = longest_list(n.space);
    if (known >= 0 && fits(known)) return true;
    const SpaceRef& owner = over->parent;
    if (owner->kind == SpaceKind::unit) return fits(longest_of(over, n.space));
    const ColumnRef walked =
        apply(Op::multiply, {reduce(Reducer::max, over, count(n.space)), count(over)});
    const SpaceRef owners = rows(stored_extent(owner).size);
    const NodeRef all = over_same_items(leaf(stored_over(owner, walked)), owner, owners);
    // Of no lists the longest is the smallest number there is.
    return static_cast<double>(look(reduce(Reducer::sum, owners, all->column))) <= enough;
  }

  /// Columns need the lists of an array stored, and items that depend on whole lists, but where
  /// items add to cells as they come: each column looks at its item alone.
  NodeRef with_stored_lists(const NodeRef& root, int axis, int depth) const {
    const bool are_stored = has_stored_lists(*root);
    if (are_stored && !needs_whole_lists(*root, axis + 2, depth)) return root;
    NodeRef n = root;
    const auto next = [&] {
      ColumnRef who;
      const SpaceRef items = n->space;
      n = inside(items, NodeRef(n)->contents[0], who);
    };
    for (int k = 0; k < axis; k++) next();
    next();
    if (!is_list(*n)) return root;
    const Inside in = look_inside(n, {});
    const bool one_pass = axis == 0 && in.levels.size() == 1 && takes_cells(*in.value) &&
                          !are_cells_slow(*n, *in.value);
    if (are_stored) return one_pass && !o_.positions ? root : evaluate(root);
    return one_pass || in.can_be_walked() ? root : evaluate(root);
  }

  /// Real numbers that histograms add.
  static bool fits_cells(const Node& n) {
    if (n.kind == NodeKind::record)
      return std::all_of(n.contents.begin(), n.contents.end(),
                         [](const NodeRef& c) { return fits_cells(*c); });
    if (n.kind != NodeKind::leaf) return false;
    const DType t = n.column->dtype;
    return t == DType::boolean || (is_integer(t) && t != DType::uint64) || t == DType::float64 ||
           t == DType::float32;
  }

  static bool has_floats(const Node& n) {
    if (n.kind == NodeKind::record)
      return std::any_of(n.contents.begin(), n.contents.end(),
                         [](const NodeRef& c) { return has_floats(*c); });
    return n.kind == NodeKind::leaf && is_floating(n.column->dtype);
  }

  /// axis=None: all leaves are one list.
  NodeRef everything(const NodeRef& all, int depth) {
    const NodeRef side_by_side = items_side_by_side(*all);
    const NodeRef& root = side_by_side ? side_by_side : all;
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

}  // namespace serrate::ops
