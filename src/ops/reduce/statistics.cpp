// mean, var, std, moment, covar, corr, linear_fit, softmax, ptp: statistics in double precision.
#include <array>
#include <cmath>

#include "graph/operation.h"
#include "graph/selection.h"
#include "graph/type_text.h"
#include "ops/lists/fold.h"
#include "ops/lists/list_items.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

ColumnRef wide(const ColumnRef& c) {
  return cast(c, is_complex(c->dtype) ? DType::complex128 : DType::float64);
}

/// The type that Awkward's sums of x * y have: floating and complex types as they are.
DType narrow(DType a, DType b) {
  const auto real = [](DType t) { return is_floating(t) || is_complex(t) ? t : DType::float64; };
  return promote(real(a), real(b));
}

/// Numbers of a computation in double precision, as a type of less.
NodeRef narrowed(const NodeRef& n, DType t) {
  if (n->kind == NodeKind::leaf) {
    const bool fewer = itemsize(t) < itemsize(n->column->dtype);
    return fewer && is_complex(t) == is_complex(n->column->dtype) ? leaf(cast(n->column, t)) : n;
  }
  std::vector<NodeRef> fields;
  for (const auto& c : n->contents) fields.push_back(narrowed(c, t));
  return record_node(*n->fields, fields, n->parameters);
}

struct Kind {
  const char* name;
  bool times = false;    ///< of times a time; else of the numbers that they are
  bool narrow = false;   ///< weighted: of the operands' type, be it real or complex
  bool moments = false;  ///< see FoldOptions
};

/// The values of one list and what their squares, sums ... are divided by.
struct Sample {
  FoldedLists lists;
  ColumnRef x, y, weight, take_part;
  std::string unit;

  ColumnRef sum_of(ColumnRef c) const {
    if (weight) c = apply(Op::multiply, {c, weight});
    return lists.reduce(Reducer::sum, c, take_part);
  }
  ColumnRef total() const {
    if (!weight) return cast(lists.count(take_part), DType::float64);
    // A NaN in x counts in both sums, as in Awkward.
    const ColumnRef w =
        apply(Op::add, {apply(Op::multiply, {x, constant(Scalar::of(0.0), true)}), weight});
    return lists.reduce(Reducer::sum, w, take_part);
  }
  ColumnRef mean_of(const ColumnRef& c) const { return apply(Op::divide, {sum_of(c), total()}); }
  ColumnRef mean() const { return mean_of(x); }
  ColumnRef deviation(const ColumnRef& c) const {
    return apply(Op::subtract, {c, lists.of_items(mean_of(c))});
  }
};

using Statistic = std::function<NodeRef(const Sample&)>;

/// Folds x, or tuples of x and y, with or without weights.
Array statistic(const Kind& kind, const Array& x, const Array* y, const Array* weight,
                const ReduceOptions& o, const Statistic& f) {
  NodeRef root = input(x);
  const bool several = y || weight;
  if (several) {
    std::vector<NodeRef> all{root};
    if (y) all.push_back(input(*y));
    if (weight) all.push_back(input(*weight));
    BroadcastOptions together;
    together.where = kind.name;
    root = broadcast_apply(
        unit(), all, together,
        [&](const SpaceRef&, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
          for (const auto& c : n) {
            const bool record = c->kind == NodeKind::record;
            check<TypeError>(!is_string(*c) && !(record && y), "{}: not defined for {}", kind.name,
                             type_text(*c));
            check<ValueError>(!record, "{}: not defined for {}", kind.name, type_text(*c));
          }
          for (const auto& c : n) {
            if (c->kind != NodeKind::leaf) return std::nullopt;
          }
          return tuple_node(n);
        });
  }
  FoldOptions options{kind.name, o.axis, o.keepdims, several, false};
  options.moments = kind.moments && !several;
  return Array(fold_axis(
      root, options,
      [&](const FoldedLists& lists, const NodeRef& value, const ColumnRef& take_part) -> NodeRef {
        Sample s{lists, {}, {}, {}, take_part, {}};
        const bool tuple = value->kind == NodeKind::record;
        const auto v = tuple ? value->contents : OneOrMore(value);
        for (const auto& c : v) {
          check<ValueError>(c->column->dtype != DType::datetime64, "{}: not defined for {}",
                            kind.name, type_text(*c));
        }
        const bool time = kind.times && is_time(v[0]->column->dtype);
        s.x = time ? v[0]->column : wide(v[0]->column);
        s.unit = v[0]->unit;
        if (tuple && y) s.y = wide(v[1]->column);
        if (tuple && weight) s.weight = wide(v.back()->column);
        NodeRef result = f(s);
        if (weight && !time) {
          DType t = DType::float16;
          for (const auto& c : v) t = narrow(t, c->column->dtype);
          // Where Awkward fills in NaN, complex numbers are wide again.
          const bool masked = o.mask_identity.value_or(false);
          if (kind.narrow || (is_complex(t) && masked)) result = narrowed(result, t);
        }
        if (!o.mask_identity.value_or(false)) return result;
        const ColumnRef some = apply(Op::greater, {lists.count(take_part), constant(0)});
        if (result->kind != NodeKind::record) return option_node(some, result);
        std::vector<NodeRef> fields;
        for (const auto& c : result->contents) fields.push_back(option_node(some, c));
        return record_node(*result->fields, fields, result->parameters);
      }));
}

