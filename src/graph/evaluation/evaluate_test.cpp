// The engine against the reference evaluator, on the shapes that the walker treats differently.
#include "graph/evaluate.h"

#include <cmath>
#include <cstring>
#include <random>

#include "../../../tests/cpp/catch.h"
#include "reference/evaluate.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

template <class T>
Buffer buffer_of(const std::vector<T>& v) {
  return Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * sizeof(T)));
}

/// Two stored trees hold the same values (floats within rounding of sums).
void require_same(const Node& a, const Node& b, const SpaceRef& sa, const SpaceRef& sb) {
  REQUIRE(a.kind == b.kind);
  const StoredExtent ea = stored_extent(sa), eb = stored_extent(sb);
  REQUIRE(ea.size == eb.size);
  if (a.column) {
    REQUIRE(a.column->dtype == b.column->dtype);
    auto value = [](const ColumnRef& c, int64_t i) -> double {
      if (c->kind == ColumnKind::constant)
        return is_floating(c->dtype) ? c->scalar.f : static_cast<double>(c->scalar.i);
      const std::byte* p = c->buffer.data() + i * itemsize(c->dtype);
      switch (c->dtype) {
        case DType::float64: {
          double v;
          std::memcpy(&v, p, 8);
          return v;
        }
        case DType::float32: {
          float v;
          std::memcpy(&v, p, 4);
          return v;
        }
        case DType::int64: {
          int64_t v;
          std::memcpy(&v, p, 8);
          return static_cast<double>(v);
        }
        default:
          return static_cast<double>(static_cast<int>(*p));
      }
    };
    for (int64_t i = 0; i < ea.size; i++) {
      const double x = value(a.column, ea.first + i), y = value(b.column, eb.first + i);
      INFO("item " << i << ": " << x << " and " << y);
      REQUIRE(((std::isnan(x) && std::isnan(y)) || x == y ||
               std::fabs(x - y) <= 1e-9 * (1 + std::fabs(y))));
    }
  }
  if (a.kind == NodeKind::list) {
    for (int64_t i = 0; i <= ea.size; i++)
      REQUIRE(stored_offset(a.space, i) - stored_offset(a.space, 0) ==
              stored_offset(b.space, i) - stored_offset(b.space, 0));
  }
  for (size_t i = 0; i < a.contents.size(); i++)
    require_same(*a.contents[i], *b.contents[i], a.kind == NodeKind::list ? a.space : sa,
                 b.kind == NodeKind::list ? b.space : sb);
}

void check_engine(const NodeRef& n) {
  const NodeRef slow = reference_evaluate(n);
  for (int i = 0; i < 2; i++) {  // the second time by the kept plan
    const NodeRef fast = evaluate(n);
    REQUIRE(is_stored(*fast));
    require_same(*fast, *slow, unit(), unit());
  }
}

struct Ragged {
  SpaceRef events, items;
  ColumnRef x, y, k;
};

Ragged ragged(int64_t n, double mean, unsigned seed, bool narrow = false, int64_t skip = 0) {
  std::mt19937 g(seed);
  std::poisson_distribution<int> length(mean > 0 ? mean : 1.0);
  std::vector<int64_t> off{skip};
  for (int64_t i = 0; i < n; i++) off.push_back(off.back() + (mean > 0 ? length(g) : 0));
  std::vector<double> x, y;
  std::vector<int64_t> k;
  std::uniform_real_distribution<double> u(-1, 1);
  for (int64_t i = 0; i < off.back(); i++) {
    x.push_back(u(g));
    y.push_back(u(g));
    k.push_back(static_cast<int64_t>(g() % 5));
  }
  Ragged r;
  r.events = rows(n);
  if (narrow) {
    r.items = stored_list(r.events, buffer_of(std::vector<int32_t>(off.begin(), off.end())),
                          DType::int32);
  } else {
    r.items = stored_list(r.events, buffer_of(off), DType::int64);
  }
  r.x = stored_column(buffer_of(x), DType::float64, r.items);
  r.y = stored_column(buffer_of(y), DType::float64, r.items);
  r.k = stored_column(buffer_of(k), DType::int64, r.items);
  return r;
}

