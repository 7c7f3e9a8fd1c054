// Writing to places: arrays stay as they are, so the result is another one of the same structure.
#include <algorithm>
#include <array>

#include "core/host.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "graph/scatter.h"
#include "graph/type_text.h"
#include "ops/slice/put_stored.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/error.h"
#include "serrate/ufunc.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Number of a position of s among all of its positions.
ColumnRef place(const SpaceRef& s) {
  if (s->kind == SpaceKind::unit) return constant(0);
  const SpaceRef& owner = s->parent;
  if (owner->kind == SpaceKind::unit) return local(s);
  if (s->kind == SpaceKind::fixed)
    return apply(Op::add,
                 {parent(s, apply(Op::multiply, {place(owner), constant(s->size)})), local(s)});
  SpaceRef all = owner;
  ColumnRef size = count(s);
  for (; all->parent->kind != SpaceKind::unit;) {
    const SpaceRef next = flat(all);
    size = at(next, 0, size);
    all = next;
  }
  const ColumnRef start = apply(Op::subtract, {scan(Reducer::sum, all, size), size});
  return apply(Op::add, {parent(s, pick(owner, all, start, place(owner))), local(s)});
}

/// Regular lists of regular lists ... of numbers.
bool is_regular_throughout(const Node& n) {
  if (!is_list(n)) return n.kind == NodeKind::leaf;
  return n.space->kind == SpaceKind::fixed && is_regular_throughout(*n.contents[0]);
}

/// The one leaf of a tree of lists, as a flat array; also of what missing lists hold.
Array flat_leaf(const NodeRef& root, const char* name) {
  NodeRef n = root;
  SpaceRef s = unit();
  for (;; n = n->contents[0]) {
    if (is_list(*n)) {
      s = n->space;
    } else if (n->kind != NodeKind::option) {
      break;
    }
  }
  check<TypeError>(n->kind == NodeKind::leaf && s->kind != SpaceKind::unit,
                   "{}: expected an array of numbers, got {}", name, type_text(*root));
  ColumnRef c = n->column;
  while (s->parent->kind != SpaceKind::unit) {
    const SpaceRef next = flat(s);
    c = at(next, 0, c);
    s = next;
  }
  return Array(list_node(s, leaf(c, n->unit)));
}

Array as_flat(const Array& x) {
  if (!x.is_scalar()) return ravel(x);
  const SpaceRef one = rows(1);
  return Array(list_node(one, rebase_lift(input(x), unit(), one)));
}

/// Places, and a value for each of them.
std::vector<Array> broadcast_to_places(const Array& places, const Array& values) {
  std::vector<Array> pairs = broadcast_arrays({places.evaluate(), values});
  if (!values.is_scalar()) check_places(as_flat(places).size(), as_flat(pairs[0]).size());
  return pairs;
}

/// For each leaf of x what it has, then the values that come to its place, in their order.
Array gathered(const Array& there, const Array& places, const Array& values) {
  const std::vector<Array> pairs = broadcast_to_places(places, values);
  const Array keys = concatenate({local_index(there, 0), as_flat(pairs[0])}).evaluate();
  const Array order = argsort(keys).evaluate();
  const Array all = concatenate({there, as_flat(pairs[1])});
  return unflatten(serrate::getitem(all, {order}), run_lengths(serrate::getitem(keys, {order})));
}

/// What each leaf of x becomes: the last of the values that come to its place, else what it has.
/// The number of the last one is scattered there, so that nothing is sorted.
Array overwritten(const Array& there, const Array& places, const Array& values) {
  const std::vector<Array> pairs = broadcast_to_places(places, values);
  const NodeRef at = input(as_flat(pairs[0]).evaluate()),
                given = input(as_flat(pairs[1]).evaluate());
  const NodeRef old = input(there.evaluate());
  const NodeRef& place = at->contents[0];
  const bool may_be_missing = place->kind == NodeKind::option;
  const NodeRef& number = may_be_missing ? place->contents[0] : place;
  if (number->kind != NodeKind::leaf) return there;  // no places
  const SpaceRef& cells = old->space;
  ColumnRef cell = cast(number->column, DType::int64);
  if (may_be_missing) cell = apply(Op::where, {place->column, cell, constant(-1)});
  const ColumnRef last =
      scatter(Reducer::max, at->space, cell, position(at->space), length_of(cells));
  const ColumnRef is_written = apply(Op::greater_equal, {last, constant(0)});
  const NodeRef picked = rebase_pick(given->contents[0], cells, given->space, last, is_written);
  const ColumnRef tag = apply(Op::where, {is_written, constant(1), constant(0)});
  return Array(list_node(cells, simplified_union(cells, tag, {old->contents[0], picked}, true)));
}

/// Numbers as those of the leaf, where one array could hold both: 2**62 + 1 beside 1.5 stays what
/// it is.
Array of_type(const Array& values, const Node& leaf_of_x) {
  const DType t = leaf_of_x.column->dtype;
  return Array(map_leaves(unit(), input(values), [&](const SpaceRef&, const NodeRef& n) {
    if (n->kind != NodeKind::leaf || !takes(t, *n->column, false)) return n;
    return leaf(cast(n->column, t), n->unit, n->parameters);
  }));
}

