// isin, searchsorted: each value looks for its place in a sorted list.
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "core/host.h"
#include "core/seams.h"
#include "core/where.h"
#include "graph/absent.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/lengths.h"
#include "graph/materialise.h"
#include "graph/operation.h"
#include "graph/store.h"
#include "graph/type_text.h"
#include "ops/lists/list_items.h"
#include "ops/lists/search.h"
#include "ops/slice/search_stored.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Innermost lists without missing items, over the lists' owner.
bool is_innermost(const Node& n) {
  return is_list(n) && (n.contents[0]->kind != NodeKind::list || is_string(*n.contents[0])) &&
         n.contents[0]->kind != NodeKind::option;
}

/// Length of the longest innermost list of a stored array.
int64_t longest_of(const Array& lists) {
  const Node* n = lists.node().get();
  for (int below = lists_above(*n) - 1; below > 0 || n->kind == NodeKind::option;
       n = n->contents[0].get())
    below -= n->kind != NodeKind::option;
  const SpaceRef& s = n->space;
  if (s->kind == SpaceKind::rows || s->kind == SpaceKind::fixed) return s->size;
  if (const int64_t known = longest_list(s); known >= 0) return known;
  const Array lengths = num(lists, lists_above(*lists.node()) - 1);
  const auto most = std::max<int64_t>(0, max(lengths, {.mask_identity = false}).item<int64_t>());
  note_longest_list(s, most);
  return most;
}

SortedLists lists_to_search(const Node& list, int64_t longest) {
  return {list.space, list.contents[0], count(list.space), longest};
}

/// Whether an item can be among values of this kind at all.
bool comparable(const Node& a, const Node& b) {
  if (is_string(a) || is_string(b)) return is_string(a) && is_string(b);
  if (a.kind != NodeKind::leaf || b.kind != NodeKind::leaf) return false;
  return is_time(a.column->dtype) == is_time(b.column->dtype);
}

/// Where items over `space` are among the sorted values.
NodeRef found(const SpaceRef& space, const NodeRef& item, const SortedLists& values) {
  if (!comparable(*item, *values.values) || values.longest == 0)
    return leaf(constant(Scalar::boolean(false)));
  SortedLists sorted = values;
  sorted.nan = NanPlace::any;  // equal to nothing
  const ColumnRef at = insertion_point(space, item, sorted, false);
  const ColumnRef inside = apply(Op::less, {at, lift(values.size, values.over->parent, space)});
  const NodeRef value = rebase_pick(values.values, space, values.over, at, inside);
  return leaf(apply(Op::logical_and, {inside, values_match(space, *item, *value, false)}));
}

bool is_whole_number(const Node& n) {
  return n.kind == NodeKind::leaf && is_integer(n.column->dtype) &&
         n.column->dtype != DType::uint64;
}

/// Which integers from `lowest` on are in a set: looked up, not searched for.
struct Members {
  NodeRef table;  ///< a list of booleans
  int64_t lowest = 0, size = 0;
};

/// If the set's values, which are one list, are integers close enough together that the table stays
/// small.
std::optional<Members> members(const Array& list) {
  const NodeRef set = input(list);
  const int64_t values = longest_of(list);
  if (values <= seams().searched || !is_whole_number(*set->contents[0])) return {};
  const ColumnRef x = cast(set->contents[0]->column, DType::int64);
  const int64_t lowest = look(reduce(Reducer::min, set->space, x));
  const int64_t highest = look(reduce(Reducer::max, set->space, x));
  const uint64_t range = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest);
  if (range >= 128 * static_cast<uint64_t>(values) + 1024) return {};
  const auto size = static_cast<int64_t>(range) + 1;
  const ColumnRef cell = apply(Op::subtract, {x, constant(lowest)});
  const ColumnRef some = apply(Op::greater, {histogram(set->space, cell, {}, size), constant(0)});
  return Members{input(Array(list_node(rows(size), leaf(some))).evaluate()), lowest, size};
}

NodeRef among(const SpaceRef& space, const NodeRef& item, const Members& m) {
  // As unsigned numbers, integers below the lowest one are large.
  const ColumnRef x = cast(item->column, DType::int64);
  const ColumnRef at = apply(Op::subtract, {x, constant(m.lowest)});
  const ColumnRef inside =
      apply(Op::less, {cast(at, DType::uint64), cast(constant(m.size), DType::uint64)});
  const ColumnRef in = pick(space, m.table->space, m.table->contents[0]->column, at, inside);
  return leaf(apply(Op::logical_and, {inside, in}));
}