NodeRef number(const Sample& s, const ColumnRef& c) {
  return leaf(c, is_time(c->dtype) ? s.unit : "");
}

ColumnRef variance(const Sample& s, double ddof) {
  const ColumnRef n = s.total();
  ColumnRef squares = s.weight ? ColumnRef() : s.lists.squares(s.x, s.take_part);
  if (!squares) {
    const ColumnRef d = s.deviation(s.x);
    const ColumnRef size = is_complex(s.x->dtype) ? apply(Op::absolute, {d}) : d;
    squares = s.sum_of(apply(Op::multiply, {size, size}));
  }
  const ColumnRef v = apply(Op::divide, {squares, n});
  if (ddof == 0) return v;
  const ColumnRef fewer = apply(Op::subtract, {n, constant(Scalar::of(ddof))});
  return apply(Op::multiply, {v, apply(Op::divide, {n, fewer})});
}

/// Least squares of y = intercept + slope * x.
NodeRef fitted(const Sample& s) {
  auto times = [](const ColumnRef& a, const ColumnRef& b) { return apply(Op::multiply, {a, b}); };
  auto less = [](const ColumnRef& a, const ColumnRef& b) { return apply(Op::subtract, {a, b}); };
  auto by = [](const ColumnRef& a, const ColumnRef& b) { return apply(Op::divide, {a, b}); };
  const ColumnRef n = s.total(), x = s.sum_of(s.x), y = s.sum_of(s.y);
  const ColumnRef xx = s.sum_of(times(s.x, s.x)), xy = s.sum_of(times(s.x, s.y));
  const ColumnRef delta = less(times(n, xx), times(x, x));
  const ColumnRef intercept = by(less(times(xx, y), times(x, xy)), delta);
  const ColumnRef slope = by(less(times(n, xy), times(x, y)), delta);
  return record_node({"intercept", "slope", "intercept_error", "slope_error"},
                     {leaf(intercept), leaf(slope), leaf(apply(Op::sqrt, {by(xx, delta)})),
                      leaf(apply(Op::sqrt, {by(n, delta)}))},
                     {{"__record__", "\"LinearFit\""}});
}

/// exp(x - largest) over its sum, list by list or column by column: no exponential overflows.
Array softmax_of_lists(const Array& x, int axis, bool options) {
  return Array(map_items(stored_input(x, Walks::few), {"softmax", axis},
                         [options](const SpaceRef& space, const NodeRef& n) -> NodeRef {
                           const bool missing = n->kind == NodeKind::option;
                           const ColumnRef valid = missing ? n->column : ColumnRef();
                           const NodeRef& v = missing ? n->contents[0] : n;
                           const bool unknown = v->kind == NodeKind::unknown;
                           check<TypeError>(unknown || v->kind == NodeKind::leaf,
                                            "softmax: not defined for {}", type_text(*v));
                           const ColumnRef given = unknown ? constant(Scalar::of(0.0)) : v->column;
                           const ColumnRef c = wide(given);
                           const ColumnRef size = is_complex(c->dtype) ? apply(Op::real, {c}) : c;
                           const ColumnRef largest =
                               parent(space, reduce(Reducer::max, space, size, valid));
                           const ColumnRef e = apply(Op::exp, {apply(Op::subtract, {c, largest})});
                           const ColumnRef sum =
                               parent(space, reduce(Reducer::sum, space, e, valid));
                           const DType t = resolve(Op::exp, std::array{given->dtype}).result;
                           const NodeRef out = leaf(cast(apply(Op::divide, {e, sum}), t));
                           if (options && !missing)
                             return option_node(constant(Scalar::boolean(true)), out);
                           return missing ? option_node(valid, out) : out;
                         }));
}

}  // namespace

