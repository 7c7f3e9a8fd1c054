// Barriers over stored and derived spaces, against the reference evaluator.
#include "graph/evaluation/barriers.h"

#include <algorithm>
#include <random>

#include "../../../tests/cpp/catch.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "reference/evaluate.h"
#include "serrate/error.h"

namespace serrate::graph {
namespace {

template <class T>
Buffer buffer_of(const std::vector<T>& v) {
  return Buffer::copy_of(v.data(), static_cast<int64_t>(v.size() * sizeof(T)));
}

struct Lists {
  SpaceRef rows, items;
  ColumnRef x, k, valid;
};

Lists lists(bool narrow = false, int64_t skip = 0) {
  std::mt19937 g(2);
  std::vector<int64_t> offsets{skip};
  for (int i = 0; i < 40; i++) offsets.push_back(offsets.back() + static_cast<int64_t>(g() % 6));
  const auto n = static_cast<size_t>(offsets.back());
  std::vector<double> x(n);
  std::vector<int64_t> k(n);
  std::vector<uint8_t> valid(n);
  for (size_t i = 0; i < n; i++) {
    x[i] = static_cast<double>(g() % 1000) / 8 - 60;
    k[i] = static_cast<int64_t>(g() % 4);
    valid[i] = g() % 3 != 0;
  }
  Lists l;
  l.rows = rows(40);
  l.items =
      narrow ? stored_list(l.rows, buffer_of(std::vector<int32_t>(offsets.begin(), offsets.end())),
                           DType::int32)
             : stored_list(l.rows, buffer_of(offsets), DType::int64);
  l.x = stored_column(buffer_of(x), DType::float64, l.items);
  l.k = stored_column(buffer_of(k), DType::int64, l.items);
  l.valid = stored_column(buffer_of(valid), DType::boolean, l.items);
  return l;
}

/// All values of a stored tree of lists with one column, as numbers, with the lengths.
std::vector<double> values(const NodeRef& root) {
  std::vector<double> out;
  const Node* n = root.get();
  SpaceRef s = unit();
  while (n->kind == NodeKind::list) {
    const int64_t count = stored_extent(s).size;
    s = n->space;
    for (int64_t i = 0; i < count; i++)
      out.push_back(static_cast<double>(stored_offset(s, i + 1) - stored_offset(s, i)));
    n = n->contents[0].get();
  }
  const StoredExtent e = stored_extent(s);
  const ColumnRef& c = n->column;
  for (int64_t i = e.first; i < e.first + e.size; i++) {
    const std::byte* p = c->buffer.data() + i * itemsize(c->dtype);
    if (c->dtype == DType::float64) out.push_back(*reinterpret_cast<const double*>(p));
    if (c->dtype == DType::int64)
      out.push_back(static_cast<double>(*reinterpret_cast<const int64_t*>(p)));
    if (c->dtype == DType::boolean) out.push_back(static_cast<double>(*p));
  }
  return out;
}

void check_engine(const NodeRef& n) {
  const NodeRef fast = evaluate(n);
  REQUIRE(is_stored(*fast));
  CHECK(values(fast) == values(reference_evaluate(n)));
}

NodeRef tree(const SpaceRef& s, const ColumnRef& c) {
  NodeRef n = leaf(c);
  for (SpaceRef p = s; p->kind != SpaceKind::unit; p = p->parent)
    n = list_node(p, n, p->kind == SpaceKind::fixed ? p->size : -1);
  return n;
}

struct Kind {
  Barrier barrier;
  Reducer reducer{};
  bool operator==(Barrier b) const { return barrier == b; }
};
constexpr Kind kKinds[] = {{Barrier::argsort},
                           {Barrier::sort},
                           {Barrier::scan, Reducer::sum},
                           {Barrier::scan, Reducer::prod},
                           {Barrier::scan, Reducer::min},
                           {Barrier::scan, Reducer::max}};

ColumnRef barrier(Kind k, const SpaceRef& s, const ColumnRef& key, const ColumnRef& valid = {},
                  bool descending = false) {
  return k == Barrier::scan ? scan(k.reducer, s, key, valid)
                            : graph::barrier(k.barrier, s, key, valid, descending);
}

void check_all(const SpaceRef& s, const ColumnRef& key, const ColumnRef& valid) {
  for (const Kind b : kKinds) {
    for (const bool descending : {false, true}) {
      check_engine(tree(s, barrier(b, s, key, {}, descending)));
      if (b != Barrier::sort) check_engine(tree(s, barrier(b, s, key, valid, descending)));
    }
  }
  // Behind the sorted items that take part may be anything.
  const ColumnRef present = parent(s, reduce(Reducer::sum, s, valid));
  const ColumnRef is_present = apply(Op::less, {local(s), present});
  for (const bool descending : {false, true}) {
    const ColumnRef sorted = barrier(Barrier::sort, s, key, valid, descending);
    const ColumnRef none = cast(constant(0), key->dtype);
    check_engine(tree(s, apply(Op::where, {is_present, sorted, none})));
  }
  const ColumnRef order = barrier(Barrier::argsort, s, key);
  check_engine(tree(s, barrier(Barrier::inverse, s, order)));
  check_engine(tree(s, pick(s, s, key, order)));
  for (const Op op : {Op::subtract, Op::bitwise_xor, Op::maximum})
    check_engine(tree(s, scan_by(op, s, key)));
}

}  // namespace

TEST_CASE("barriers over stored lists") {
  for (const int variant : {0, 1, 2}) {
    const Lists l = lists(variant == 1, variant == 2 ? 7 : 0);
    check_all(l.items, l.k, l.valid);
    check_all(l.items, apply(Op::negative, {l.k}), l.valid);
    for (const Kind b : kKinds)
      check_engine(tree(l.items, barrier(b, l.items, apply(Op::add, {l.x, l.x}))));
    check_engine(tree(l.rows, barrier(Barrier::argsort, l.rows, count(l.items))));
  }
}

TEST_CASE("sorts leave out that NaN takes no part") {
  const Lists l = lists();
  const ColumnRef narrow = cast(l.x, DType::float32), wide = cast(narrow, DType::float64);
  const auto not_nan = [](const ColumnRef& c) {
    return apply(Op::logical_not, {apply(Op::isnan, {c})});
  };
  for (const Barrier b : {Barrier::argsort, Barrier::sort}) {
    CHECK_FALSE(barrier(b, l.items, wide, not_nan(narrow))->args[1]);
    CHECK(barrier(b, l.items, wide, not_nan(l.k))->args[1]);
    CHECK(barrier(b, l.items, wide, apply(Op::isnan, {narrow}))->args[1]);
    CHECK(barrier(b, l.items, wide, l.valid)->args[1]);
  }
  CHECK(scan(Reducer::min, l.items, wide, not_nan(narrow))->args[1]);
  const SpaceRef joined = flat(l.items);
  const auto seen = [&](const ColumnRef& c) { return at(joined, 0, c); };
  CHECK_FALSE(
      barrier(Barrier::sort, joined, cast(seen(narrow), DType::float64), seen(not_nan(narrow)))
          ->args[1]);
  CHECK(
      barrier(Barrier::sort, joined, seen(narrow), seen(not_nan(apply(Op::sqrt, {l.x}))))->args[1]);

  const ColumnRef root = apply(Op::sqrt, {l.x});  // NaN of what is below 0
  for (const bool descending : {false, true})
    check_engine(
        tree(l.items, barrier(Barrier::argsort, l.items, root, not_nan(root), descending)));
}

TEST_CASE("barriers over lists that are not stored") {
  const Lists l = lists(false, 3);
  const SpaceRef some = select(l.items, l.valid);
  check_all(some, at(some, 0, l.k), apply(Op::greater, {at(some, 0, l.x), constant(0)}));
  const SpaceRef all = flat(l.items);
  check_all(all, at(all, 0, l.k), at(all, 0, l.valid));
  const SpaceRef pairs = combinations_space(l.items, 2, false);
  const ColumnRef sum = apply(Op::add, {at(pairs, 0, l.k), at(pairs, 1, l.k)});
  check_all(pairs, sum, at(pairs, 0, l.valid));
  const SpaceRef three = fixed(l.items, constant(0), 3);
  check_all(three,
            apply(Op::remainder, {apply(Op::add, {parent(three, l.k), local(three)}), constant(3)}),
            parent(three, l.valid));
  const SpaceRef below = list(some, constant(0), at(some, 0, l.k));
  check_all(below, apply(Op::negative, {local(below)}), parent(below, at(some, 0, l.valid)));
}

TEST_CASE("barriers inside and below of other things") {
  const Lists l = lists();
  const ColumnRef order = barrier(Barrier::argsort, l.items, l.x);
  // The largest two, by a predicate on places.
  const ColumnRef place = barrier(Barrier::inverse, l.items, order);
  const SpaceRef two = select(l.items, apply(Op::less, {place, constant(2)}));
  check_engine(tree(two, at(two, 0, l.x)));
  check_engine(tree(two, barrier(Barrier::sort, two, at(two, 0, l.x))));
  check_engine(tree(l.rows, reduce(Reducer::sum, two, at(two, 0, order))));
  // The first of each list, and the lists of a few rows.
  const ColumnRef has = apply(Op::greater, {count(l.items), constant(0)});
  check_engine(tree(l.rows, apply(Op::where, {has, pick(l.rows, l.items, order, constant(0), has),
                                              constant(-1)})));
  const SpaceRef few = rows(3);
  const ColumnRef row = apply(Op::multiply, {position(few), constant(5)});
  check_engine(list_node(few, rebase_pick(list_node(l.items, leaf(order)), few, l.rows, row)));
}

TEST_CASE("sorts of numbers and passes give what the primitives give") {
  const Lists l = lists();
  const NodeRef key = leaf(l.k);
  for (const Kind b : kKinds) {
    for (const ColumnRef& valid : {ColumnRef(), l.valid}) {
      const ColumnRef c = barrier(b, l.items, l.k, valid, true);
      if (b == Barrier::sort && valid) continue;  // what comes where nothing does is anything
      const ColumnRef lowered = lower_barrier(*c, l.items, key, valid);
      if ((b == Barrier::argsort || b == Barrier::sort) && !valid) {
        CHECK(!lowered);
        continue;
      }
      CHECK(values(evaluate(tree(l.items, lowered))) == values(evaluate(tree(l.items, c))));
    }
  }
}

TEST_CASE("scans by an operation as passes give what the primitive gives") {
  const Lists l = lists();
  for (const Op op : {Op::subtract, Op::floor_divide, Op::bitwise_or, Op::gcd, Op::minimum}) {
    const ColumnRef c = scan_by(op, l.items, l.k);
    const ColumnRef lowered = lower_barrier(*c, l.items, leaf(l.k), {});
    CHECK(values(evaluate(tree(l.items, lowered))) == values(evaluate(tree(l.items, c))));
  }
  CHECK_THROWS_AS(scan_by(Op::less, l.items, l.k), TypeError);
  CHECK_THROWS_AS(scan_by(Op::divide, l.items, l.k), TypeError);
}

TEST_CASE("an item of what looks at its whole list") {
  const Lists l = lists();
  // Picked once more: the inner pick goes on looking at the list of all rows.
  const ColumnRef sums = scan(Reducer::sum, l.rows, count(l.items));
  const ColumnRef turned =
      pick(l.rows, l.rows, sums, apply(Op::subtract, {constant(39), local(l.rows)}));
  const SpaceRef few = rows(3);
  check_engine(
      tree(few, pick(few, l.rows, turned, apply(Op::multiply, {position(few), constant(5)}))));
}

TEST_CASE("strings in order from eight bytes at a time") {
  const std::vector<std::string> words{"b",        "",         "abcdefgh", "abcdefghi",
                                       "abcdefga", "\xc3\xa9", "a",        std::string("a\0", 2)};
  std::string text;
  std::vector<int64_t> ends{0};
  for (const auto& w : words) {
    text += w;
    ends.push_back(static_cast<int64_t>(text.size()));
  }
  const SpaceRef items =
      stored_list(rows(2), buffer_of(std::vector<int64_t>{0, 5, 8}), DType::int64);
  const SpaceRef bytes = stored_list(items, buffer_of(ends), DType::int64);
  const ColumnRef byte = stored_column(
      Buffer::copy_of(text.data(), static_cast<int64_t>(text.size())), DType::uint8, bytes);
  const NodeRef key = list_node(bytes, leaf(byte));
  const ColumnRef valid = apply(Op::not_equal, {local(items), constant(2)});
  for (const ColumnRef& mask : {ColumnRef(), valid}) {
    for (const bool descending : {false, true}) {
      const ColumnRef c = barrier_of_strings(bytes, byte, mask, descending);
      check_engine(tree(items, c));
      const ColumnRef lowered = lower_barrier(*c, items, key, mask);
      CHECK(values(evaluate(tree(items, lowered))) == values(evaluate(tree(items, c))));
    }
  }
}

namespace {

bool can_be_used(Backend& b) {
  try {
    b.require();
    return true;
  } catch (const std::runtime_error&) {
    return false;  // no GPU here
  }
}

}  // namespace

TEST_CASE("barriers run where their keys are, on every back end") {
  const Lists l = lists();
  const int64_t n = stored_extent(l.items).size;
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i <= 40; i++) offsets.push_back(stored_offset(l.items, i));
  for (Backend* const d : backends()) {
    if (!can_be_used(*d)) continue;
    const auto moved = [d](const Buffer& b) { return d->upload(b); };
    const SpaceRef items = stored_list(l.rows, moved(buffer_of(offsets)), DType::int64, {0, n, -1});
    const ColumnRef k = stored_column(moved(l.k->buffer), DType::int64, items);
    const ColumnRef valid = stored_column(moved(l.valid->buffer), DType::boolean, items);
    for (const Kind b : kKinds) {
      for (const bool masked : {false, true}) {
        if (b == Barrier::sort && masked) continue;
        const auto find = [&](const SpaceRef& s, const ColumnRef& key, const ColumnRef& mask) {
          return evaluate(tree(s, barrier(b, s, key, masked ? mask : ColumnRef())));
        };
        const NodeRef there = find(items, k, valid)->contents[0]->contents[0];
        const Buffer& got = there->column->buffer;
        REQUIRE(got.device() == d->device());
        REQUIRE(got.bytes() == 8 * n);
        const Buffer host = d->download(got);
        const NodeRef want = find(l.items, l.k, l.valid);
        const int64_t* values = host.as<int64_t>();
        CHECK(std::equal(
            values, values + n,
            static_cast<const int64_t*>(stored_data(want->contents[0]->contents[0]->column))));
      }
    }
  }
}

}  // namespace serrate::graph
