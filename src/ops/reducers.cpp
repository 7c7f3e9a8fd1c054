// sum, prod, min, max, any, all, count, count_nonzero, argmin, argmax: one number per list.
#include <cmath>
#include <limits>

#include "graph/type_text.h"
#include "ops/fold.h"
#include "ops/input.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// What min and max of nothing give if not None.
Scalar identity(Reducer r, DType t) {
  const bool max = r == Reducer::max;
  if (t == DType::boolean) return Scalar::boolean(!max);
  if (is_floating(t) || is_complex(t)) {
    const double inf = std::numeric_limits<double>::infinity();
    return Scalar::of(max ? -inf : inf).as(t);
  }
  const int bits = 8 * itemsize(t);
  if (is_unsigned_integer(t)) {
    Scalar s = Scalar::of(int64_t{0}, t);
    if (!max) s.u = std::numeric_limits<uint64_t>::max() >> (64 - bits);
    return s;
  }
  const int64_t high = std::numeric_limits<int64_t>::max() >> (64 - bits);
  // The smallest time is NaT.
  return Scalar::of(max ? -high - (is_time(t) ? 0 : 1) : high, t);
}

bool is_extreme(Reducer r) { return r == Reducer::min || r == Reducer::max; }
bool is_position(Reducer r) { return r == Reducer::argmin || r == Reducer::argmax; }

void check_times(std::string_view name, Reducer r, const Node& value) {
  const DType t = value.column->dtype;
  if (!is_time(t)) return;
  const bool adds = r == Reducer::sum && t == DType::datetime64;
  check<ValueError>(!adds && r != Reducer::prod, "{}: not defined for {}", name, type_text(value));
}

Array reduce_array(std::string name, Reducer r, const Array& x, const ReduceOptions& o) {
  const bool none_for_empty = o.mask_identity.value_or(is_extreme(r) || is_position(r));
  check<ValueError>(!o.initial || is_extreme(r), "{}: initial is for min and max only", name);
  FoldOptions options{name, o.axis, o.keepdims, false, is_position(r)};
  const Fold fold = [&](const SpaceRef& over, const NodeRef& value, const ColumnRef& take_part) {
    check_times(name, r, *value);
    ColumnRef c = r == Reducer::count ? count_items(over, take_part)
                                      : reduce(r, over, value->column, take_part);
    const ColumnRef some = apply(Op::greater, {count_items(over, take_part), constant(0)});
    std::optional<Scalar> nothing;
    if (is_position(r)) nothing = Scalar::of(int64_t{-1});
    if (is_extreme(r)) nothing = identity(r, c->dtype);
    if (o.initial) {
      const Scalar initial = o.initial->as(c->dtype);
      c = apply(r == Reducer::max ? Op::maximum : Op::minimum, {c, constant(initial)});
      nothing = initial;
    }
    if (is_extreme(r) && !o.axis && is_floating(c->dtype)) {
      // As NumPy does: of all items, NaN wins. Along an axis it is passed over, as in Awkward.
      const ColumnRef nan =
          reduce(Reducer::any, over, apply(Op::isnan, {value->column}), take_part);
      c = apply(Op::where, {nan, constant(Scalar::of(std::nan("")).as(c->dtype)), c});
    }
    if (nothing && !none_for_empty) c = apply(Op::where, {some, c, constant(*nothing)});
    const NodeRef result = leaf(c, is_time(c->dtype) ? value->unit : "");
    return none_for_empty ? option_node(some, result) : result;
  };
  return Array(fold_axis(input(x), options, fold));
}

}  // namespace

Array sum(const Array& x, ReduceOptions o) { return reduce_array("sum", Reducer::sum, x, o); }
Array prod(const Array& x, ReduceOptions o) { return reduce_array("prod", Reducer::prod, x, o); }
Array min(const Array& x, ReduceOptions o) { return reduce_array("min", Reducer::min, x, o); }
Array max(const Array& x, ReduceOptions o) { return reduce_array("max", Reducer::max, x, o); }
Array any(const Array& x, ReduceOptions o) { return reduce_array("any", Reducer::any, x, o); }
Array all(const Array& x, ReduceOptions o) { return reduce_array("all", Reducer::all, x, o); }
Array count(const Array& x, ReduceOptions o) { return reduce_array("count", Reducer::count, x, o); }
Array count_nonzero(const Array& x, ReduceOptions o) {
  return reduce_array("count_nonzero", Reducer::count_nonzero, x, o);
}
Array argmin(const Array& x, ReduceOptions o) {
  return reduce_array("argmin", Reducer::argmin, x, o);
}
Array argmax(const Array& x, ReduceOptions o) {
  return reduce_array("argmax", Reducer::argmax, x, o);
}

}  // namespace serrate
