// array_equal and almost_equal: two arrays as one boolean expression.
#include "ops/tree/compare.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "ops/tree/input.h"
#include "ops/tree/merge.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

ColumnRef truth(bool v) { return constant(Scalar::boolean(v)); }
ColumnRef both(const ColumnRef& a, const ColumnRef& b) { return apply(Op::logical_and, {a, b}); }

/// Whether c holds everywhere: where it is that of all items of lists, of these joined, which are
/// walked without a look at the lists.
ColumnRef all_of(const SpaceRef& space, ColumnRef c) {
  SpaceRef items = space;
  while (c->kind == ColumnKind::reduce && c->reducer == Reducer::all && !c->args[1]) {
    items = c->over;
    c = c->args[0];
  }
  while (items->depth > 1) {
    items = flat(items);
    c = at(items, 0, c);
  }
  return reduce(Reducer::all, items, c);
}

class Comparison {
 public:
  Comparison(const EqualOptions& o, bool exact, bool any_number = false)
      : o_(o), exact_(exact), any_number_(any_number) {}

  /// Where a and b, both over `space`, are the same; null if their types tell that they are not.
  ColumnRef equal(const SpaceRef& space, NodeRef a, NodeRef b) {
    a = project_categorical(space, a);
    b = project_categorical(space, b);
    if (any_number_ && (a->kind == NodeKind::option) != (b->kind == NodeKind::option)) {
      NodeRef& plain = a->kind == NodeKind::option ? b : a;
      plain = option_node(truth(true), plain);
    }
    if (a->kind != b->kind) return {};
    if (o_.check_parameters && !same_parameters(a->parameters, b->parameters)) return {};
    switch (a->kind) {
      case NodeKind::leaf:
        return numbers(*a, *b);
      case NodeKind::list:
        return lists(space, *a, *b);
      case NodeKind::option: {
        const ColumnRef inner = equal(space, a->contents[0], b->contents[0]);
        if (!inner) return {};
        return both(apply(Op::equal, {a->column, b->column}),
                    apply(Op::where, {a->column, inner, truth(true)}));
      }
      case NodeKind::record:
        return records(space, *a, *b);
      case NodeKind::union_:
        return unions(space, *a, *b);
      default:
        return truth(true);
    }
  }

 private:
  static bool same_parameters(Parameters a, Parameters b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
  }

  bool same_number_types(DType a, DType b) const {
    if (a == b || (any_number_ && is_time(a) == is_time(b))) return true;
    if (o_.dtype_exact || is_time(a) || is_time(b)) return false;
    return (is_integer(a) && is_integer(b)) || (is_floating(a) && is_floating(b)) ||
           (is_complex(a) && is_complex(b));
  }

  ColumnRef numbers(const Node& a, const Node& b) const {
    const ColumnRef &x = a.column, &y = b.column;
    if (!same_number_types(x->dtype, y->dtype) || a.unit != b.unit) return {};
    ColumnRef same = apply(Op::equal, {x, y});
    if (!exact_ && !is_time(x->dtype)) {
      const DType t = is_complex(x->dtype) ? DType::complex128 : DType::float64;
      const ColumnRef u = cast(x, t), v = cast(y, t);
      const ColumnRef bound =
          apply(Op::add,
                {constant(Scalar::of(o_.atol)),
                 apply(Op::multiply, {constant(Scalar::of(o_.rtol)), apply(Op::absolute, {v})})});
      const ColumnRef near =
          apply(Op::less_equal, {apply(Op::absolute, {apply(Op::subtract, {u, v})}), bound});
      // Nothing but infinity is near infinity.
      same = apply(Op::logical_or, {same, both(near, apply(Op::isfinite, {v}))});
    }
    if (o_.equal_nan && (is_floating(x->dtype) || is_complex(x->dtype) || is_time(x->dtype)))
      same = apply(Op::logical_or, {same, both(apply(Op::isnan, {x}), apply(Op::isnan, {y}))});
    return same;
  }

  ColumnRef lists(const SpaceRef& space, const Node& a, const Node& b) {
    if (a.size >= 0 && b.size >= 0 && a.size != b.size) return {};
    if (o_.check_regular && (a.size >= 0) != (b.size >= 0)) return {};
    const ColumnRef n = count(a.space);
    const ColumnRef as_long = apply(Op::equal, {n, count(b.space)});
    if (same(a.space, b.space)) {
      const ColumnRef inner = equal(a.space, a.contents[0], b.contents[0]);
      if (!inner) return {};
      return space->kind == SpaceKind::unit ? all_of(a.space, inner)
                                            : reduce(Reducer::all, a.space, inner);
    }
    const SpaceRef items = list(space, constant(0), apply(Op::where, {as_long, n, constant(0)}));
    const ColumnRef inner = equal(items, rebase_pick(a.contents[0], items, a.space, local(items)),
                                  rebase_pick(b.contents[0], items, b.space, local(items)));
    if (!inner) return {};
    return both(as_long, reduce(Reducer::all, items, inner));
  }