Array mean(const Array& x, ReduceOptions o, const Array* weight) {
  const graph::Operation operation;
  return statistic({.name = "mean", .times = true, .moments = true}, x, nullptr, weight, o,
                   [](const Sample& s) { return number(s, s.mean()); });
}

Array var(const Array& x, ReduceOptions o, double ddof, const Array* weight) {
  const graph::Operation operation;
  return statistic({.name = "var", .moments = true}, x, nullptr, weight, o,
                   [&](const Sample& s) { return leaf(variance(s, ddof)); });
}

Array std(const Array& x, ReduceOptions o, double ddof, const Array* weight) {
  const graph::Operation operation;
  return statistic({.name = "std", .moments = true}, x, nullptr, weight, o,
                   [&](const Sample& s) { return leaf(apply(Op::sqrt, {variance(s, ddof)})); });
}

Array moment(const Array& x, double n, ReduceOptions o, const Array* weight) {
  const graph::Operation operation;
  return statistic({.name = "moment", .narrow = true}, x, nullptr, weight, o, [&](const Sample& s) {
    const ColumnRef power = n == 1   ? s.x
                            : n == 2 ? apply(Op::multiply, {s.x, s.x})
                                     : apply(Op::power, {s.x, constant(Scalar::of(n), true)});
    return leaf(s.mean_of(power));
  });
}

Array covar(const Array& x, const Array& y, ReduceOptions o, const Array* weight) {
  const graph::Operation operation;
  return statistic({"covar"}, x, &y, weight, o, [](const Sample& s) {
    return leaf(s.mean_of(apply(Op::multiply, {s.deviation(s.x), s.deviation(s.y)})));
  });
}

Array corr(const Array& x, const Array& y, ReduceOptions o, const Array* weight) {
  const graph::Operation operation;
  return statistic({"corr"}, x, &y, weight, o, [](const Sample& s) {
    const ColumnRef dx = s.deviation(s.x), dy = s.deviation(s.y);
    auto sum = [&](const ColumnRef& a, const ColumnRef& b) {
      return s.sum_of(apply(Op::multiply, {a, b}));
    };
    const ColumnRef spread = apply(Op::multiply, {sum(dx, dx), sum(dy, dy)});
    return leaf(apply(Op::divide, {sum(dx, dy), apply(Op::sqrt, {spread})}));
  });
}

Array linear_fit(const Array& x, const Array& y, ReduceOptions o, const Array* weight) {
  const graph::Operation operation;
  ReduceOptions options = o;
  const bool single = purelist_depth(*input(x)) == 2;  // one list: one record
  if (!o.keepdims && (!o.axis || single)) options.mask_identity = false;
  const Array fit =
      statistic({.name = "linear_fit", .narrow = true}, x, &y, weight, options, fitted);
  if (fit.is_scalar()) return fit;
  // As in Awkward, the records are the outermost items.
  std::vector<std::pair<std::string, Array>> fields;
  for (const auto& name : fit.fields()) fields.emplace_back(name, fit[name]);
  return zip(fields, {.depth_limit = 1, .with_name = "LinearFit"});
}

Array softmax(const Array& x, Axis axis, std::optional<bool> mask_identity, bool keepdims) {
  const graph::Operation operation;
  const bool masked = mask_identity.value_or(false);
  if (axis && !has_union(*input(x))) {
    const Array out = softmax_of_lists(x, *axis, masked && keepdims);
    const bool lists = masked && !keepdims && lists_above(*input(x)) > 1;
    return lists ? mask(out, count(x, {.axis = axis}) > Array(0)) : out;
  }
  const Array v = x * Array(1.0);
  const ReduceOptions o{.axis = axis, .keepdims = true, .mask_identity = false};
  const Array e = exp(v - max(real(v), o));
  return e / sum(e, o);
}

