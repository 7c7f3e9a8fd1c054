// reduce, accumulate, outer and reduceat of NumPy's ufuncs, for any operation on two values.
#include "serrate/ufunc.h"

#include <cmath>
#include <limits>

#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/elementwise/elementwise.h"
#include "ops/lists/fold.h"
#include "ops/lists/list_items.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

std::string_view name_of(Op op) { return info(op).numpy_name; }

/// The type in which op takes two items of t and gives one more: NumPy's rule for reduce.
DType folded_type(Op op, DType t) {
  check<TypeError>(info(op).arity == 2, "{}: only of operations with two arguments", name_of(op));
  const std::array both{t, t};
  const OpTypes types = resolve(op, both);
  const bool logical = op == Op::logical_and || op == Op::logical_or || op == Op::logical_xor;
  if (logical) return DType::boolean;
  const DType c = types.compute[0];
  check<TypeError>(types.compute[1] == c && types.result == c,
                   "{}: results for {} are not what it takes, so that it cannot go on", name_of(op),
                   name(t));
  return c;
}

/// What changes nothing, where there is such a thing.
std::optional<Scalar> identity(Op op, DType t) {
  const double inf = std::numeric_limits<double>::infinity();
  switch (op) {
    case Op::bitwise_and:
      return t == DType::boolean ? Scalar::boolean(true) : Scalar::of(int64_t{-1}).as(t);
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::logical_xor:
    case Op::gcd:
    case Op::hypot:
      return Scalar::of(int64_t{0}).as(t);
    case Op::logaddexp:
    case Op::logaddexp2:
      return Scalar::of(-inf).as(t);
    case Op::add:
      return Scalar::of(int64_t{0}).as(t);
    case Op::multiply:
      return Scalar::of(int64_t{1}).as(t);
    case Op::logical_and:
      return Scalar::boolean(true);
    case Op::logical_or:
      return Scalar::boolean(false);
    default:
      return {};
  }
}

/// Largest and smallest as reducers, NaN as the ufunc has it.
ColumnRef extreme(Op op, const SpaceRef& over, const ColumnRef& v) {
  const bool max = op == Op::maximum || op == Op::fmax;
  // NaT is a number to the reducers.
  const ColumnRef part =
      is_time(v->dtype) ? apply(Op::logical_not, {apply(Op::isnan, {v})}) : ColumnRef();
  const ColumnRef c = reduce(max ? Reducer::max : Reducer::min, over, v, part);
  if (!is_floating(v->dtype) && !is_time(v->dtype)) return c;
  const bool spreads = op == Op::maximum || op == Op::minimum;
  const ColumnRef nan = reduce(spreads ? Reducer::any : Reducer::all, over, apply(Op::isnan, {v}));
  Scalar none = Scalar::of(std::nan("")).as(v->dtype);
  if (is_time(v->dtype)) none.i = std::numeric_limits<int64_t>::min();
  return apply(Op::where, {nan, constant(none), c});
}

/// One value per list of `over`; anything for empty ones.
ColumnRef fold_list(Op op, const SpaceRef& over, const ColumnRef& v, const ColumnRef& some) {
  const DType t = v->dtype;
  switch (op) {
    case Op::add:
      if (t != DType::boolean) return cast(reduce(Reducer::sum, over, v), t);
      [[fallthrough]];
    case Op::logical_or:
      return reduce(Reducer::any, over, v);
    case Op::multiply:
      if (t != DType::boolean) return cast(reduce(Reducer::prod, over, v), t);
      [[fallthrough]];
    case Op::logical_and:
      return reduce(Reducer::all, over, v);
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
      if (!is_complex(t)) return extreme(op, over, v);
      break;
    default:
      break;
  }
  const ColumnRef last = apply(Op::subtract, {count(over), constant(1)});
  return pick(over->parent, over, scan_by(op, over, v), last, some);
}

/// Sums and products of small integers are int64 or uint64.
DType summed_type(Op op, DType t) {
  if ((op != Op::add && op != Op::multiply) || t > DType::uint64) return t;
  return is_unsigned_integer(t) ? DType::uint64 : DType::int64;
}

struct Reduction {
  Op op;
  const UfuncReduceOptions& options;
  bool never_empty = false;