/// The type in which items are compared with a set, if they are equal exactly where they are so
/// as that.
std::optional<DType> common_type(DType a, DType b) {
  if (is_time(a) || is_complex(a) || is_complex(b)) return {};
  const DType t = promote(a, b);
  if (is_floating(t) && is_integer(a) && is_integer(b)) return {};
  return t;
}

/// The type that a set's items become where a back end compares items of type `a` with them as they
/// are; nothing where both must become what they are compared as.
std::optional<DType> type_of_set(DType a, DType common) {
  if (a == common) return common;
  if (a == DType::float16 || common == DType::float16) return {};
  return is_floating(common) || common == DType::uint64 ? common : DType::int64;
}

/// Where items over `space` are in a set, which is one list: looked up in a table, now.
/// Nothing where they are searched for.
std::optional<NodeRef> hashed(const SpaceRef& space, const NodeRef& item, const NodeRef& set) {
  if (space->kind == SpaceKind::unit) return {};
  Backend& b = backend(surrounding_device());
  const NodeRef& values = set->contents[0];
  if (!b.capabilities().groups_by_hash || !comparable(*item, *values)) return {};
  const bool text = is_string(*values);
  if (stored_extent(set->space).size <= (text ? 1 : seams().searched)) return {};
  const auto common = text ? std::nullopt : common_type(item->column->dtype, values->column->dtype);
  if (!text && !common) return {};
  const auto evaluated = [&](const SpaceRef& s, const NodeRef& n, std::optional<DType> as) {
    const ColumnRef keys =
        text ? barrier_of_strings(n->space, n->contents[0]->column)
             : barrier(Barrier::argsort, s, as ? cast(n->column, *as) : n->column);
    return BarrierInput(*keys, evaluate(barrier_input(*keys, b.capabilities())));
  };
  const auto as = text ? std::nullopt : type_of_set(item->column->dtype, *common);
  const BarrierInput items = evaluated(space, item, as ? std::nullopt : common);
  const Buffer in = b.members(items, evaluated(set->space, values, as ? as : common));
  return leaf(stored_items_over(space, items.space, in, DType::boolean));
}

/// The largest number of a type that is not NaN; nothing where that can't be said.
ColumnRef largest(DType t) {
  if (t == DType::float32 || t == DType::float64)
    return cast(constant(Scalar::of(std::numeric_limits<double>::infinity())), t);
  if (t == DType::boolean) return constant(Scalar::boolean(true));
  if (t == DType::uint64) return cast(constant(-1), t);
  if (!is_integer(t)) return {};
  const int bits = 8 * itemsize(t) - (is_signed_integer(t) ? 1 : 0);
  return cast(constant(static_cast<int64_t>((uint64_t{1} << bits) - 1)), t);
}

bool is_nan(const ColumnRef& c, int64_t at) {
  if (c->dtype == DType::float64) return std::isnan(static_cast<const double*>(stored_data(c))[at]);
  return c->dtype == DType::float32 && std::isnan(static_cast<const float*>(stored_data(c))[at]);
}

/// Sorted numbers up to 2^n - 1 of them, so that nothing is looked for outside, where many values
/// are looked for in them.
std::optional<SortedLists> filled_up(const Node& sorted, const Node& values) {
  const NodeRef& content = sorted.contents[0];
  if (!is_list(values) || values.space->kind != SpaceKind::rows ||
      content->kind != NodeKind::leaf || content->column->kind != ColumnKind::load ||
      !on_host(content->column->buffer) || is_absent(content->column->buffer))
    return {};
  const ColumnRef& c = content->column;
  const StoredExtent e = stored_extent(sorted.space);
  const ColumnRef top = largest(c->dtype);
  if (!top || e.size == 0 || values.space->size < std::max(seams().block, 8 * e.size)) return {};
  const SpaceRef s =
      rows(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(e.size) + 1)) - 1);
  const ColumnRef inside = apply(Op::less, {position(s), constant(e.size)});
  const ColumnRef at = apply(Op::minimum, {position(s), constant(e.size - 1)});
  const ColumnRef items = apply(Op::where, {inside, pick(s, sorted.space, c, at), top});
  const NodeRef table = input(Array(list_node(s, leaf(items))).evaluate());
  if (is_nan(table->contents[0]->column, e.size - 1)) return {};  // all of them are the last ones
  return SortedLists{table->space, table->contents[0], constant(e.size),
                     s->size,      NanPlace::none,     true};
}