NodeRef per_event(const Ragged& r, ColumnRef c) { return list_node(r.events, leaf(std::move(c))); }
NodeRef per_item(const Ragged& r, const SpaceRef& s, ColumnRef c) {
  return list_node(r.events, list_node(s, leaf(std::move(c))));
}

}  // namespace

TEST_CASE("results larger than the caches are written past them") {
  constexpr int64_t n = 5'000'001;
  std::vector<double> x(n);
  for (int64_t i = 0; i < n; i++) x[static_cast<size_t>(i)] = static_cast<double>(i);
  const SpaceRef r = rows(n);
  const ColumnRef c = stored_column(buffer_of(x), DType::float64, r);
  const ColumnRef twice = apply(Op::add, {c, c}), less = apply(Op::less, {twice, constant(7)});
  const NodeRef out = evaluate(tuple_node({list_node(r, leaf(twice)), list_node(r, leaf(less))}));
  const auto* sums = static_cast<const double*>(stored_data(out->contents[0]->contents[0]->column));
  const auto* small =
      static_cast<const uint8_t*>(stored_data(out->contents[1]->contents[0]->column));
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; i++)
    wrong += sums[i] != 2.0 * static_cast<double>(i) || small[i] != (2 * i < 7);
  CHECK(wrong == 0);
}

TEST_CASE("elementwise, reductions and broadcasting") {
  for (const int64_t n : {0, 1, 7, 300}) {
    for (const double mean : {0.0, 0.4, 3.0, 40.0}) {
      for (const int variant : {0, 1, 2}) {
        const Ragged r = ragged(n, mean, 1, variant == 1, variant == 2 ? 5 : 0);
        INFO("n " << n << " mean " << mean << " variant " << variant);
        const ColumnRef sum =
            apply(Op::add, {r.x, apply(Op::multiply, {r.y, constant(Scalar::of(2.0))})});
        check_engine(per_item(r, r.items, sum));
        check_engine(per_event(r, reduce(Reducer::sum, r.items, sum)));
        check_engine(per_event(r, reduce(Reducer::argmax, r.items, r.x)));
        check_engine(per_event(r, count(r.items)));
        const ColumnRef mean_x =
            apply(Op::divide, {reduce(Reducer::sum, r.items, r.x), count(r.items)});
        const ColumnRef d = apply(Op::subtract, {r.x, parent(r.items, mean_x)});
        check_engine(per_item(r, r.items, d));
        check_engine(per_event(r, reduce(Reducer::sum, r.items, apply(Op::multiply, {d, d}))));
        check_engine(
            leaf(reduce(Reducer::sum, r.events,
                        reduce(Reducer::max, r.items, r.k, apply(Op::greater, {r.x, r.y})))));
        check_engine(per_item(r, r.items, local(r.items)));
      }
    }
  }
}

