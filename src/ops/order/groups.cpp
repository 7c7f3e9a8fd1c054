// Groups of equal items: see groups.h.
#include "ops/order/groups.h"

#include <algorithm>

#include "core/seams.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "ops/lists/columns.h"
#include "ops/lists/list_items.h"
#include "ops/order/sorting.h"
#include "ops/tree/levels.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// What is over stored lists, stored.
NodeRef stored_over_items(const SpaceRef& items, const NodeRef& n) {
  const StoredItems made = stored_items(items, n);
  return over_same_items(made.items, made.space, items);
}

/// The items of all groups as stored lists, of groups of sorted stored lists.
SpaceRef stored_members(const SpaceRef& items, const Runs& runs) {
  const SpaceRef& groups = runs.space;
  ColumnRef begin = cast(runs.first, DType::int64);
  if (groups->depth > 1)
    begin = apply(Op::add, {parent(groups, first_of_list(items, items)), begin});
  const int64_t n = stored_extent(groups).size, all = stored_extent(items).size;
  const SpaceRef some = rows(n), ends = rows(n + 1);
  const ColumnRef begins = stored_column(stored_over(groups, begin)->buffer, DType::int64, some);
  const ColumnRef is_begin = apply(Op::less, {local(ends), constant(n)});
  const ColumnRef end =
      apply(Op::where, {is_begin, pick(ends, some, begins, local(ends), is_begin), constant(all)});
  return stored_list(groups, stored_over(ends, end)->buffer, DType::int64,
                     {.first = 0, .size = all});
}

/// Runs of equal items of sorted lists.
Groups sorted_groups(const SpaceRef& items, const NodeRef& n, GroupsAsked asked) {
  Groups g;
  g.items = items;
  g.order = order_of(items, n, false);
  const bool is_whole = items->parent->kind == SpaceKind::unit;
  const bool stores = (!is_whole || asked.members) && should_store_runs(items);
  if (stores && asked.members) g.order = stored_over_items(items, leaf(g.order))->column;
  // Who asks for the order need not have numbers sorted once more without.
  NodeRef sorted =
      asked.members ? rebase_pick(n, items, items, g.order) : in_order(items, n, g.order);
  if (stores && !asked.members) sorted = stored_over_items(items, sorted);
  const ColumnRef starts = starts_run(items, sorted, true);
  const Runs runs = stores ? stored_runs_of(items, starts) : runs_of(items, starts);
  g.space = runs.space;
  g.length = runs.length;
  if (stores) {
    g.keys = rebase_pick(sorted, runs.space, items, runs.first);
    g.first = pick(runs.space, items, g.order, runs.first);
    if (asked.members && is_stored(runs.space)) g.stored = stored_members(items, runs);
  } else {
    g.keys = rebase_at(sorted, items, runs.space);
    g.first = at(runs.space, 0, g.order);
  }
  g.begin = runs.first;
  const ColumnRef group = apply(Op::subtract, {scan(Reducer::sum, items, starts), constant(1)});
  g.number = pick(items, items, group, barrier(Barrier::inverse, items, g.order));
  return g;
}

/// Are lists known to be so long that hashing is faster than sorting them side by side?
bool are_long(const SpaceRef& items, const Node& n, GroupsAsked asked) {
  const SpaceRef& owner = items->parent;
  if (owner->kind == SpaceKind::unit) return true;
  if (!is_stored(items)) return false;
  const Node& value = n.kind == NodeKind::option ? *n.contents[0] : n;
  const bool sorts_numbers = !asked.members && value.kind == NodeKind::leaf;
  const int64_t average = sorts_numbers ? seams().hashed_keys : seams().hashed;
  return stored_extent(items).size >= average * std::max<int64_t>(1, stored_extent(owner).size);
}

/// What a back end found, and the lists that it looked at.
struct Hashed {
  ItemGroups groups;
  SpaceRef stored;
};

std::optional<Hashed> hashed(const ColumnRef& order, bool numbers) {
  Backend& b = backend(surrounding_device());
  const NodeRef stored = evaluate(barrier_input(*order, b.capabilities()));
  const BarrierInput in(*order, stored);
  auto groups = b.group(*order, in, numbers);
  if (!groups) return {};
  return Hashed{std::move(*groups), in.space};
}

/// Of each item the number of its group, as int32.
ColumnRef numbers_over(const Hashed& h, const SpaceRef& items) {
  return stored_items_over(items, h.stored, h.groups.numbers, DType::int32);
}

/// One column of integers, equal and in order as the items are: where these have several parts,
/// the numbers of the groups of each.
ColumnRef order_of_parts(const SpaceRef& items, const NodeRef& n) {
  const bool missing = n->kind == NodeKind::option;
  const Node& value = missing ? *n->contents[0] : *n;
  if (value.kind != NodeKind::leaf || !is_complex(value.column->dtype)) {
    const ColumnRef simple = order_of(items, n, false);
    if (simple->kind == ColumnKind::barrier) return simple;
  }
  ColumnRef key;
  int64_t values = 1;
  for (const NodeRef& part : sort_keys(value, false)) {
    const ColumnRef order = order_of_parts(items, part);
    const auto found = order ? hashed(order, true) : std::nullopt;
    if (!found) return {};
    const int64_t most = std::max<int64_t>(1, found->groups.most);
    if (__builtin_mul_overflow(values, most, &values)) return {};
    const ColumnRef number = cast(numbers_over(*found, items), DType::int64);
    key = key ? apply(Op::add, {apply(Op::multiply, {key, constant(most)}), number}) : number;
  }
  if (!key) return {};
  return barrier(Barrier::argsort, items, key, missing ? n->column : ColumnRef());
}