NodeRef place(const SpaceRef& space, const NodeRef& item, const SortedLists& lists, bool right) {
  if (item->kind == NodeKind::unknown) return item;
  if (lists.values->kind == NodeKind::unknown || lists.longest == 0) return leaf(constant(0));
  check<TypeError>(comparable(*item, *lists.values), "searchsorted: can't look for {} among {}",
                   type_text(*item), type_text(*lists.values));
  return leaf(insertion_point(space, item, lists, right));
}

using OnItem = std::function<NodeRef(const SpaceRef&, const NodeRef&, const SortedLists&)>;

/// f of each leaf of x with the innermost list of `lists` in its place.
Array per_list(const std::string& name, const Array& x, const Array& lists, const OnItem& f) {
  const int64_t longest = longest_of(lists);
  BroadcastOptions options;
  options.where = name;
  const auto on_level = [&](const SpaceRef& space,
                            const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
    if (!is_innermost(*n[1])) return std::nullopt;
    const SortedLists sorted = lists_to_search(*n[1], longest);
    return map_leaves(space, n[0],
                      [&](const SpaceRef& s, const NodeRef& item) { return f(s, item, sorted); });
  };
  return Array(broadcast_apply(unit(), inputs({x, lists}), options, on_level));
}

Array of_one_list(const Array& x, const Array& list, const OnItem& f) {
  const std::vector<NodeRef> both = inputs({list, x});
  const SortedLists sorted = lists_to_search(*both[0], longest_of(list));
  return Array(map_leaves(
      unit(), both[1], [&](const SpaceRef& s, const NodeRef& item) { return f(s, item, sorted); }));
}

bool has_whole_numbers(const Node& n) {
  return n.kind == NodeKind::leaf ? is_whole_number(n)
                                  : std::ranges::any_of(n.contents, [](const NodeRef& c) {
                                      return has_whole_numbers(*c);
                                    });
}

/// Is each leaf of x among the values, which are one list?
Array in_one_list(const Array& x, const Array& values) {
  // What is hashed is stored, for which lists would be made twice.
  if (!has_whole_numbers(*input(x))) stored_input(x, Walks::many);
  const std::vector<NodeRef> both = inputs({values, x});
  std::optional<std::optional<Members>> known;
  // Sorted only for those that are searched for.
  std::optional<Array> in_order;
  return Array(map_leaves(unit(), both[1], [&](const SpaceRef& s, const NodeRef& item) {
    // Integers that are not stored yet are looked up as they are computed.
    const bool is_whole = is_whole_number(*item);
    const bool is_computed = is_whole && !is_plain_load(item->column);
    if (!is_computed) {
      if (const auto in = hashed(s, item, both[0])) return *in;
    }
    if (is_whole) {
      if (!known) known = members(values);
      if (*known) return among(s, item, **known);
    }
    if (is_computed) {
      if (const auto in = hashed(s, item, both[0])) return *in;
    }
    if (!in_order) in_order = sort(values).evaluate();
    const NodeRef sorted = input(*in_order);
    return found(s, item, lists_to_search(*sorted, longest_of(*in_order)));
  }));
}

/// The items along an outer axis as lists: where a reducer along it has its results.
Array columns_along(const std::string& name, const Array& values, Axis axis) {
  return Array(
      lists_along(input(values), name, axis, false,
                  [](const SpaceRef&, const NodeRef& list, const ColumnRef&) { return list; }));
}

/// f of each item of n, over `space`, with the list in its place: of `lists`, over the same space,
/// the one at the same indexes, or nothing where there is none.
NodeRef at_same_place(const SpaceRef& space, const NodeRef& n, const NodeRef& lists,
                      const ColumnRef& there, int64_t longest, const OnItem& f) {
  const auto go_on = [&](const NodeRef& x, const NodeRef& in, const ColumnRef& guard) {
    return at_same_place(space, x, in, guard, longest, f);
  };
  if (lists->kind == NodeKind::option)
    return go_on(n, lists->contents[0], both(there, lists->column));
  if (is_innermost(*lists)) {
    SortedLists sorted = lists_to_search(*lists, longest);
    if (there) sorted.size = apply(Op::where, {there, sorted.size, constant(0)});
    return map_leaves(space, n,
                      [&](const SpaceRef& s, const NodeRef& item) { return f(s, item, sorted); });
  }
  if (n->kind == NodeKind::unknown) return n;
  if (n->kind == NodeKind::option)
    return option_node(n->column, go_on(n->contents[0], lists, there));
  check<ValueError>(is_list(*n) && is_list(*lists), "can't look for {} among {}", type_text(*n),
                    type_text(*lists));
  const SpaceRef& below = n->space;
  ColumnRef inside = apply(Op::less, {local(below), parent(below, count(lists->space))});
  if (there) inside = both(parent(below, there), inside);
  const NodeRef next = rebase_pick(lists->contents[0], below, lists->space, local(below), inside);
  return list_node(below, at_same_place(below, n->contents[0], next, inside, longest, f), n->size,
                   n->parameters);
}