  NodeRef operator()(const SpaceRef& all, const NodeRef& value, const ColumnRef& take_part) const {
    const DType given = value->column->dtype;
    check<TypeError>(!(op == Op::add && given == DType::datetime64), "add: not defined for times");
    const DType t = summed_type(op, folded_type(op, given));
    const SpaceRef over = take_part ? select(all, take_part) : all;
    ColumnRef v = cast(take_part ? at(over, 0, value->column) : value->column, t);
    std::optional<Scalar> nothing = identity(op, t);
    if (options.initial) {
      const NodeRef n = input(*options.initial);
      check<TypeError>(n->kind == NodeKind::leaf, "{}: initial must be a number", name_of(op));
      const ColumnRef first = cast(n->column, t);
      check<TypeError>(first->kind == ColumnKind::constant, "{}: initial must be a number",
                       name_of(op));
      v = apply(Op::where,
                {apply(Op::equal, {local(over), constant(0)}), cast(apply(op, {first, v}), t), v});
      nothing = first->scalar;
    }
    const ColumnRef some = apply(Op::greater, {count(over), constant(0)});
    ColumnRef c = fold_list(op, over, v, some);
    const std::string unit = is_time(c->dtype) ? value->unit : "";
    if (never_empty) return leaf(c, unit);
    if (nothing) return leaf(apply(Op::where, {some, c, constant(*nothing)}), unit);
    return option_node(some, leaf(c, unit));
  }
};

Array reduced(const Reduction& r, const Array& x) {
  FoldOptions options{std::string(name_of(r.op)), r.options.axis, r.options.keepdims};
  options.cells = false;
  options.orders = true;
  return Array(
      fold_axis(input(x), options,
                [&](const FoldedLists& lists, const NodeRef& value, const ColumnRef& take_part) {
                  return r(lists.items(), value, take_part);
                }));
}

}  // namespace

Array ufunc_reduce(Op op, const Array& x, const UfuncReduceOptions& o) {
  const graph::Operation operation;
  return reduced({op, o}, x);
}

Array ufunc_accumulate(Op op, const Array& x, Axis axis) {
  const graph::Operation operation;
  if (op == Op::add) return cumsum(x, axis);
  if (op == Op::multiply) return cumprod(x, axis);
  const std::string name(name_of(op));
  return Array(map_items(input(x), {name, axis}, [&](const SpaceRef& space, const NodeRef& n) {
    const ColumnRef valid = n->kind == NodeKind::option ? n->column : ColumnRef();
    const NodeRef& v = valid ? n->contents[0] : n;
    if (v->kind == NodeKind::unknown) return n;
    check<TypeError>(v->kind == NodeKind::leaf, "{}: not defined for {}", name, type_text(*v));
    const ColumnRef keys = cast(v->column, folded_type(op, v->column->dtype));
    if (!valid) return leaf(scan_by(op, space, keys), is_time(keys->dtype) ? v->unit : "");
    // Only of those that are there; one that is there is as many after the first as are before it.
    const SpaceRef present = select(space, valid);
    const ColumnRef c = scan_by(op, present, at(present, 0, keys));
    const ColumnRef index = apply(Op::subtract, {scan(Reducer::sum, space, valid), constant(1)});
    return option_node(
        valid, leaf(pick(space, present, c, index, valid), is_time(keys->dtype) ? v->unit : ""));
  }));
}

Array ufunc_outer(Op op, const Array& x, const Array& y) {
  const graph::Operation operation;
  const std::vector<NodeRef> both = inputs({x, y});
  return Array(map_leaves(unit(), both[0], [&](const SpaceRef& space, const NodeRef& n) {
    const NodeRef other = space == unit() ? both[1] : lift_node(both[1], unit(), space);
    return elementwise_over(space, op, {n, other});
  }));
}

Array ufunc_reduceat(Op op, const Array& x, const Array& indices) {
  const graph::Operation operation;
  const NodeRef root = input(x);
  check<TypeError>(is_list(*root) && is_list(*indices.node()),
                   "{}: reduceat is of arrays and flat arrays of indices", name_of(op));
  std::vector<int64_t> starts = look_at_integers(input(indices));
  const auto n = static_cast<int64_t>(x.size());
  std::vector<int64_t> sizes(starts.size());
  for (size_t i = 0; i < starts.size(); i++) {
    check<IndexError>(starts[i] >= 0 && starts[i] < n, "{}: index {} out of bounds for size {}",
                      name_of(op), starts[i], n);
    const int64_t stop = i + 1 < starts.size() ? starts[i + 1] : n;
    sizes[i] = std::max<int64_t>(1, stop - starts[i]);
  }
  const auto pieces = static_cast<int64_t>(starts.size());
  const SpaceRef rows_out = rows(pieces);
  const auto column = [&](const std::vector<int64_t>& v) {
    return stored_column(beside(Buffer::copy_of(v.data(), 8 * pieces), {root}), DType::int64,
                         rows_out);
  };
  const SpaceRef lists = fresh_lists(rows_out, column(sizes));
  const ColumnRef index = apply(Op::add, {parent(lists, column(starts)), local(lists)});
  const NodeRef items = rebase_pick(root->contents[0], lists, root->space, index);
  const UfuncReduceOptions options{.axis = 1};
  return reduced({op, options, true}, Array(list_node(rows_out, list_node(lists, items))));
}

}  // namespace serrate