/// Where in the order of its list each group begins.
Buffer begins_of(const ItemGroups& g, int64_t lists) {
  if (g.begins.bytes() > 0) return g.begins;
  void* p = nullptr;
  const Buffer out = Buffer::allocate(8 * (g.groups + 1), &p);
  auto* begins = static_cast<int64_t*>(p);
  const auto* offsets = g.offsets.as<int64_t>();
  const auto* counts = g.counts.as<int64_t>();
  int64_t place = 0;
  for (int64_t l = 0; l < lists; l++) {
    place = 0;
    for (int64_t k = offsets[l]; k < offsets[l + 1]; k++) {
      begins[k] = place;
      place += counts[k];
    }
  }
  begins[g.groups] = place;
  return out;
}

/// The items of all groups as lists, which say what they were made of.
SpaceRef members_of(const Groups& g, const Buffer& begins) {
  auto* lists = new Space(*stored_list(g.space, begins, DType::int64));
  lists->grouping = std::make_shared<const Grouping>(Grouping{g.items, g.order, g.number});
  return lists;
}

std::optional<Groups> hashed_groups(const SpaceRef& items, const NodeRef& n, GroupsAsked asked) {
  if (!backend(surrounding_device()).capabilities().groups_by_hash || !are_long(items, *n, asked))
    return {};
  const ColumnRef order = order_of_parts(items, n);
  const auto found = order ? hashed(order, asked.members) : std::nullopt;
  if (!found) return {};
  const ItemGroups& of = found->groups;
  const SpaceRef& owner = items->parent;
  const bool whole = owner->kind == SpaceKind::unit;
  Groups g;
  g.items = items;
  if (whole) {
    g.space = rows(of.groups);
  } else {
    const ColumnRef list_number = place_in(owner, found->stored->parent);
    g.space = list(owner, load(of.offsets, DType::int64, list_number),
                   load(of.offsets.slice(8), DType::int64, list_number));
  }
  const auto over_groups = [&](const Buffer& b) {
    return load(b, DType::int64, position(g.space));
  };
  Buffer begins;
  if (asked.members) {
    begins = begins_of(of, stored_extent(found->stored->parent).size);
    g.begin = over_groups(begins);
  }
  g.first = of.order.bytes() > 0 ? load(of.order, DType::int64, g.begin) : over_groups(of.firsts);
  g.length = of.begins.bytes() > 0 ? apply(Op::subtract, {over_groups(begins.slice(8)), g.begin})
                                   : over_groups(of.counts);
  g.keys = rebase_pick(n, g.space, items, g.first);
  if (!asked.members) return g;
  const ColumnRef number = numbers_over(*found, items);
  g.number = cast(number, DType::int64);
  g.order = of.order.bytes() > 0 ? stored_items_over(items, found->stored, of.order, DType::int64)
                                 : barrier(Barrier::argsort, items, number);
  if (whole) g.members = members_of(g, begins);
  return g;
}

}  // namespace

NodeRef Groups::lists_of(const NodeRef& n) const {
  const SpaceRef lists = members ? members : stored ? stored : list(space, constant(0), length);
  const ColumnRef slot =
      members ? position(lists) : apply(Op::add, {parent(lists, begin), local(lists)});
  const ColumnRef place = pick(lists, items, order, slot);
  return list_node(space, list_node(lists, rebase_pick(n, lists, items, place)));
}

NodeRef distinct_numbers(const NodeRef& list) {
  const SpaceRef& items = list->space;
  const NodeRef& n = list->contents[0];
  if (items->parent->kind != SpaceKind::unit || n->kind != NodeKind::leaf ||
      is_complex(n->column->dtype))
    return {};
  // What is not there yet would be evaluated again where groups are to find them.
  if (!is_stored(*list) || stored_extent(items).size < seams().distinct) return {};
  Backend& b = backend(surrounding_device());
  if (!b.capabilities().groups_by_hash) return {};
  const ColumnRef order = order_of(items, n, false);
  const NodeRef stored = evaluate(barrier_input(*order, b.capabilities()));
  const auto found = b.distinct(*order, BarrierInput(*order, stored));
  if (!found) return {};
  const DType t = n->column->dtype;
  const SpaceRef all = rows(found->bytes() / itemsize(t));
  return list_node(all, leaf(stored_column(*found, t, all), n->unit, n->parameters));
}

Groups groups_of(const SpaceRef& items, const NodeRef& keys, GroupsAsked asked) {
  if (auto g = hashed_groups(items, keys, asked)) return *g;
  return sorted_groups(items, keys, asked);
}

const Groups& GroupsOnce::operator()(const SpaceRef& items, const NodeRef& keys) {
  for (const Known& k : known_)
    if (k.groups.items == items && k.keys == keys) return k.groups;
  known_.push_back({keys, groups_of(items, keys, asked_)});
  return known_.back().groups;
}

}  // namespace serrate::ops
