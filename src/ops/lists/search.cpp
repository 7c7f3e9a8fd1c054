// Binary search: each halving is a pick, a comparison and an addition, fused with what asks.
#include "ops/lists/search.h"

#include <bit>

#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/type_text.h"
#include "ops/tree/strings.h"
#include "serrate/error.h"

namespace serrate::ops {

using namespace graph;

bool may_be_nan(const ColumnRef& c) {
  return is_floating(c->dtype) || is_complex(c->dtype) || is_time(c->dtype);
}

namespace {

ColumnRef either(const ColumnRef& a, const ColumnRef& b) { return apply(Op::logical_or, {a, b}); }
ColumnRef both(const ColumnRef& a, const ColumnRef& b) { return apply(Op::logical_and, {a, b}); }
ColumnRef negated(const ColumnRef& a) { return apply(Op::logical_not, {a}); }

/// Bytes at the first place where they differ decide, else the lengths do.
ColumnRef string_before(const SpaceRef& space, const Node& a, const Node& b) {
  const ColumnRef m = count(a.space), n = count(b.space);
  const SpaceRef bytes = list(space, constant(0), apply(Op::minimum, {m, n}));
  const ColumnRef &x = a.contents[0]->column, &y = b.contents[0]->column;
  const ColumnRef i = local(bytes);
  const ColumnRef differ =
      apply(Op::not_equal, {pick(bytes, a.space, x, i), pick(bytes, b.space, y, i)});
  const ColumnRef some = reduce(Reducer::any, bytes, differ);
  const ColumnRef first =
      apply(Op::where, {some, reduce(Reducer::argmax, bytes, differ), constant(0)});
  const ColumnRef less =
      apply(Op::less, {pick(space, a.space, x, first, some), pick(space, b.space, y, first, some)});
  return apply(Op::where, {some, less, apply(Op::less, {m, n})});
}

/// Is it NaN? Null: it never is.
ColumnRef nan_of(const ColumnRef& c) { return may_be_nan(c) ? apply(Op::isnan, {c}) : ColumnRef(); }

/// x < y, NaN being the largest number.
ColumnRef number_before(const ColumnRef& x, const ColumnRef& x_is_nan, const ColumnRef& y,
                        const ColumnRef& y_is_nan) {
  const ColumnRef less = apply(Op::less, {x, y});
  if (!y_is_nan) return less;
  return either(less, x_is_nan ? both(y_is_nan, negated(x_is_nan)) : y_is_nan);
}

void check_comparable(const Node& key, const Node& value) {
  const bool strings = is_string(key) && is_string(value);
  const bool leaves = key.kind == NodeKind::leaf && value.kind == NodeKind::leaf;
  check<TypeError>(strings || leaves, "search: can't compare {} with {}", type_text(key),
                   type_text(value));
}

}  // namespace

ColumnRef comes_before(const SpaceRef& space, const Node& a, const Node& b) {
  check_comparable(a, b);
  if (is_string(a)) return string_before(space, a, b);
  return number_before(a.column, nan_of(a.column), b.column, nan_of(b.column));
}

ColumnRef values_match(const SpaceRef& space, const Node& a, const Node& b, bool equal_nan) {
  check_comparable(a, b);
  if (is_string(a)) return strings_equal(space, a, b);
  const ColumnRef &x = a.column, &y = b.column;
  const ColumnRef equal = apply(Op::equal, {x, y});
  if (!equal_nan || !may_be_nan(x) || !may_be_nan(y)) return equal;
  return either(equal, both(apply(Op::isnan, {x}), apply(Op::isnan, {y})));
}

ColumnRef insertion_point(const SpaceRef& space, const NodeRef& key, const SortedLists& sorted,
                          bool right) {
  const ColumnRef size = lift(sorted.size, sorted.over->parent, space);
  const bool numbers = key->kind == NodeKind::leaf;
  const ColumnRef key_is_nan =
      numbers && sorted.nan != NanPlace::any ? nan_of(key->column) : ColumnRef();
  const auto goes_behind = [&](const NodeRef& value) {
    check_comparable(*key, *value);
    if (!numbers) {
      return right ? negated(comes_before(space, *key, *value)) : comes_before(space, *value, *key);
    }
    const ColumnRef &k = key->column, &v = value->column;
    // A NaN passes all numbers.
    if (sorted.nan == NanPlace::none)
      return negated(apply(right ? Op::less : Op::less_equal, {k, v}));
    const ColumnRef value_is_nan = right || key_is_nan ? nan_of(v) : ColumnRef();
    return right ? negated(number_before(k, key_is_nan, v, value_is_nan))
                 : number_before(v, value_is_nan, k, key_is_nan);
  };
  ColumnRef found = constant(0);
  for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(sorted.longest)));
       step > 0; step /= 2) {
    const ColumnRef last = apply(Op::add, {found, constant(step - 1)});
    const ColumnRef inside = sorted.whole ? ColumnRef() : apply(Op::less, {last, size});
    const NodeRef value = rebase_pick(sorted.values, space, sorted.over, last, inside);
    ColumnRef before = goes_behind(value);
    if (inside) before = both(inside, before);
    const ColumnRef next = apply(Op::where, {before, constant(step), constant(0)});
    found = apply(Op::add, {found, next});
  }
  return sorted.whole ? apply(Op::minimum, {found, size}) : found;
}

namespace {

template <class T>
NodeRef number_table(std::span<const T> values, const NodeRef& like) {
  const auto n = static_cast<int64_t>(values.size());
  const SpaceRef s = rows(n);
  const Buffer b =
      beside(Buffer::copy_of(values.data(), n * static_cast<int64_t>(sizeof(T))), {like});
  return list_node(s, leaf(load(b, dtype_of<T>::value, position(s))));
}

}  // namespace

NodeRef table_of(std::span<const double> values, const NodeRef& like) {
  return number_table(values, like);
}
NodeRef table_of(std::span<const int32_t> values, const NodeRef& like) {
  return number_table(values, like);
}
NodeRef table_of(std::span<const int64_t> values, const NodeRef& like) {
  return number_table(values, like);
}

NodeRef table_of(std::span<const std::string> values, const NodeRef& like) {
  std::vector<int64_t> offsets{0};
  std::string text;
  for (const auto& v : values) {
    text += v;
    offsets.push_back(static_cast<int64_t>(text.size()));
  }
  const SpaceRef s = rows(static_cast<int64_t>(values.size()));
  const Buffer b =
      beside(Buffer::copy_of(offsets.data(), static_cast<int64_t>(8 * offsets.size())), {like});
  const Buffer bytes =
      beside(Buffer::copy_of(text.data(), static_cast<int64_t>(text.size())), {like});
  const ColumnRef at = position(s);
  const SpaceRef in = list(s, load(b, DType::int64, at), load(b.slice(8), DType::int64, at));
  const NodeRef content =
      leaf(load(bytes, DType::uint8, position(in)), {}, {{"__array__", "\"char\""}});
  return list_node(s, list_node(in, content, -1, {{"__array__", "\"string\""}}));
}

SortedLists sorted_table(const NodeRef& table) {
  SortedLists out;
  out.over = table->space;
  out.values = table->contents[0];
  out.size = count(table->space);
  out.longest = table->space->size;
  return out;
}

}  // namespace serrate::ops