  ColumnRef records(const SpaceRef& space, const Node& a, const Node& b) {
    if (a.is_tuple != b.is_tuple || a.contents.size() != b.contents.size()) return {};
    std::vector<ColumnRef> same;
    for (size_t i = 0; i < a.contents.size(); i++) {
      const int64_t j = a.is_tuple ? static_cast<int64_t>(i) : field_index(b, (*a.fields)[i]);
      if (j < 0) return {};
      same.push_back(equal(space, a.contents[i], b.contents[static_cast<size_t>(j)]));
      if (!same.back()) return {};
    }
    // Two by two: an expression of thousands of fields is not thousands of levels high.
    for (; same.size() > 1; same.resize((same.size() + 1) / 2)) {
      for (size_t i = 0; i < same.size(); i += 2)
        same[i / 2] = i + 1 < same.size() ? both(same[i], same[i + 1]) : same[i];
    }
    return same.empty() ? truth(true) : same[0];
  }

  ColumnRef unions(const SpaceRef& space, const Node& a, const Node& b) {
    auto is = [](const Node& n, size_t i) {
      return apply(Op::equal,
                   {n.column, constant(Scalar::of(static_cast<int64_t>(i), DType::int8))});
    };
    ColumnRef any = truth(false);
    for (size_t i = 0; i < a.contents.size(); i++) {
      for (size_t j = 0; j < b.contents.size(); j++) {
        const ColumnRef c = equal(space, a.contents[i], b.contents[j]);
        if (c) any = apply(Op::logical_or, {any, both(both(is(a, i), is(b, j)), c)});
      }
    }
    return any;
  }

  const EqualOptions& o_;
  bool exact_;
  bool any_number_;  // numbers compare whatever their types
};

constexpr size_t kMostFields = 256;  // of records that are compared in one expression

/// The records in lists with only the fields whose names are those at [from, to) of `names`.
NodeRef with_some_fields(const NodeRef& n, std::span<const std::string> names) {
  if (is_list(*n))
    return list_node(n->space, with_some_fields(n->contents[0], names), n->size, n->parameters);
  std::vector<NodeRef> contents;
  for (const auto& name : names)
    contents.push_back(n->contents[static_cast<size_t>(field_index(*n, name))]);
  return record_node({names.begin(), names.end()}, std::move(contents), n->parameters);
}

const Node& below_lists(const Node& n) { return is_list(n) ? below_lists(*n.contents[0]) : n; }

bool compare_nodes(const NodeRef& a, const NodeRef& b, const EqualOptions& o, bool exact) {
  const Node &x = below_lists(*a), &y = below_lists(*b);
  const size_t fields = x.contents.size();
  if (x.kind == NodeKind::record && y.kind == NodeKind::record && !x.is_tuple && !y.is_tuple &&
      fields > kMostFields && fields == y.contents.size()) {
    const auto known = [&](const std::string& name) { return field_index(y, name) >= 0; };
    if (!std::ranges::all_of(*x.fields, known)) return false;
    for (size_t from = 0; from < fields; from += kMostFields) {
      const auto some = std::span(*x.fields).subspan(from, std::min(kMostFields, fields - from));
      if (!compare_nodes(with_some_fields(a, some), with_some_fields(b, some), o, exact))
        return false;
    }
    return true;
  }
  const ColumnRef c = Comparison(o, exact).equal(unit(), a, b);
  return c && Array(leaf(c)).item_scalar().i != 0;
}

bool compare(const Array& a, const Array& b, const EqualOptions& o, bool exact) {
  return compare_nodes(input(a), input(b), o, exact);
}

}  // namespace

ColumnRef ops::values_equal(const SpaceRef& space, const NodeRef& a, const NodeRef& b) {
  const EqualOptions o{.rtol = 0, .atol = 0, .check_parameters = false, .check_regular = false};
  const ColumnRef c = Comparison(o, true, true).equal(space, a, b);
  return c ? c : truth(false);
}

bool almost_equal(const Array& a, const Array& b, EqualOptions o) {
  return compare(a, b, o, false);
}
bool array_equal(const Array& a, const Array& b, EqualOptions o) { return compare(a, b, o, true); }

}  // namespace serrate
