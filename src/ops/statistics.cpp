// mean, var, std, ptp: two passes over each list, in double precision.
#include "graph/type_text.h"
#include "ops/broadcast.h"
#include "ops/fold.h"
#include "ops/input.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

ColumnRef wide(const ColumnRef& c) {
  if (is_time(c->dtype)) return c;
  return cast(c, is_complex(c->dtype) ? DType::complex128 : DType::float64);
}

/// The values of one list and what their squares, sums ... are divided by.
struct Sample {
  SpaceRef over;
  ColumnRef x, weight, take_part;
  std::string unit;

  ColumnRef sum_of(ColumnRef c) const {
    if (weight) c = apply(Op::multiply, {c, weight});
    return reduce(Reducer::sum, over, c, take_part);
  }
  ColumnRef total() const {
    if (!weight) return cast(count_items(over, take_part), DType::float64);
    // A NaN in x counts in both sums, as in Awkward.
    const ColumnRef w =
        apply(Op::add, {apply(Op::multiply, {x, constant(Scalar::of(0.0), true)}), weight});
    return reduce(Reducer::sum, over, w, take_part);
  }
  ColumnRef mean() const { return apply(Op::divide, {sum_of(x), total()}); }
};

using Statistic = std::function<ColumnRef(const Sample&)>;

Array statistic(std::string name, const Array& x, const Array* weight, const ReduceOptions& o,
                const Statistic& f) {
  NodeRef root = input(x);
  if (weight) {
    BroadcastOptions both;
    both.where = name;
    root = broadcast_apply(
        unit(), {root, input(*weight)}, both,
        [](const SpaceRef&, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
          if (n[0]->kind != NodeKind::leaf || n[1]->kind != NodeKind::leaf) return std::nullopt;
          return tuple_node(n);
        });
  }
  const FoldOptions options{name, o.axis, o.keepdims, weight != nullptr, false};
  return Array(fold_axis(
      root, options,
      [&](const SpaceRef& over, const NodeRef& value, const ColumnRef& take_part) -> NodeRef {
        Sample s{over, {}, {}, take_part, {}};
        const bool pair = value->kind == NodeKind::record;
        const Node& v = pair ? *value->contents[0] : *value;
        check<ValueError>(v.column->dtype != DType::datetime64, "{}: not defined for {}", name,
                          type_text(v));
        s.x = wide(v.column);
        s.unit = v.unit;
        if (pair) s.weight = wide(value->contents[1]->column);
        const ColumnRef c = f(s);
        const NodeRef result = leaf(c, is_time(c->dtype) ? s.unit : "");
        if (!o.mask_identity.value_or(false)) return result;
        return option_node(apply(Op::greater, {count_items(over, take_part), constant(0)}), result);
      }));
}

ColumnRef variance(const Sample& s, double ddof) {
  check<ValueError>(!is_time(s.x->dtype), "var: not defined for times");
  const ColumnRef deviation = apply(Op::subtract, {s.x, parent(s.over, s.mean())});
  const ColumnRef size = is_complex(s.x->dtype) ? apply(Op::absolute, {deviation}) : deviation;
  const ColumnRef n = s.total();
  const ColumnRef v = apply(Op::divide, {s.sum_of(apply(Op::multiply, {size, size})), n});
  if (ddof == 0) return v;
  const ColumnRef fewer = apply(Op::subtract, {n, constant(Scalar::of(ddof))});
  return apply(Op::multiply, {v, apply(Op::divide, {n, fewer})});
}

}  // namespace

Array mean(const Array& x, ReduceOptions o, const Array* weight) {
  return statistic("mean", x, weight, o, [](const Sample& s) { return s.mean(); });
}

Array var(const Array& x, ReduceOptions o, double ddof, const Array* weight) {
  return statistic("var", x, weight, o, [&](const Sample& s) { return variance(s, ddof); });
}

Array std(const Array& x, ReduceOptions o, double ddof, const Array* weight) {
  return statistic("std", x, weight, o,
                   [&](const Sample& s) { return apply(Op::sqrt, {variance(s, ddof)}); });
}

Array ptp(const Array& x, ReduceOptions o) {
  const FoldOptions options{"ptp", o.axis, o.keepdims, false, false};
  return Array(fold_axis(
      input(x), options,
      [&](const SpaceRef& over, const NodeRef& value, const ColumnRef& take_part) -> NodeRef {
        const ColumnRef& c = value->column;
        ColumnRef d = apply(Op::subtract, {reduce(Reducer::max, over, c, take_part),
                                           reduce(Reducer::min, over, c, take_part)});
        const ColumnRef some = apply(Op::greater, {count_items(over, take_part), constant(0)});
        const bool none_for_empty = o.mask_identity.value_or(true);
        if (!none_for_empty)
          d = apply(Op::where, {some, d, constant(Scalar::of(int64_t{0}, d->dtype))});
        const NodeRef result = leaf(d, is_time(d->dtype) ? value->unit : "");
        return none_for_empty ? option_node(some, result) : result;
      }));
}

}  // namespace serrate