Array quantile(const Array& x, double q, ReduceOptions o) {
  const graph::Operation operation;
  check<ValueError>(q >= 0 && q <= 1, "quantile: expected a part between 0 and 1, got {}", q);
  const FoldOptions options{
      .name = "quantile", .axis = o.axis, .keepdims = o.keepdims, .cells = false, .orders = true};
  return Array(fold_axis(
      input(x), options,
      [&](const FoldedLists& lists, const NodeRef& value, const ColumnRef& take_part) -> NodeRef {
        check<TypeError>(!is_time(value->column->dtype) && !is_complex(value->column->dtype),
                         "quantile: not defined for {}", type_text(*value));
        const SpaceRef &over = lists.items(), &results = lists.results();
        // As they are: what is chosen is converted, not all.
        const ColumnRef& items = value->column;
        const ColumnRef sorted =
            barrier_at(Barrier::sort, over, items, take_part, false, {.part = q});
        const ColumnRef n = lists.count(take_part);
        const ColumnRef some = apply(Op::greater, {n, constant(0)});
        const ColumnRef last = apply(Op::subtract, {n, constant(1)});
        const ColumnRef place =
            apply(Op::multiply, {cast(last, DType::float64), constant(Scalar::of(q))});
        const ColumnRef below = cast(place, DType::int64);
        const ColumnRef above = cast(apply(Op::ceil, {place}), DType::int64);
        auto item = [&](const ColumnRef& i) {
          return cast(pick(results, over, sorted, i, some), DType::float64);
        };
        // NumPy's interpolation: from the nearer neighbour, so that equal ones give themselves.
        const ColumnRef part = apply(Op::subtract, {place, cast(below, DType::float64)});
        const ColumnRef low = item(below), high = item(above);
        const ColumnRef step = apply(Op::subtract, {high, low});
        const ColumnRef from_high = apply(Op::subtract, {part, constant(Scalar::of(1.0))});
        const ColumnRef is_upper = apply(Op::greater_equal, {part, constant(Scalar::of(0.5))});
        const ColumnRef nearer = apply(Op::where, {is_upper, high, low});
        const ColumnRef way = apply(Op::where, {is_upper, from_high, part});
        const ColumnRef between = apply(Op::add, {nearer, apply(Op::multiply, {step, way})});
        const ColumnRef found = apply(Op::where, {apply(Op::equal, {low, high}), low, between});
        ColumnRef known = some;
        // NaN comes last.
        const bool has_nan =
            is_floating(items->dtype) && !(take_part && is_all_but_nan(*take_part, *items));
        if (has_nan) {
          const ColumnRef nan = apply(Op::isnan, {item(last)});
          known = apply(Op::logical_and, {some, apply(Op::logical_not, {nan})});
        }
        const NodeRef out =
            leaf(apply(Op::where, {known, found, constant(Scalar::of(std::nan("")))}));
        return o.mask_identity.value_or(false) ? option_node(some, out) : out;
      }));
}

Array ptp(const Array& x, ReduceOptions o) {
  const graph::Operation operation;
  const FoldOptions options{
      .name = "ptp", .axis = o.axis, .keepdims = o.keepdims, .reducer = Reducer::max};
  return Array(fold_axis(
      input(x), options,
      [&](const FoldedLists& lists, const NodeRef& value, const ColumnRef& take_part) -> NodeRef {
        const ColumnRef& c = value->column;
        ColumnRef d = apply(Op::subtract, {lists.reduce(Reducer::max, c, take_part),
                                           lists.reduce(Reducer::min, c, take_part)});
        if (lists.is_whole() && (is_floating(d->dtype) || is_complex(d->dtype))) {
          const ColumnRef nan = lists.reduce(Reducer::any, apply(Op::isnan, {c}), take_part);
          d = apply(Op::where, {nan, constant(Scalar::of(std::nan("")).as(d->dtype)), d});
        }
        const std::string unit = is_time(d->dtype) ? value->unit : "";
        const ColumnRef some = apply(Op::greater, {lists.count(take_part), constant(0)});
        if (o.mask_identity.value_or(true)) return option_node(some, leaf(d, unit));
        // 0 of nothing is an int64 in Awkward, and the result of a type that holds both.
        if (!is_time(d->dtype)) d = cast(d, promote(d->dtype, DType::int64));
        return leaf(apply(Op::where, {some, d, constant(Scalar::of(int64_t{0}, d->dtype))}), unit);
      }));
}

}  // namespace serrate