TEST_CASE("select, flat, combinations, cartesian") {
  for (const int64_t n : {0, 1, 50}) {
    for (const double mean : {0.5, 3.0, 9.0}) {
      const Ragged r = ragged(n, mean, 2, n == 50);
      INFO("n " << n << " mean " << mean);
      const SpaceRef s = select(r.items, apply(Op::greater, {r.x, constant(Scalar::of(0.0))}));
      const ColumnRef xs = at(s, 0, r.x);
      check_engine(per_item(r, s, xs));
      check_engine(per_event(r, reduce(Reducer::sum, s, xs)));
      check_engine(per_event(r, count(s)));
      check_engine(per_event(r, reduce(Reducer::argmin, s, xs)));
      const SpaceRef s2 = select(s, apply(Op::less, {at(s, 0, r.y), xs}));
      check_engine(per_item(r, s2, at(s2, 0, local(s))));
      const SpaceRef f = flat(s2);
      const ColumnRef yf = at(f, 0, at(s2, 0, at(s, 0, r.y)));
      check_engine(list_node(f, leaf(yf)));
      check_engine(leaf(reduce(Reducer::max, f, yf)));
      check_engine(leaf(reduce(Reducer::argmax, f, yf)));
      for (const bool replacement : {false, true}) {
        for (const int k : {1, 2, 3}) {
          const SpaceRef c = combinations_space(s, k, replacement);
          const ColumnRef product =
              apply(Op::multiply, {at(c, 0, xs), at(c, k - 1, at(s, 0, r.y))});
          check_engine(per_item(r, c, product));
          check_engine(per_event(r, reduce(Reducer::max, c, product)));
          check_engine(per_item(r, c, local(c, k - 1)));
          const SpaceRef cs = select(c, apply(Op::greater, {product, constant(Scalar::of(0.1))}));
          check_engine(per_event(r, reduce(Reducer::sum, cs, at(cs, 0, product))));
          check_engine(per_event(r, reduce(Reducer::argmax, cs, at(cs, 0, product))));
        }
      }
      const SpaceRef p = cartesian_space({s, r.items});
      check_engine(per_item(r, p, apply(Op::subtract, {at(p, 0, xs), at(p, 1, r.y)})));
      // Events with something, then their lists.
      const SpaceRef some = select(r.events, apply(Op::greater, {count(s), constant(1)}));
      check_engine(list_node(some, leaf(at(some, 0, reduce(Reducer::sum, s, xs)))));
      check_engine(rebase_at(per_item(r, s, xs)->contents[0], r.events, some)->kind ==
                           NodeKind::list
                       ? list_node(some, rebase_at(list_node(s, leaf(xs)), r.events, some))
                       : unknown_node());
    }
  }
}

TEST_CASE("joined lists are passed on") {
  const auto content = [](const NodeRef& n) {
    REQUIRE(n->space->kind == SpaceKind::rows);
    return n->contents[0]->column->buffer.data();
  };
  for (const int64_t skip : {0, 5}) {
    const Ragged r = ragged(20, 2.5, 3, skip > 0, skip);
    const SpaceRef joined = flat(r.items);
    const NodeRef n = list_node(joined, leaf(at(joined, 0, r.x)));
    check_engine(n);
    const auto* first = r.x->buffer.as<double>() + skip;
    CHECK(content(evaluate(n)) == reinterpret_cast<const std::byte*>(first));
    // What is computed is not.
    check_engine(list_node(joined, leaf(apply(Op::negative, {at(joined, 0, r.x)}))));
    check_engine(list_node(joined, tuple_node({leaf(at(joined, 0, r.x)), leaf(local(joined))})));

    // Lists in lists, also in those of one length.
    const int64_t items = stored_extent(r.items).size;
    std::vector<int64_t> offsets;
    for (int64_t i = 0; i <= skip + items; i++) offsets.push_back(i / 2);
    const SpaceRef inner = stored_list(r.items, buffer_of(offsets), DType::int64);
    const ColumnRef y = stored_column(r.x->buffer, DType::float64, inner);
    const SpaceRef lists = flat(inner), all = flat(lists);
    const NodeRef deep = list_node(all, leaf(at(all, 0, at(lists, 0, y))));
    check_engine(deep);
    CHECK(content(evaluate(deep)) == r.x->buffer.data() + 8 * (skip / 2));
    CHECK(count(all)->kind == ColumnKind::constant);
    CHECK(count(all)->scalar.i == (skip + items) / 2 - skip / 2);
    const SpaceRef three = stored_fixed(rows(4), 3), one = flat(three);
    const NodeRef regular =
        list_node(one, leaf(at(one, 0, stored_column(r.x->buffer, DType::float64, three))));
    check_engine(regular);
    CHECK(content(evaluate(regular)) == r.x->buffer.data());
  }
}

