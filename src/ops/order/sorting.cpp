// sort, argsort and parts of these: whole lists in order.
#include "ops/order/sorting.h"

#include <algorithm>

#include "graph/backend.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/list_items.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

struct Items {
  ColumnRef valid;  // null: all
  NodeRef values;

  explicit Items(const NodeRef& n)
      : valid(n->kind == NodeKind::option ? n->column : ColumnRef()),
        values(n->kind == NodeKind::option ? n->contents[0] : n) {}
};

/// A complex number whose parts are sorted one after the other.
bool is_sorted_by_parts(const Node& n) {
  return n.kind == NodeKind::leaf && is_complex(n.column->dtype) &&
         !capabilities_of(NodeRef(&n)).sorts_complex;
}

NodeRef sorted(const SpaceRef& space, const NodeRef& n, bool descending,
               const Places& places = {}) {
  const Items items(n);
  const Node& v = *items.values;
  if (v.kind == NodeKind::unknown) return n;
  if (v.kind != NodeKind::leaf || is_sorted_by_parts(v))
    return rebase_pick(n, space, space, order_of(space, n, descending));
  const NodeRef out =
      leaf(barrier_at(Barrier::sort, space, v.column, items.valid, descending, places), v.unit,
           v.parameters);
  if (!items.valid) return out;
  const ColumnRef present = parent(space, reduce(Reducer::sum, space, items.valid));
  return option_node(apply(Op::less, {local(space), present}), out);
}

}  // namespace

namespace {

/// Stable sorts, the last key first.
ColumnRef order_by(const SpaceRef& space, const std::vector<NodeRef>& keys, bool descending) {
  ColumnRef order;
  for (size_t k = keys.size(); k-- > 0;) {
    const NodeRef key = order ? rebase_pick(keys[k], space, space, order) : keys[k];
    const ColumnRef next = order_of(space, key, descending);
    order = order ? pick(space, space, order, next) : next;
  }
  return order ? order : local(space);
}

/// NaN in one of the parts comes after all numbers, in either direction.
std::vector<NodeRef> complex_keys(const ColumnRef& c, bool descending) {
  const ColumnRef re = apply(Op::real, {c}), im = apply(Op::imag, {c});
  const auto nan = [](const ColumnRef& x) { return cast(apply(Op::isnan, {x}), DType::int8); };
  const ColumnRef two = constant(Scalar::of(int64_t{2}, DType::int8));
  const ColumnRef kind = apply(Op::add, {apply(Op::multiply, {nan(re), two}), nan(im)});
  return {leaf(descending ? apply(Op::negative, {kind}) : kind), leaf(re), leaf(im)};
}

}  // namespace

std::vector<NodeRef> ops::sort_keys(const Node& n, bool descending) {
  if (n.kind == NodeKind::leaf) return complex_keys(n.column, descending);
  if (n.kind == NodeKind::record) return n.contents;
  std::vector<NodeRef> keys{leaf(n.column)};
  for (size_t k = 0; k < n.contents.size(); k++)
    keys.push_back(option_node(is_member(n, k), n.contents[k]));
  return keys;
}

NodeRef ops::in_order(const SpaceRef& space, const NodeRef& n, const ColumnRef& order) {
  // Numbers are sorted as fast without their positions.
  const bool number = n->kind == NodeKind::leaf && !is_complex(n->column->dtype);
  return number ? sorted(space, n, false) : rebase_pick(n, space, space, order);
}

bool ops::has_order(const Node& n) {
  if (n.kind == NodeKind::leaf || n.kind == NodeKind::unknown || is_string(n)) return true;
  if (n.kind != NodeKind::option && n.kind != NodeKind::record && n.kind != NodeKind::union_)
    return false;
  return std::all_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_order(*c); });
}

graph::ColumnRef ops::order_of(const SpaceRef& space, const NodeRef& n, bool descending) {
  check<TypeError>(has_order(*n), "sort: {} has no order", type_text(*n));
  const Items items(n);
  const Node& v = *items.values;
  if (is_sorted_by_parts(v) || v.kind == NodeKind::record || v.kind == NodeKind::union_) {
    // What is missing comes last by each part, in the order that it has.
    std::vector<NodeRef> keys = sort_keys(v, descending);
    for (NodeRef& key : keys) {
      if (items.valid) key = option_node(items.valid, key);
    }
    return order_by(space, keys, descending);
  }
  if (is_string(v))
    return barrier_of_strings(v.space, v.contents[0]->column, items.valid, descending);
  const ColumnRef key = v.kind == NodeKind::unknown ? constant(0) : v.column;
  return barrier(Barrier::argsort, space, key, items.valid, descending);
}

ColumnRef ops::order_at(const SpaceRef& space, const NodeRef& items, bool descending,
                        const Places& places) {
  const ColumnRef order = order_of(space, items, descending);
  return order->kind == ColumnKind::barrier ? barrier_at(*order, places) : order;
}