/// Lists of nothing yet may become lists of any depth.
bool ends_unknown(const Node& n) {
  if (n.kind == NodeKind::unknown) return true;
  return (is_list(n) || n.kind == NodeKind::option) && ends_unknown(*n.contents[0]);
}

/// f of each item of x with the column of `values` along an outer axis that it stands in; if x has
/// no such axis, with the columns themselves.
Array per_column(const std::string& name, const Array& x, const Array& columns, int axis, int depth,
                 const OnItem& f) {
  const int above = lists_above(*x.node());
  if (above < depth && !ends_unknown(*x.node())) return per_list(name, x, columns, f);
  const int64_t longest = longest_of(columns);
  const int outer = axis < 0 ? axis + depth : axis;
  BroadcastOptions options;
  options.where = name;
  const auto on_level = [&](const SpaceRef& space,
                            const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
    if (!is_list(*n[0]) || n[1]->kind == NodeKind::option || space->depth < outer)
      return std::nullopt;
    const SpaceRef& items = n[0]->space;
    const NodeRef lists = rebase_lift(n[1], space, items);
    return list_node(items, at_same_place(items, n[0]->contents[0], lists, {}, longest, f),
                     n[0]->size, n[0]->parameters);
  };
  return Array(broadcast_apply(unit(), inputs({x, columns}), options, on_level));
}

}  // namespace

Array isin(const Array& x, const Array& values, Axis axis) {
  const graph::Operation operation;
  const auto in_all = [&] {
    // Stored first, which for a stored array is nothing to do: then the sorted ones are where they
    // stay.
    return in_one_list(x, flatten(values, none).evaluate());
  };
  if (!axis) return in_all();
  const int depth = lists_above(*input(values));
  if (is_outer_axis(*input(values), axis)) {
    const Array columns = columns_along("isin", values, axis);
    return per_column("isin", x, sort(drop_none(columns, -1)).evaluate(), *axis, depth, found);
  }
  check<AxisError>(*axis >= -depth && *axis < depth,
                   "isin: axis={} exceeds the depth of the nested list structure (which is {})",
                   *axis, depth);
  if (depth == 1) return in_all();
  const Array lists = sort(drop_none(values, -1)).evaluate();
  return per_list("isin", x, lists, found);
}

Array searchsorted(const Array& sorted, const Array& values, bool right, int axis) {
  const graph::Operation operation;
  const NodeRef n = input(sorted);
  check<TypeError>(is_list(*n), "searchsorted: expected sorted lists, got {}", type_text(*n));
  const int depth = lists_above(*n);
  check<AxisError>(axis >= -depth && axis < depth,
                   "searchsorted: axis={} exceeds the depth of the nested list structure (which is "
                   "{})",
                   axis, depth);
  std::optional<SortedLists> table;
  NodeRef one_list;  // if all are looked for in the same
  const OnItem f = [&](const SpaceRef& s, const NodeRef& item, const SortedLists& lists) {
    if (one_list) {
      if (const auto at = searched_stored(s, *item, *one_list, right)) return leaf(*at);
      if (!table) table = filled_up(*one_list, *input(values));
    }
    const bool numbers = item->kind == NodeKind::leaf && !is_time(item->column->dtype) &&
                         !is_complex(item->column->dtype);
    return place(s, item, table && numbers ? *table : lists, right);
  };
  if (is_outer_axis(*n, axis)) {
    const Array columns = columns_along("searchsorted", sorted, axis).evaluate();
    return per_column("searchsorted", values, columns, axis, depth, f);
  }
  const Array stored = sorted.evaluate();
  if (depth == 1) {
    one_list = input(stored);
    if (are_worth_storing({input(values)}))
      materialise(values,
                  current_where("materialised") + ": stored numbers are looked for side by side");
    return of_one_list(values, stored, f);
  }
  return per_list("searchsorted", values, stored, f);
}

}  // namespace serrate