TEST_CASE("picks, slices and alignment") {
  for (const double mean : {0.5, 4.0}) {
    const Ragged r = ragged(60, mean, 3), o = ragged(60, mean, 3, true, 4);
    INFO("mean " << mean);
    const ColumnRef n = count(r.items);
    const ColumnRef some = apply(Op::greater, {n, constant(0)});
    const ColumnRef first = pick(r.events, r.items, r.x, constant(0), some);
    check_engine(list_node(
        r.events,
        option_node(some, leaf(apply(Op::where, {some, first, constant(Scalar::of(0.0))})))));
    const SpaceRef s = select(r.items, apply(Op::less, {r.x, r.y}));
    const ColumnRef any = apply(Op::greater, {count(s), constant(0)});
    const ColumnRef best = reduce(Reducer::argmax, s, at(s, 0, r.x));
    const ColumnRef picked = pick(r.events, s, at(s, 0, r.y), best, any);
    check_engine(per_event(r, apply(Op::where, {any, picked, constant(Scalar::of(-5.0))})));
    const SpaceRef two = list(r.events, constant(0), apply(Op::minimum, {n, constant(2)}));
    check_engine(per_item(r, two, pick(two, r.items, apply(Op::add, {r.x, r.y}), local(two))));
    const SpaceRef back = list(r.events, constant(0), n);
    const ColumnRef reversed =
        apply(Op::subtract, {apply(Op::subtract, {parent(back, n), constant(1)}), local(back)});
    check_engine(per_item(r, back, pick(back, r.items, r.x, reversed)));
    const SpaceRef a = align({r.items, o.items}, "add");
    REQUIRE(a->kind == SpaceKind::aligned);
    const ColumnRef both = apply(Op::add, {at(a, 0, r.x), at(a, 1, o.y)});
    check_engine(per_item(r, a, both));
    check_engine(per_event(r, reduce(Reducer::sum, a, both)));
    const SpaceRef later = rows(20);
    const NodeRef part = rebase_pick(list_node(r.items, leaf(r.x)), later, r.events,
                                     apply(Op::add, {position(later), constant(7)}));
    check_engine(list_node(later, part));
    check_engine(
        list_node(later, leaf(reduce(Reducer::sum, part->space, part->contents[0]->column))));
  }
}

TEST_CASE("large inputs are cut into blocks and tasks") {
  const Ragged r = ragged(40000, 4.0, 5);
  const SpaceRef s = select(r.items, apply(Op::greater, {r.x, constant(Scalar::of(0.0))}));
  const NodeRef n = evaluate(record_node(
      {"a", "b", "c", "d"},
      {leaf(reduce(Reducer::sum, r.events, reduce(Reducer::count, s, {}))),
       leaf(reduce(Reducer::count_nonzero, flat(r.items),
                   at(flat(r.items), 0, apply(Op::greater, {r.x, constant(Scalar::of(0.0))})))),
       list_node(r.events, list_node(s, leaf(at(s, 0, r.k)))),
       list_node(flat(s), leaf(at(flat(s), 0, at(s, 0, r.k))))}));
  const int64_t selected = n->contents[0]->column->scalar.i;
  REQUIRE(selected > 70000);
  REQUIRE(n->contents[1]->column->scalar.i == selected);
  const Node& lists = *n->contents[2]->contents[0];
  REQUIRE(stored_extent(lists.space).size == selected);
  REQUIRE(n->contents[3]->space->size == selected);
  REQUIRE(std::memcmp(lists.contents[0]->column->buffer.data(),
                      n->contents[3]->contents[0]->column->buffer.data(),
                      static_cast<size_t>(8 * selected)) == 0);
}

TEST_CASE("failed checks say where") {
  const Ragged r = ragged(50, 3.0, 7), o = ragged(50, 3.0, 8);
  const SpaceRef a = align({r.items, o.items}, "add");
  REQUIRE_THROWS_AS(evaluate(per_item(r, a, apply(Op::add, {at(a, 0, r.x), at(a, 1, o.x)}))),
                    ValueError);
  const ColumnRef third = checked_index(r.events, r.items, constant(2), {}, "getitem");
  REQUIRE_THROWS_AS(evaluate(per_event(r, pick(r.events, r.items, r.x, third))), IndexError);
}

}  // namespace serrate::graph
