// Plans kept by structure: what is the same structure, and what is not.
#include "graph/evaluation/plan_cache.h"

#include <memory>

#include "../../../tests/cpp/catch.h"
#include "graph/evaluate.h"

namespace serrate::graph {
namespace {

Buffer buffer_of(const std::vector<int64_t>& v) {
  return Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * 8));
}

ColumnRef column_of(const std::vector<int64_t>& v, const SpaceRef& s) {
  return stored_column(buffer_of(v), DType::int64, s);
}

NodeRef over_rows(const SpaceRef& s, ColumnRef c) { return list_node(s, leaf(std::move(c))); }

std::vector<int64_t> values(const NodeRef& n) {
  const NodeRef stored = evaluate(n);
  const auto* p = static_cast<const int64_t*>(stored_data(stored->contents[0]->column));
  return {p, p + stored->space->size};
}

bool same_structure(const NodeRef& a, const NodeRef& b) {
  return std::ranges::equal(Signature({a}).words(), Signature({b}).words());
}

/// sum of x * factor per list of two lists.
NodeRef sums(const std::vector<int64_t>& offsets, const std::vector<int64_t>& x, int64_t factor,
             DType type = DType::int64) {
  const SpaceRef r = rows(static_cast<int64_t>(offsets.size()) - 1);
  const SpaceRef items = stored_list(r, buffer_of(offsets), DType::int64);
  const ColumnRef c = apply(Op::multiply, {column_of(x, items), constant(factor)});
  return over_rows(r, reduce(Reducer::sum, items, cast(c, type)));
}

}  // namespace

TEST_CASE("a kept plan runs on other arrays of the same structure") {
  const NodeRef a = sums({0, 2, 5}, {1, 2, 3, 4, 5}, 10), b = sums({0, 0, 1, 3}, {7, 8, 9}, 10);
  REQUIRE(same_structure(a, b));
  REQUIRE(values(a) == std::vector<int64_t>{30, 120});
  REQUIRE(find_plan(Signature({b})) != nullptr);
  REQUIRE(values(b) == std::vector<int64_t>{0, 70, 170});
  REQUIRE(values(a) == std::vector<int64_t>{30, 120});
}

TEST_CASE("types are part of the structure, lengths and constants are not") {
  const NodeRef a = sums({0, 2}, {1, 2}, 10);
  REQUIRE(same_structure(a, sums({0, 0, 0}, {3}, 10)));
  REQUIRE(same_structure(a, sums({0, 2}, {1, 2}, 11)));
  REQUIRE(!same_structure(a, sums({0, 2}, {1, 2}, 10, DType::float64)));
  REQUIRE(values(a) == std::vector<int64_t>{30});
  REQUIRE(find_plan(Signature({sums({0, 2}, {1, 2}, 11)})) != nullptr);
  REQUIRE(values(sums({0, 2}, {1, 2}, 11)) == std::vector<int64_t>{33});
  // A plan may look at small numbers.
  REQUIRE(!same_structure(a, sums({0, 2}, {1, 2}, 2)));
  REQUIRE(values(sums({0, 2}, {1, 2}, 2)) == std::vector<int64_t>{6});
}

TEST_CASE("constants of every type reach a kept plan") {
  const SpaceRef r = rows(1);
  auto stored = [&](Scalar s, DType t) {
    s.dtype = t;
    return evaluate(over_rows(r, apply(Op::add, {cast(position(r), t), constant(s)})));
  };
  for (double x : {3.0, 4.0, 5.0}) {
    for (DType t :
         {DType::float16, DType::float32, DType::float64, DType::complex64, DType::complex128}) {
      Scalar s = Scalar::of(x);
      s.im = -x;
      const NodeRef n = stored(s, t);
      const ColumnRef wide = cast(n->contents[0]->column, DType::complex128);
      const NodeRef w = evaluate(over_rows(r, wide));
      const auto* p = static_cast<const double*>(stored_data(w->contents[0]->column));
      REQUIRE(p[0] == x);
      REQUIRE(p[1] == (is_complex(t) ? -x : 0));
    }
    for (DType t : {DType::int8, DType::uint16, DType::int32, DType::uint64, DType::int64}) {
      const NodeRef n = stored(Scalar::of(static_cast<int64_t>(x)), t);
      REQUIRE(values(over_rows(r, cast(n->contents[0]->column, DType::int64)))[0] == x);
    }
  }
}

TEST_CASE("which constants are equal is part of the structure") {
  const SpaceRef r = rows(20);
  auto both = [&](int64_t a, int64_t b) {
    auto more = [&](int64_t n) {
      const SpaceRef s = select(r, apply(Op::greater, {position(r), constant(n)}));
      return list_node(s, leaf(at(s, 0, position(r))));
    };
    return tuple_node({more(a), more(b)});
  };
  REQUIRE(same_structure(both(5, 7), both(9, 15)));
  REQUIRE(!same_structure(both(5, 7), both(9, 9)));
  for (const auto& [a, b] : {std::pair{5, 7}, {9, 9}, {15, 3}, {9, 15}}) {
    const NodeRef n = evaluate(both(a, b));
    REQUIRE(stored_extent(n->contents[0]->space).size == 19 - a);
    REQUIRE(stored_extent(n->contents[1]->space).size == 19 - b);
  }
}