namespace {

/// The first k items in order, or their positions; along an outer axis of each column.
NodeRef best(const Array& x, int64_t k, SortOptions o, const std::string& name, bool positions) {
  check<ValueError>(k >= 0, "{}: k must not be negative, got {}", name, k);
  return lists_along(
      stored_input(x, Walks::many), name, o.axis, positions,
      [&](const SpaceRef& space, const NodeRef& list, const ColumnRef& place) {
        const SpaceRef& from = list->space;
        const NodeRef& items = list->contents[0];
        const ColumnRef order = order_at(from, items, !o.ascending, {.first = k});
        const SpaceRef to = fresh_lists(space, apply(Op::minimum, {count(from), constant(k)}));
        const ColumnRef best = pick(to, from, order, local(to));
        return list_node(
            to, positions ? leaf(pick(to, from, place, best)) : rebase_pick(items, to, from, best));
      });
}

/// Lists of records in the order of some of their fields.
NodeRef by_fields(const Array& x, const std::vector<std::string>& by, SortOptions o,
                  const std::string& name, bool positions) {
  return innermost_lists(input(x), name, o.axis, [&](const SpaceRef&, const NodeRef& list) {
    const SpaceRef& space = list->space;
    const NodeRef& items = list->contents[0];
    std::vector<NodeRef> keys;
    for (const auto& field : by) keys.push_back(get_field(space, items, field));
    const ColumnRef order = order_by(space, keys, !o.ascending);
    return list_node(space, positions ? leaf(order) : rebase_pick(items, space, space, order),
                     list->size, list->parameters);
  });
}

}  // namespace

namespace {
/// Records whose fields have lists of different depths: each field for itself, along an axis that
/// is counted from inside.
std::optional<Array> fields_of_other_depths(const Array& x, const SortOptions& o) {
  const NodeRef n = input(x);
  if (!o.axis || levels(*n).min == levels(*n).max) return {};
  const Node* record = n.get();
  while (record->kind == NodeKind::option || is_list(*record)) record = record->contents[0].get();
  if (record->kind != NodeKind::record) return {};
  check<ValueError>(*o.axis < 0, "sort: axis={} of {}, whose fields differ in depth", *o.axis,
                    type_text(*n));
  std::vector<std::pair<std::string, Array>> fields;
  for (const auto& name : field_names(*record))
    fields.emplace_back(name, sort(Array(get_field(unit(), n, name)), o));
  const ZipOptions together{.depth_limit = lists_above(*n), .parameters = record->parameters};
  if (!record->is_tuple) return zip(fields, together);
  std::vector<Array> slots;
  for (auto& [name, slot] : fields) slots.push_back(slot);
  return zip(slots, together);
}

bool has_regular(const Node& n) {
  return (n.kind == NodeKind::list && n.size >= 0) ||
         std::any_of(n.contents.begin(), n.contents.end(),
                     [](const NodeRef& c) { return has_regular(*c); });
}

bool has_options(const Node& n) {
  return n.kind == NodeKind::option ||
         std::ranges::any_of(n.contents, [](const NodeRef& c) { return has_options(*c); });
}

/// As in Awkward, lists of sorted items are not regular.
Array of_any_length(const NodeRef& n) {
  return has_regular(*n) ? from_regular(Array(n), std::nullopt) : Array(n);
}
}  // namespace

namespace {

Array sort_to(const Array& x, SortOptions o, const char* name, const Places& places) {
  if (const auto parts = fields_of_other_depths(x, o)) return *parts;
  const ItemsOptions options{.name = name, .axis = o.axis, .records = true, .missing_last = true};
  // Missing ones are counted besides.
  const NodeRef n = input(x), from = has_options(*n) ? stored_input(x, Walks::many) : n;
  return of_any_length(map_items(from, options, [&](const SpaceRef& space, const NodeRef& n) {
    return sorted(space, n, !o.ascending, places);
  }));
}

Array argsort_to(const Array& x, SortOptions o, const char* name, const Places& places) {
  const ItemsOptions options{.name = name, .axis = o.axis, .positions = true, .missing_last = true};
  return of_any_length(map_items(input(x), options, [&](const SpaceRef& space, const NodeRef& n) {
    return leaf(order_at(space, n, !o.ascending, places));
  }));
}

/// Places counted from the end are known in each list only: all are sorted.
Places from_front(int64_t place) { return place >= 0 ? Places{.at = place} : Places{}; }

}  // namespace

Array sort(const Array& x, SortOptions o) {
  const graph::Operation operation;
  return sort_to(x, o, "sort", {});
}

Array argsort(const Array& x, SortOptions o) {
  const graph::Operation operation;
  return argsort_to(x, o, "argsort", {});
}

Array ops::partition(const Array& x, int64_t place, SortOptions o) {
  const graph::Operation operation;
  return sort_to(x, o, "partition", from_front(place));
}

Array ops::argpartition(const Array& x, int64_t place, SortOptions o) {
  const graph::Operation operation;
  return argsort_to(x, o, "argpartition", from_front(place));
}

Array topk(const Array& x, int64_t k, SortOptions o) {
  const graph::Operation operation;
  return Array(best(x, k, o, "topk", false));
}

Array argtopk(const Array& x, int64_t k, SortOptions o) {
  const graph::Operation operation;
  return Array(best(x, k, o, "argtopk", true));
}

Array sort_by(const Array& x, const std::vector<std::string>& by, SortOptions o) {
  const graph::Operation operation;
  return Array(by_fields(x, by, o, "sort", false));
}

Array argsort_by(const Array& x, const std::vector<std::string>& by, SortOptions o) {
  const graph::Operation operation;
  return Array(by_fields(x, by, o, "argsort", true));
}

}  // namespace serrate
