// Which schedules nests get: decisions, tested without any text.
#include "cuda/schedule/schedule.h"

#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cuda/schedule/block_memory.h"
#include "cuda/schedule/demands.h"
#include "graph/evaluate.h"
#include "graph/store.h"

using namespace serrate;
using namespace serrate::cuda;
using namespace serrate::graph;

namespace {

/// Lists of these lengths, with items that are doubles.
struct Lists {
  explicit Lists(const std::vector<int64_t>& lengths) : Lists(lengths, rows(std::ssize(lengths))) {}
  Lists(const std::vector<int64_t>& lengths, SpaceRef of) : owners(std::move(of)) {
    std::vector<int64_t> offsets{0};
    for (int64_t n : lengths) offsets.push_back(offsets.back() + n);
    const std::vector<double> zeros(static_cast<size_t>(offsets.back()));
    items =
        stored_list(owners, Buffer::copy_of(offsets.data(), std::ssize(offsets) * 8), DType::int64);
    x = stored_column(Buffer::copy_of(zeros.data(), std::ssize(zeros) * 8), DType::float64, items);
  }
  Lists(int64_t n, int64_t length) : Lists(std::vector<int64_t>(static_cast<size_t>(n), length)) {}

  NodeRef per_list(ColumnRef c) const { return list_node(owners, leaf(std::move(c))); }
  NodeRef per_item(const SpaceRef& s, ColumnRef c) const {
    return list_node(owners, list_node(s, leaf(std::move(c))));
  }
  /// Those above 0.
  SpaceRef above() const { return select(items, apply(Op::greater, {x, constant(0)})); }

  SpaceRef owners, items;
  ColumnRef x;
};

struct Planned {
  explicit Planned(const NodeRef& root, const Forced& forced = {}) {
    store.add(root);
    store.demand(nest);
    nest.find_checks();
    plan = cuda::plan(nest, forced);
  }
  /// The only walk's schedule.
  const Schedule& schedule() const {
    REQUIRE(plan.walks.size() == 1);
    return plan.walks[0].schedule;
  }
  Store store;
  Nest nest;
  Plan plan;
};

template <class S>
bool is(const Schedule& s) {
  return std::holds_alternative<S>(s);
}

const Forced kMany{.many = true};

}  // namespace

TEST_CASE("cuda: what folds into no list has a thread an item") {
  const Lists l(100, 3);
  CHECK(is<ThreadPerItem>(Planned(l.per_item(l.items, apply(Op::sqrt, {l.x}))).schedule()));
}

TEST_CASE("cuda: lists of similar lengths have as many lanes as suit the average") {
  for (const auto& [length, lanes] : {std::pair{3, 1}, {10, 2}, {100, 8}, {1000, 32}}) {
    const Lists l(2, length);  // as the longest may have all items, they must be few
    const Planned p(l.per_list(reduce(Reducer::sum, l.items, l.x)));
    CHECK(std::get<LanesPerList>(p.schedule()).lanes == lanes);
  }
  const Lists l(64, 10);
  const Planned p(l.per_list(reduce(Reducer::sum, l.items, l.x)), {.lanes = 16});
  CHECK(std::get<LanesPerList>(p.schedule()).lanes == 16);
}

TEST_CASE("cuda: lists of very different lengths are binned") {
  std::vector<int64_t> lengths(1000, 1);
  lengths[500] = 5000;
  const Lists l(lengths);
  CHECK(is<BinnedByLength>(Planned(l.per_list(reduce(Reducer::sum, l.items, l.x))).schedule()));
}

