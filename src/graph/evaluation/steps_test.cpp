// Expressions that are evaluated in steps, again with other data: what is kept of them.
#include "graph/evaluation/steps.h"

#include <array>
#include <memory>
#include <set>

#include "../../../tests/cpp/catch.h"
#include "graph/evaluate.h"
#include "reference/evaluate.h"

namespace serrate::graph {
namespace {

using Numbers = std::vector<int64_t>;

Buffer buffer_of(const Numbers& v) {
  return Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * 8));
}

struct Lists {
  SpaceRef rows, items;
  ColumnRef x;
};

Lists lists(const Numbers& offsets, const Numbers& x) {
  Lists l;
  l.rows = rows(static_cast<int64_t>(offsets.size()) - 1);
  l.items = stored_list(l.rows, buffer_of(offsets), DType::int64);
  l.x = stored_column(buffer_of(x), DType::int64, l.items);
  return l;
}

const std::vector<Lists>& data() {
  static const std::vector<Lists> all{
      lists({0, 3, 3, 5}, {5, 7, 5, 2, 1}), lists({0, 1, 4}, {9, 3, 8, 3}), lists({0, 0, 0}, {}),
      lists({0, 6}, {4, 4, 2, 9, 2, 4}), lists({0, 2, 2, 2, 7}, {1, 0, 6, 5, 6, 5, 6})};
  return all;
}

NodeRef tree(const SpaceRef& s, ColumnRef c) {
  NodeRef n = leaf(std::move(c));
  for (SpaceRef p = s; p->kind != SpaceKind::unit; p = p->parent) n = list_node(p, n);
  return n;
}

Numbers values(const NodeRef& root) {
  const Node* n = root.get();
  SpaceRef s;
  while (n->kind == NodeKind::list) {
    s = n->space;
    n = n->contents[0].get();
  }
  const StoredExtent e = stored_extent(s);
  const auto* p = n->column->buffer.as<int64_t>() + e.first;
  return {p, p + e.size};
}

std::shared_ptr<const Steps> steps_of(const NodeRef& n) {
  const auto kept = find_plan(Signature({n}));
  return kept && kept->in_steps ? kept->in_steps->steps : nullptr;
}

void check(const NodeRef& n) { CHECK(values(evaluate(n)) == values(reference_evaluate(n))); }

/// Evaluates it with all data, some of it twice; the steps of the first are kept.
template <class F>
void check_all(F&& make) {
  for (int times = 0; times < 2; times++) {
    for (const Lists& l : data()) check(make(l));
  }
  check(make(data()[0]));
  CHECK(steps_of(make(data()[1])) != nullptr);
}

/// The places of items in the order of their lists, by three barriers one after the other.
ColumnRef ranks(const SpaceRef& s, const ColumnRef& x, bool descending) {
  const ColumnRef order = barrier(Barrier::argsort, s, x, {}, descending);
  const ColumnRef sorted = pick(s, s, x, order);
  const ColumnRef sums = scan(Reducer::sum, s, sorted);
  return pick(s, s, sums, barrier(Barrier::inverse, s, order));
}

}  // namespace

TEST_CASE("steps run again with other data") {
  for (const bool descending : {false, true})
    check_all([&](const Lists& l) { return tree(l.items, ranks(l.items, l.x, descending)); });
}

TEST_CASE("steps of lists that are not stored run again with other data") {
  check_all([](const Lists& l) {
    const SpaceRef s = select(l.items, apply(Op::greater, {l.x, constant(2)}));
    return tree(s, ranks(s, at(s, 0, l.x), false));
  });
  // Items chosen by what comes of a barrier.
  check_all([](const Lists& l) {
    const ColumnRef sums = scan(Reducer::sum, l.items, l.x);
    const SpaceRef s = select(l.items, apply(Op::greater, {sums, constant(6)}));
    return tree(s, at(s, 0, sums));
  });
}

TEST_CASE("steps fill keys of what takes no part with numbers of their own") {
  for (const double bound : {4.5, 2.5}) {
    check_all([&](const Lists& l) {
      const ColumnRef x = cast(l.x, DType::float64);
      const ColumnRef some = apply(Op::not_equal, {l.x, constant(5)});
      const ColumnRef sorted = barrier(Barrier::sort, l.items, x, some);
      const ColumnRef is_less = apply(Op::less, {sorted, constant(Scalar::of(bound))});
      return tree(l.items, cast(is_less, DType::int64));
    });
  }
}

TEST_CASE("what kind of barrier it is, is part of the structure") {
  const Lists& l = data()[0];
  const std::array kinds{barrier(Barrier::sort, l.items, l.x),
                         barrier(Barrier::sort, l.items, l.x, {}, true),
                         scan(Reducer::max, l.items, l.x), scan(Reducer::min, l.items, l.x)};
  std::set<std::vector<uint64_t>> signatures;
  for (const ColumnRef& c : kinds) {
    const Signature s({tree(l.items, c)});
    signatures.emplace(s.words().begin(), s.words().end());
    check(tree(l.items, c));
  }
  CHECK(signatures.size() == kinds.size());
}

TEST_CASE("steps of joined lists run again with other data") {
  const auto joined = [](const Lists& l) {
    const SpaceRef s = flat(l.items);
    return tree(s, at(s, 0, scan(Reducer::sum, l.items, l.x)));
  };
  check_all(joined);
  // Running sums of what is passed on.
  check_all([&](const Lists& l) {
    const SpaceRef s = flat(l.items);
    return tree(s, scan(Reducer::sum, s, at(s, 0, l.x)));
  });
}

TEST_CASE("steps do not depend on numbers that are computed with") {
  std::shared_ptr<const Steps> first;
  for (const int64_t n : {30, 40, 50, 60, 70, 80, 90}) {
    const Numbers x(static_cast<size_t>(n), n);
    const SpaceRef s = rows(n), one = rows(1);
    const ColumnRef sorted =
        barrier(Barrier::sort, s, stored_column(buffer_of(x), DType::int64, s));
    const ColumnRef last = apply(Op::subtract, {count(s), constant(1)});
    const NodeRef root = tree(one, pick(one, s, sorted, last));
    check(root);
    if (!first) first = steps_of(root);
    REQUIRE(first != nullptr);
    CHECK(steps_of(root) == first);
  }
}

TEST_CASE("whole constants of steps may be others") {
  for (const int64_t n : {3, 5, 3, -7, 0, 5, 100}) {
    for (const Lists& l : data()) {
      const ColumnRef sums = scan(Reducer::sum, l.items, l.x);
      check(tree(l.items, apply(Op::add, {sums, constant(n)})));
      const SpaceRef s = rows(2);
      const ColumnRef all = scan(Reducer::sum, l.rows, count(l.items));
      const ColumnRef index = apply(Op::minimum, {apply(Op::add, {position(s), constant(n & 1)}),
                                                  constant(l.rows->size - 1)});
      check(tree(s, pick(s, l.rows, all, index)));
    }
  }
}

TEST_CASE("kept steps keep no memory alive") {
  auto owner = std::make_shared<int>(0);
  static constexpr int64_t numbers[] = {4, 6, 5};
  for (int times = 0; times < 2; times++) {
    const SpaceRef r = rows(3);
    const ColumnRef x = stored_column(Buffer(numbers, 24, owner), DType::int64, r);
    const NodeRef n = tree(r, ranks(r, x, false));
    CHECK(values(evaluate(n)) == Numbers{4, 15, 9});
    CHECK(steps_of(n) != nullptr);
  }
  CHECK(owner.use_count() == 1);
}

}  // namespace serrate::graph