/// The values, one for each leaf, in the structure of x and with its type.
Array in_structure(const Array& x, const Array& values) {
  const NodeRef flat_values = input(values);
  return Array(map_leaves(unit(), input(x), [&](const SpaceRef& space, const NodeRef& n) {
    const NodeRef picked =
        rebase_pick(flat_values->contents[0], space, flat_values->space, place(space));
    const bool missing = picked->kind == NodeKind::option;
    const NodeRef& v = missing ? picked->contents[0] : picked;
    check<TypeError>(v->kind == NodeKind::leaf, "x[...] = ...: {} can't be written to {}",
                     type_text(*v), type_text(*n));
    const NodeRef same = leaf(cast(v->column, n->column->dtype), n->unit, n->parameters);
    return missing ? option_node(picked->column, same) : same;
  }));
}

/// op of the first two items of each list, of that and the third ...: for operations whose results
/// are not what they take. `truth`: of each result whether it is not 0.
Array one_by_one(Op op, const Array& lists, bool truth) {
  const auto result = [&](const Array& r) { return truth ? not_equal(r, Array(0)) : r; };
  const Array counts = num(lists, 1).evaluate();
  const NodeRef all = input(lists);
  const NodeRef& item = all->contents[0]->contents[0];
  // Of the items' type, so that integers wrap around as they do.
  const Array zero =
      item->kind == NodeKind::leaf ? values_astype(Array(0), item->column->dtype) : Array(0);
  Array out = result(serrate::getitem(lists, {Slice{}, int64_t{0}}));
  const auto most = counts.size() == 0 ? 0 : max(counts, {.mask_identity = false}).item<int64_t>();
  for (int64_t k = 1; k < most; k++) {
    const Array next = fill_none(firsts(serrate::getitem(lists, {Slice{}, Slice{k}})), zero);
    out = where(greater(counts, Array(k)), result(elementwise(op, {out, next})), out).evaluate();
  }
  return out;
}

/// The same where they are; every list has an item.
Array all_of(Op op, const Array& lists) {
  const NodeRef n = input(ufunc_reduce(op, lists, {.axis = 1}));
  const NodeRef& items = n->contents[0];
  return Array(list_node(n->space, items->kind == NodeKind::option ? items->contents[0] : items));
}

}  // namespace

Array leaf_positions(const Array& x) {
  const NodeRef n = input(x);
  const NodeRef places = map_leaves(
      unit(), n, [](const SpaceRef& space, const NodeRef&) { return leaf(place(space)); });
  // Of flat and of regular arrays they are numbers that a slice of them picks without memory; those
  // of others are counted, once.
  const bool is_counted = is_list(*n) && !is_regular_throughout(*n->contents[0]);
  if (!is_counted && is_host(device_of({n})) && is_host(default_device())) return Array(places);
  return Array(graph::evaluate_beside(places, *n));
}

Array ufunc_at(Op op, const Array& x, const Array& places, const Array& values) {
  const graph::Operation operation;
  if (auto done = put_stored(x, places, values, op)) return *done;
  const char* name = info(op).numpy_name.data();
  const Array there = flat_leaf(input(x), name);
  const DType t = there.node()->contents[0]->column->dtype;
  const Array lists = gathered(there, places, values);
  const NodeRef all = input(lists);
  const Node& items = *all->contents[0]->contents[0];
  const bool truth =
      t == DType::boolean && items.kind == NodeKind::leaf && items.column->dtype != t;
  const bool goes_on = !truth && (is_time(t) || resolve(op, std::array{t, t}).result == t);
  return in_structure(x, goes_on ? all_of(op, lists) : one_by_one(op, lists, truth));
}

std::optional<Array> put_at(const Array& x, const Array& indexes, const Array& values,
                            std::optional<Op> op, int64_t handles) {
  const graph::Operation operation;
  const auto is_flat = [](const Node& n) { return is_list(n) && !is_list(*n.contents[0]); };
  // Nothing may hold x's root when it is asked whether somebody does.
  if (!is_list(*input(x)) || !is_flat(*input(indexes))) return {};
  if (is_flat(*input(x))) return put_stored(x, indexes, values, op, handles);
  return op ? std::nullopt : put_items(x, indexes, values, handles);
}

std::optional<Array> put_every(const Array& x, int64_t first, int64_t size, int64_t step,
                               const Array& values, int64_t handles) {
  const graph::Operation operation;
  return put_range(x, first, size, step, values, handles);
}

std::optional<Array> put_ranges(const Array& x, std::span<const IndexRange> ranges,
                                const Array& value, int64_t handles) {
  const graph::Operation operation;
  return put_box(x, ranges, value, handles);
}

std::optional<Array> put_where(const Array& x, const Array& mask, const Array& value) {
  const graph::Operation operation;
  return put_selected(x, mask, value);
}

std::optional<Array> put_masked(const Array& x, const Array& mask, const Array& value,
                                int64_t handles) {
  const graph::Operation operation;
  return put_under_mask(x, mask, value, handles);
}

Array put(const Array& x, const Array& places, const Array& values, int64_t handles) {
  const graph::Operation operation;
  if (auto done = put_stored(x, places, values, {}, handles)) return *done;
  const Array there = flat_leaf(input(x), "x[...] = ...");
  return in_structure(x, overwritten(there, places, of_type(values, *there.node()->contents[0])));
}

}  // namespace serrate