TEST_CASE("cuda: few long lists of similar lengths are cut into segments as skewed ones are") {
  const Lists few(std::vector<int64_t>{100'000, 90'000, 100'000});
  CHECK(
      is<BinnedByLength>(Planned(few.per_list(reduce(Reducer::sum, few.items, few.x))).schedule()));
}

TEST_CASE("cuda: what filters leave of different lists is written by walks of their own") {
  const std::vector<int64_t> lengths(4000, 20);
  const Lists a(lengths), b(lengths, a.owners);
  const SpaceRef above = a.above(), other = b.above();
  const auto chosen = [](const Lists& of, const SpaceRef& s) {
    return list_node(s, leaf(at(s, 0, of.x)));
  };
  const Planned p(list_node(a.owners, tuple_node({chosen(a, above), chosen(b, other)})));
  std::vector<SpaceRef> appended;
  for (const WalkPlan& w : p.plan.walks) {
    for (const auto& c : w.counted) {
      const Frame& f = p.nest.frames()[static_cast<size_t>(c.frame)];
      appended.push_back(f.space);
      const Frame& root = p.nest.frames()[static_cast<size_t>(w.group.root)];
      CHECK((root.space == a.owners || root.id == f.inside));
    }
  }
  CHECK(appended.size() == 2);
}

TEST_CASE("cuda: few long regular lists are split among blocks") {
  const SpaceRef owners = rows(2), items = stored_fixed(owners, 100'000);
  const NodeRef n = list_node(owners, leaf(reduce(Reducer::sum, items, local(items))));
  const Planned p(n);
  const auto& split = std::get<SplitLists>(p.schedule());
  CHECK(p.nest.frames()[static_cast<size_t>(split.frame)].space == items);
}

TEST_CASE("cuda: a NaN in front of those that take part keeps no list in order") {
  const SpaceRef owners = rows(2), items = stored_fixed(owners, 100'000);
  const ColumnRef place = cast(local(items), DType::float64);
  const ColumnRef takes_part = apply(Op::greater, {place, constant(3)});
  const Planned p(list_node(owners, leaf(reduce(Reducer::argmax, items, place, takes_part))));
  CHECK(is<SplitLists>(p.schedule()));
}

TEST_CASE("cuda: parts of few lists of unknown lengths are split, too") {
  const Lists l(std::vector<int64_t>{100'000, 90'000});
  const SpaceRef parts =
      list(l.owners, apply(Op::add, {l.items->starts, constant(1)}), l.items->stops);
  const ColumnRef x = pick(parts, l.items, l.x, local(parts));
  CHECK(is<SplitLists>(Planned(l.per_list(reduce(Reducer::sum, parts, x))).schedule()));
}

TEST_CASE("cuda: a reduction that another one of the same few long lists reads is stored before") {
  for (const int64_t length : {100, 100'000}) {
    const SpaceRef owners = rows(3), items = stored_fixed(owners, length);
    const ColumnRef x = cast(local(items), DType::float64);
    const ColumnRef sum = reduce(Reducer::sum, items, x);
    const ColumnRef rest = apply(Op::subtract, {x, parent(items, sum)});
    Planned p(list_node(owners, leaf(reduce(Reducer::max, items, rest))));
    p.nest.finish();
    const std::vector<ColumnRef> before = stored_before_walks(p.nest);
    CHECK(before.size() == (length > 100 ? 1 : 0));
    for (const ColumnRef& c : before) CHECK(same(c, sum));
  }
}

TEST_CASE("cuda: reductions of everything have no more blocks than run at once") {
  const Lists l(100, 3);
  const SpaceRef all = flat(l.items);
  const Planned p(leaf(reduce(Reducer::sum, all, at(all, 0, l.x))));
  CHECK(is_resident(p.schedule()));
}

TEST_CASE("cuda: tuples of short lists are shared out by warps, of long ones by lanes") {
  const auto pairs = [](const Lists& l) {
    const SpaceRef w = combinations_space(l.items, 2, false);
    return l.per_list(reduce(Reducer::sum, w, at(w, 0, l.x)));
  };
  CHECK(is<TuplesPerWarp>(Planned(pairs(Lists(100, 3))).schedule()));
  CHECK(lanes_of(Planned(pairs(Lists(100, 20))).schedule()) == 32);
}

TEST_CASE("cuda: triples are shared out as pairs are, other tuples by their first items") {
  const auto of = [](const Lists& l, int k) {
    const SpaceRef w = combinations_space(l.items, k, false);
    return Planned(l.per_list(reduce(Reducer::sum, w, at(w, 0, l.x))));
  };
  CHECK(is<TuplesPerWarp>(of(Lists(100, 4), 3).schedule()));
  CHECK(lanes_of(of(Lists(100, 20), 3).schedule()) == 32);
  CHECK(lanes_of(of(Lists(100, 6), 4).schedule()) == 1);
  CHECK(lanes_of(of(Lists(100, 20), 4).schedule()) == 2);
}

TEST_CASE("cuda: items with lists of their own are shared out as tuples are") {
  const Lists l(20, 3);  // the longest may have all items
  const SpaceRef inner = list(l.items, constant(0), apply(Op::add, {local(l.items), constant(1)}));
  const ColumnRef sum = reduce(Reducer::sum, inner, local(inner));
  CHECK(is<TuplesPerWarp>(Planned(l.per_list(reduce(Reducer::max, l.items, sum))).schedule()));
}

TEST_CASE("cuda: tuples with more folds than shared memory holds are not shared out by warps") {
  const Lists l(100, 3);
  const SpaceRef w = combinations_space(l.items, 2, false);
  std::vector<NodeRef> sums;
  for (int64_t i = 2; i < 20; i++)
    sums.push_back(
        leaf(reduce(Reducer::sum, w, apply(Op::multiply, {at(w, 0, l.x), constant(i)}))));
  const Planned p(list_node(l.owners, tuple_node(sums)));
  CHECK(is<LanesPerList>(p.schedule()));
  CHECK(!warps_fit(p.nest, p.plan.walks[0].group, false));
}

TEST_CASE("cuda: few items are counted and written by one kernel") {
  const Lists l(10, 3);
  const SpaceRef v = l.above();
  const Planned p(l.per_item(v, at(v, 0, l.x)));
  CHECK(is<AppendInOneBlock>(p.schedule()));
  CHECK(!std::get<AppendInOneBlock>(p.schedule()).balanced);
  CHECK(p.plan.walks[0].counted.size() == 1);
}

TEST_CASE("cuda: what a filter leaves of many lists is counted per warp") {
  const Lists l(1000, 3);
  const SpaceRef v = l.above();
  const Planned p(l.per_item(v, at(v, 0, l.x)));
  const auto& s = std::get<AppendPerWarp>(p.schedule());
  CHECK(p.nest.outputs()[static_cast<size_t>(s.lengths)].lengths);
}

TEST_CASE("cuda: lists inside of lists are shared as those of rows are") {
  struct Case {
    int64_t rows, lists, items;
  };
  const auto planned = [](const Case& c, bool tuples = false) {
    const SpaceRef owners = rows(c.rows), lists = stored_fixed(owners, c.lists);
    const SpaceRef items = stored_fixed(lists, c.items);
    const int64_t n = c.rows * c.lists * c.items;
    const std::vector<double> zeros(static_cast<size_t>(n));
    const ColumnRef x = stored_column(Buffer::copy_of(zeros.data(), 8 * n), DType::float64, items);
    const SpaceRef over = tuples ? combinations_space(items, 2, false) : items;
    const ColumnRef sum = reduce(Reducer::sum, over, tuples ? at(over, 0, x) : x);
    return Planned(list_node(owners, list_node(lists, leaf(sum))));
  };
  CHECK(is<SplitLists>(planned({2, 3, 100'000}).schedule()));
  CHECK(is<SplitLists>(planned({2, 3, 1'000}, true).schedule()));
  CHECK(lanes_of(planned({100, 10, 100}).schedule()) == 8);
  CHECK(lanes_of(planned({100, 10, 3}).schedule()) == 1);
}

TEST_CASE("cuda: reductions of long lists are stored before others read them") {
  const SpaceRef owners = rows(2), lists = stored_fixed(owners, 3);
  const SpaceRef items = stored_fixed(lists, 100'000);
  const std::vector<double> zeros(600'000);
  const ColumnRef x =
      stored_column(Buffer::copy_of(zeros.data(), 8 * 600'000), DType::float64, items);
  const ColumnRef sum = reduce(Reducer::sum, items, x);
  Planned p(list_node(owners, leaf(reduce(Reducer::max, lists, sum))));
  const std::vector<ColumnRef> first = stored_before_walks(p.nest);
  REQUIRE(first.size() == 1);
  CHECK(same(first[0], sum));
}

TEST_CASE("cuda: what a filter leaves of regular lists is counted per warp, few or many") {
  for (const auto& [lists, size] : {std::pair{3, 100'000}, std::pair{100'000, 3}}) {
    const SpaceRef owners = rows(lists), items = stored_fixed(owners, size);
    const std::vector<double> zeros(300'000);
    const ColumnRef x =
        stored_column(Buffer::copy_of(zeros.data(), 8 * 300'000), DType::float64, items);
    const SpaceRef v = select(items, apply(Op::greater, {x, constant(0)}));
    const Planned p(list_node(owners, list_node(v, leaf(at(v, 0, x)))));
    const auto& s = std::get<AppendPerWarp>(p.schedule());
    CHECK(p.nest.outputs()[static_cast<size_t>(s.lengths)].lengths);
  }
}

TEST_CASE("cuda: what a filter leaves of many rows is counted per warp") {
  const SpaceRef all = rows(100'000);
  const std::vector<double> zeros(100'000);
  const ColumnRef x =
      stored_column(Buffer::copy_of(zeros.data(), 8 * 100'000), DType::float64, all);
  const SpaceRef v = select(all, apply(Op::greater, {x, constant(0)}));
  const Planned p(list_node(v, leaf(at(v, 0, x))));
  CHECK(is<AppendPerWarp>(p.schedule()));
  CHECK(p.plan.walks[0].counted.size() == 1);
}

TEST_CASE("cuda: where an index in the list is asked for, lists are walked in order") {
  const Lists l(1000, 3);
  const SpaceRef v = l.above();
  const Planned p(l.per_item(v, local(v)));
  CHECK(is<AppendPerList>(p.schedule()));
  CHECK(p.plan.walks[0].keeps_order);
  CHECK(lanes_of(p.schedule()) == 1);
}

TEST_CASE("cuda: lists whose lengths need no walk are written load-balanced") {
  const Lists l(1000, 3);
  const SpaceRef w = combinations_space(l.items, 2, false);
  CHECK(is<AppendLoadBalanced>(Planned(l.per_item(w, at(w, 0, l.x))).schedule()));
  const Lists few(10, 3);
  const SpaceRef u = combinations_space(few.items, 2, false);
  CHECK(std::get<AppendInOneBlock>(Planned(few.per_item(u, at(u, 0, few.x))).schedule()).balanced);
  CHECK(is<AppendLoadBalanced>(Planned(few.per_item(u, at(u, 0, few.x)), kMany).schedule()));
}

TEST_CASE("cuda: extremes of those that take part share a list among lanes, as of all do") {
  const Lists l(5, 100);
  const ColumnRef some = apply(Op::greater, {l.x, constant(0)});
  const ColumnRef least = reduce(Reducer::argmin, l.items, l.x, some);
  CHECK(lanes_of(Planned(l.per_list(least)).schedule()) == 8);
  const Planned without(l.per_list(reduce(Reducer::argmin, l.items, l.x)));
  CHECK(lanes_of(without.schedule()) == 8);
}

TEST_CASE("cuda: a walk waits for the reductions of everything that it reads") {
  const Lists l(100, 3);
  const SpaceRef all = flat(l.items);
  const ColumnRef sum = reduce(Reducer::sum, all, at(all, 0, l.x));
  const NodeRef n =
      l.per_item(l.items, apply(Op::subtract, {l.x, parent(l.items, parent(l.owners, sum))}));
  const Planned p(n);
  REQUIRE(p.plan.walks.size() == 2);
  CHECK(p.plan.walks[0].group.unit_folds.size() == 1);
  CHECK(p.plan.walks[1].group.unit_folds.empty());
}
