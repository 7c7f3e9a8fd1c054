// rank: where items stand among those of their list.
#include <algorithm>
#include <limits>

#include "core/host.h"
#include "core/seams.h"
#include "core/types/with_number.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/evaluation/barriers.h"
#include "graph/known.h"
#include "graph/operation.h"
#include "ops/lists/list_items.h"
#include "ops/order/sorting.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Where the run of equal items begins that each sorted item is in.
ColumnRef first_of_run(const SpaceRef& space, const ColumnRef& starts) {
  return scan(Reducer::max, space, apply(Op::where, {starts, local(space), constant(0)}));
}

/// Of each sorted item, `of_last` of the last one of its run, which must grow from run to run: the
/// least of all that follow. Scans go forward, so the lists are turned round for it.
ColumnRef at_end_of_run(const SpaceRef& space, const ColumnRef& first, const ColumnRef& of_last) {
  const ColumnRef one = constant(1), length = parent(space, count(space));
  const ColumnRef next = apply(Op::add, {local(space), one});
  const ColumnRef goes_on = apply(Op::less, {next, length});
  const ColumnRef next_first = pick(space, space, first, next, goes_on);
  const ColumnRef in_run =
      apply(Op::logical_and, {goes_on, apply(Op::not_equal, {next_first, next})});
  const ColumnRef key =
      apply(Op::where, {in_run, constant(std::numeric_limits<int64_t>::max()), of_last});
  const ColumnRef from_end = apply(Op::subtract, {length, next});
  const ColumnRef least = scan(Reducer::min, space, pick(space, space, key, from_end));
  return pick(space, space, least, from_end);
}

/// The rank of each sorted item.
ColumnRef rank_in_order(const SpaceRef& space, const ColumnRef& starts, RankMethod method) {
  const ColumnRef place = apply(Op::add, {local(space), constant(1)});
  if (method == RankMethod::ordinal) return place;
  if (method == RankMethod::dense) return scan(Reducer::sum, space, starts);
  const ColumnRef first = first_of_run(space, starts);
  const ColumnRef least = apply(Op::add, {first, constant(1)});
  if (method == RankMethod::min) return least;
  if (method == RankMethod::max) return at_end_of_run(space, first, place);
  const ColumnRef both_ends = at_end_of_run(space, first, apply(Op::add, {least, place}));
  return apply(Op::divide, {both_ends, constant(Scalar::of(2.0))});
}

/// Lists of n items that are stored, the first item of all, and their order in each list.
template <class T>
struct InOrder {
  const T* items;
  const int64_t* order;
  const uint8_t* valid;  // null: all; what is missing comes last
  const int64_t* offsets;

  /// f(item, first, end, number) of each item of some lists: equal ones of a list are from `first`
  /// to `end` in its order, and the run of that number.
  template <class F>
  void each(int64_t begin_list, int64_t end_list, F&& f) const {
    for (int64_t l = begin_list; l < end_list; l++) {
      const int64_t begin = offsets[l], size = offsets[l + 1] - begin;
      const T* const x = items + begin;
      const int64_t* const at = order + begin;
      const auto is_there = [&](int64_t k) { return valid == nullptr || valid[begin + at[k]]; };
      for (int64_t k = 0, number = 0; k < size && is_there(k); number++) {
        const T one = x[at[k]];
        const auto is_same = [&](T y) { return y == one || (y != y && one != one); };
        int64_t end = k + 1;
        while (end < size && is_there(end) && is_same(x[at[end]])) end++;
        for (const int64_t first = k; k < end; k++) f(begin + at[k], k, first, end, number);
      }
    }
  }
};

template <class T>
void write_ranks(const InOrder<T>& x, RankMethod method, int64_t begin, int64_t end, void* out) {
  auto* const numbers = static_cast<int64_t*>(out);
  auto* const means = static_cast<double*>(out);
  x.each(begin, end, [&](int64_t i, int64_t place, int64_t first, int64_t last, int64_t number) {
    if (method == RankMethod::average)
      means[i] = static_cast<double>(first + 1 + last) / 2;
    else
      numbers[i] = method == RankMethod::ordinal ? place + 1
                   : method == RankMethod::dense ? number + 1
                   : method == RankMethod::min   ? first + 1
                                                 : last;
  });
}

/// Of many numbers in the memory of the host, list by list; null of others.
NodeRef ranks_of_stored(const SpaceRef& space, const NodeRef& n, RankMethod method,
                        bool descending) {
  const bool missing = n->kind == NodeKind::option;
  const Node& value = missing ? *n->contents[0] : *n;
  if (looks_of_thread != nullptr || value.kind != NodeKind::leaf || !is_stored(space)) return {};
  const DType t = value.column->dtype;
  const bool is_number = t == DType::boolean || is_integer(t) || is_floating(t);
  if (!is_number || t == DType::float16 || !is_host(surrounding_device())) return {};
  if (stored_extent(space).size < std::max<int64_t>(seams().block, 2)) return {};
  std::vector<NodeRef> parts{leaf(order_of(space, n, descending)), leaf(value.column)};
  if (missing) parts.push_back(leaf(n->column));
  const StoredItems stored = stored_items(space, tuple_node(parts));
  const StoredExtent extent = stored_extent(stored.space);
  std::vector<const std::byte*> data;
  for (const NodeRef& part : stored.items->contents) {
    const ColumnRef& c = part->column;
    if (!is_plain_load(c)) return {};
    data.push_back(static_cast<const std::byte*>(stored_data(c)) +
                   extent.first * itemsize(c->dtype));
  }
  const bool is_one = stored.space->parent->kind == SpaceKind::unit;
  const int64_t all[] = {0, extent.size},
                lists = is_one ? 1 : stored_extent(stored.space->parent).size;
  const Buffer offsets = is_one ? Buffer::copy_of(all, sizeof all) : offsets_on_host(stored.space);
  void* out = nullptr;
  const Buffer ranks = Buffer::allocate(8 * extent.size, &out);
  if (missing) std::fill_n(static_cast<int64_t*>(out), extent.size, 0);
  const int64_t tasks = std::clamp<int64_t>(extent.size / seams().task, 1, lists);
  with_number(t, [&]<class T>(T) {
    const InOrder<T> x{
        reinterpret_cast<const T*>(data[1]), reinterpret_cast<const int64_t*>(data[0]),
        missing ? reinterpret_cast<const uint8_t*>(data[2]) : nullptr, offsets.as<int64_t>()};
    backend(Device::cpu).share(tasks, [&](int64_t k) {
      write_ranks(x, method, lists * k / tasks, lists * (k + 1) / tasks, out);
    });
  });
  const DType of = method == RankMethod::average ? DType::float64 : DType::int64;
  const NodeRef result = leaf(stored_items_over(space, stored.space, ranks, of));
  return missing ? option_node(n->column, result) : result;
}

}  // namespace

Array rank(const Array& x, RankMethod method, SortOptions o) {
  const graph::Operation operation;
  return Array(map_items(
      stored_input(x, Walks::many), {"rank", o.axis},
      [&](const SpaceRef& space, const NodeRef& n) -> NodeRef {
        if (NodeRef ranks = ranks_of_stored(space, n, method, !o.ascending)) return ranks;
        const ColumnRef order = order_of(space, n, !o.ascending);
        const ColumnRef starts = starts_run(space, rebase_pick(n, space, space, order), true);
        const ColumnRef r = rank_in_order(space, starts, method);
        const NodeRef ranks = leaf(pick(space, space, r, barrier(Barrier::inverse, space, order)));
        return n->kind == NodeKind::option ? option_node(n->column, ranks) : ranks;
      }));
}

}  // namespace serrate
