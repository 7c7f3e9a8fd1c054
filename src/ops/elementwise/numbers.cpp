// isclose, nan_to_num, round: functions of NumPy that are several element-wise operations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/operation.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/categories.h"
#include "ops/tree/input.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

ColumnRef weak(double v) { return constant(Scalar::of(v), true); }

ColumnRef close(ColumnRef x, ColumnRef y, double rtol, double atol, bool equal_nan) {
  if (!is_time(y->dtype) && !is_floating(y->dtype) && !is_complex(y->dtype))
    y = apply(Op::multiply, {y, weak(1)});
  const ColumnRef difference = apply(Op::absolute, {apply(Op::subtract, {x, y})});
  const ColumnRef size = apply(Op::absolute, {y});
  const ColumnRef bound = apply(Op::add, {weak(atol), apply(Op::multiply, {weak(rtol), size})});
  ColumnRef c = apply(Op::logical_and,
                      {apply(Op::less_equal, {difference, bound}), apply(Op::isfinite, {y})});
  c = apply(Op::logical_or, {c, apply(Op::equal, {x, y})});
  if (!equal_nan) return c;
  const ColumnRef nan = apply(Op::logical_and, {apply(Op::isnan, {x}), apply(Op::isnan, {y})});
  return apply(Op::logical_or, {c, nan});
}

double largest(DType t) {
  if (t == DType::float16) return 65504;
  if (t == DType::float32 || t == DType::complex64) return std::numeric_limits<float>::max();
  return std::numeric_limits<double>::max();
}

ColumnRef i_times(const ColumnRef& c) {
  Scalar i;
  i.dtype = DType::complex128;
  i.im = 1;
  return apply(Op::multiply, {c, constant(i, true)});
}

/// f of the real and of the imaginary part.
template <class F>
ColumnRef by_parts(const ColumnRef& c, F&& f) {
  const ColumnRef re = f(apply(Op::real, {c})), im = f(apply(Op::imag, {c}));
  return cast(apply(Op::add, {re, i_times(im)}), c->dtype);
}

ColumnRef without_nan(const ColumnRef& c, const ColumnRef& nan, const ColumnRef& high,
                      const ColumnRef& low) {
  const DType t = c->dtype;
  if (is_complex(t))
    return by_parts(c, [&](const ColumnRef& p) { return without_nan(p, nan, high, low); });
  if (!is_floating(t)) return c;
  auto here = [&](const ColumnRef& v, double standard) {
    return v ? cast(v, t) : constant(Scalar::of(standard, t));
  };
  const ColumnRef infinite = apply(Op::isinf, {c});
  const ColumnRef positive = apply(Op::greater, {c, weak(0)});
  const ColumnRef limit =
      apply(Op::where, {positive, here(high, largest(t)), here(low, -largest(t))});
  return apply(Op::where,
               {apply(Op::isnan, {c}), here(nan, 0), apply(Op::where, {infinite, limit, c})});
}

ColumnRef rounded(const ColumnRef& c, int decimals) {
  if (is_complex(c->dtype))
    return by_parts(c, [&](const ColumnRef& p) { return rounded(p, decimals); });
  if (is_floating(c->dtype)) {
    if (decimals == 0) return apply(Op::rint, {c});
    const ColumnRef scale = weak(std::pow(10.0, std::abs(decimals)));
    const Op into = decimals > 0 ? Op::multiply : Op::divide;
    const Op back = decimals > 0 ? Op::divide : Op::multiply;
    return apply(back, {apply(Op::rint, {apply(into, {c, scale})}), scale});
  }
  if (c->dtype == DType::boolean) return cast(c, DType::float16);  // as NumPy's
  if (decimals >= 0 || is_time(c->dtype)) return c;
  const ColumnRef scale = weak(std::pow(10.0, -decimals));
  const ColumnRef whole = apply(Op::rint, {apply(Op::divide, {c, scale})});
  return cast(apply(Op::multiply, {whole, scale}), c->dtype);
}

}  // namespace

Array isclose(const Array& a, const Array& b, CloseOptions o) {
  const graph::Operation operation;
  BroadcastOptions options;
  options.where = "isclose";
  options.allow_records = true;
  return Array(broadcast_apply(
      unit(), {input(a), input(b)}, options,
      [&](const SpaceRef&, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
        check<ValueError>(!is_string(*n[0]) && !is_string(*n[1]),
                          "isclose: not defined for strings");
        if (n[0]->kind != NodeKind::leaf || n[1]->kind != NodeKind::leaf) return std::nullopt;
        return leaf(close(n[0]->column, n[1]->column, o.rtol, o.atol, o.equal_nan));
      }));
}

Array nan_to_num(const Array& x, const Array& nan, const Array* posinf, const Array* neginf) {
  const graph::Operation operation;
  std::vector<NodeRef> nodes{input(x), input(nan)};
  if (posinf) nodes.push_back(input(*posinf));
  if (neginf) nodes.push_back(input(*neginf));
  const auto replaced = [&](const SpaceRef&,
                            const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
    if (is_string(*n[0]) || n[0]->kind == NodeKind::unknown) return n[0];
    for (const auto& c : n) {
      if (c->kind != NodeKind::leaf) return std::nullopt;
    }
    const ColumnRef high = posinf ? n[2]->column : ColumnRef();
    const ColumnRef low = neginf ? n.back()->column : ColumnRef();
    return leaf(without_nan(n[0]->column, n[1]->column, high, low), n[0]->unit);
  };
  if (std::all_of(nodes.begin() + 1, nodes.end(),
                  [](const NodeRef& n) { return is_weak_scalar(*n); })) {
    return Array(map_categories(unit(), nodes[0], [&](const SpaceRef& space, const NodeRef& n) {
      std::vector<NodeRef> all = nodes;
      all[0] = n;
      return *replaced(space, all);
    }));
  }
  BroadcastOptions options;
  options.where = "nan_to_num";
  options.allow_records = true;
  return Array(broadcast_apply(unit(), nodes, options, replaced));
}

Array clip(const Array& x, const Array* lo, const Array* hi) {
  const graph::Operation operation;
  check<ValueError>(lo || hi, "clip: expected a lower bound, an upper one, or both");
  const Array raised = lo ? maximum(x, *lo) : x;
  return hi ? minimum(raised, *hi) : raised;
}

Array round(const Array& x, int decimals) {
  const graph::Operation operation;
  return Array(map_categories(unit(), input(x), [&](const SpaceRef&, const NodeRef& n) {
    if (n->kind != NodeKind::leaf) return n;
    return leaf(rounded(n->column, decimals), n->unit);
  }));
}

}  // namespace serrate