TEST_CASE("as many plans are kept as there is room for") {
  for (int64_t times = 0; times < 2; times++) {
    for (size_t n = 1; n <= 700; n++) {
      // Lists of n in lists of n are structure.
      const SpaceRef r = rows(1), f = stored_fixed(r, static_cast<int64_t>(n));
      const NodeRef sum = over_rows(r, reduce(Reducer::sum, f, position(f)));
      REQUIRE(values(sum)[0] == static_cast<int64_t>(n * (n - 1) / 2));
    }
  }
}

TEST_CASE("which buffers and lengths are equal is part of the structure") {
  const SpaceRef two = rows(2), other_two = rows(2), three = rows(3);
  const ColumnRef x = column_of({1, 2}, two), y = column_of({3, 4}, two);
  const ColumnRef again = stored_column(x->buffer, DType::int64, two);
  auto product = [&](const ColumnRef& a, const ColumnRef& b) {
    return over_rows(two, apply(Op::multiply, {a, b}));
  };
  REQUIRE(same_structure(product(x, y), product(y, x)));
  REQUIRE(!same_structure(product(x, y), product(x, x)));
  REQUIRE(!same_structure(product(x, again), product(x, y)));
  REQUIRE(values(product(x, y)) == std::vector<int64_t>{3, 8});
  REQUIRE(values(product(x, again)) == std::vector<int64_t>{1, 4});
  REQUIRE(values(product(y, x)) == std::vector<int64_t>{3, 8});

  auto pair = [](const SpaceRef& a, const SpaceRef& b) {
    return tuple_node({over_rows(a, position(a)), over_rows(b, position(b))});
  };
  REQUIRE(same_structure(pair(two, other_two), pair(rows(5), rows(5))));
  REQUIRE(!same_structure(pair(two, other_two), pair(two, three)));
  REQUIRE(!same_structure(pair(two, two), pair(two, other_two)));
}

TEST_CASE("a kept plan keeps no memory alive") {
  auto owner = std::make_shared<int>(0);
  static constexpr int64_t numbers[] = {4, 5, 6};
  {
    const SpaceRef r = rows(3);
    const ColumnRef x = stored_column(Buffer(numbers, 24, owner), DType::int64, r);
    const NodeRef n = over_rows(r, apply(Op::add, {x, x}));
    REQUIRE(values(n) == std::vector<int64_t>{8, 10, 12});
    REQUIRE(find_plan(Signature({n})) != nullptr);
  }
  REQUIRE(owner.use_count() == 1);
}

namespace {

/// x ^ first ^ (first + 1) ...: as many terms, each with a constant of its own.
NodeRef chain(int terms, int64_t first) {
  const SpaceRef r = rows(2);
  ColumnRef c = column_of({1, 2}, r);
  for (int i = 0; i < terms; i++) c = apply(Op::bitwise_xor, {c, constant(first + i)});
  return over_rows(r, c);
}

std::vector<int64_t> chain_values(int terms, int64_t first) {
  int64_t mask = 0;
  for (int64_t i = 0; i < terms; i++) mask ^= first + i;
  return {1 ^ mask, 2 ^ mask};
}

}  // namespace

TEST_CASE("plans of large expressions are kept") {
  // Where lists of constants, of objects and the table of these begin to grow.
  for (const int terms : {31, 32, 33, 124, 125, 126, 127, 128, 129, 300, 600}) {
    const NodeRef a = chain(terms, 10), b = chain(terms, 2000);
    REQUIRE(Signature({a}).is_complete());
    REQUIRE(same_structure(a, b));
    REQUIRE(!same_structure(a, chain(terms + 1, 10)));
    REQUIRE(values(a) == chain_values(terms, 10));
    REQUIRE(find_plan(Signature({b})) != nullptr);
    REQUIRE(values(b) == chain_values(terms, 2000));
  }
}

TEST_CASE("plans of many outputs, which are written in parts, are kept") {
  const auto sums_of = [](int64_t first) {
    const SpaceRef r = rows(2);
    const ColumnRef x = column_of({1, 2}, r);
    std::vector<NodeRef> fields;
    for (int64_t i = 0; i < 1200; i++)
      fields.push_back(leaf(apply(Op::add, {x, constant(first + i)})));
    return list_node(r, tuple_node(std::move(fields)));
  };
  for (const int64_t first : {100, 5000}) {
    const NodeRef n = sums_of(first);
    if (first == 5000) REQUIRE(find_plan(Signature({n}))->parts.size() > 1);
    const NodeRef stored = evaluate(n);
    for (size_t i = 0; i < 1200; i++) {
      const auto* v =
          static_cast<const int64_t*>(stored_data(stored->contents[0]->contents[i]->column));
      REQUIRE(v[1] == first + static_cast<int64_t>(i) + 2);
    }
  }
}

TEST_CASE("expressions that are too large are evaluated without a kept plan") {
  const NodeRef n = chain(4100, 3);
  REQUIRE(!Signature({n}).is_complete());
  for (int i = 0; i < 2; i++) REQUIRE(values(n) == chain_values(4100, 3));
}

}  // namespace serrate::graph
