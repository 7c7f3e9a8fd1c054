// Missing values: mask, is_none, nan_to_none, fill_none.
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/tree/axis.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/categories.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/merge.h"
#include "serrate/ops.h"

namespace serrate {

using namespace graph;
using namespace ops;

Array mask(const Array& x, const Array& keep, bool valid_when) {
  const graph::Operation operation;
  BroadcastOptions options;
  options.where = "mask";
  options.right_broadcast = false;
  options.allow_records = true;
  return Array(broadcast_apply(
      unit(), {input(x), input(keep)}, options,
      [&](const SpaceRef& space, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
        NodeRef m = n[1];
        if (m->kind == NodeKind::unknown && n[0]->kind == NodeKind::unknown)
          return option_node(constant(Scalar::boolean(true)), n[0]);
        ColumnRef known;
        if (m->kind == NodeKind::option) {
          known = m->column;
          m = m->contents[0];
        }
        if (m->kind != NodeKind::leaf) return std::nullopt;
        check<ValueError>(m->column->dtype == DType::boolean,
                          "mask: expected a mask of booleans, got {}", type_text(*m));
        ColumnRef valid = valid_when ? m->column : apply(Op::logical_not, {m->column});
        if (known) valid = apply(Op::logical_and, {known, valid});
        (void)space;
        return option_node(valid, n[0]);
      }));
}

Array is_none(const Array& x, int axis) {
  const graph::Operation operation;
  return Array(map_axis(input(x), "is_none", axis, [](const SpaceRef&, const NodeRef& n) {
    if (n->kind == NodeKind::option) return leaf(apply(Op::logical_not, {n->column}));
    return leaf(constant(Scalar::boolean(false)));
  }));
}

Array nan_to_none(const Array& x) {
  const graph::Operation operation;
  return Array(map_categories(unit(), input(x), [](const SpaceRef&, const NodeRef& n) {
    if (n->kind != NodeKind::leaf) return n;
    const DType t = n->column->dtype;
    if (!is_floating(t)) return n;
    return option_node(apply(Op::logical_not, {apply(Op::isnan, {n->column})}), n);
  }));
}

namespace {

NodeRef filled(const SpaceRef& space, const NodeRef& option, const NodeRef& value) {
  const Column& valid = *option->column;
  if (valid.kind == ColumnKind::constant && valid.scalar.i != 0) return option->contents[0];
  return choose(space, option->column, option->contents[0], lift_node(value, unit(), space));
}

NodeRef fill_all(const SpaceRef& space, const NodeRef& n, const NodeRef& value) {
  const NodeRef all = map_contents(
      space, n, [&](const SpaceRef& s, const NodeRef& c) { return fill_all(s, c, value); });
  return n->kind == NodeKind::option ? filled(space, all, value) : all;
}

}  // namespace

Array fill_none(const Array& x, const Array& value, Axis axis) {
  const graph::Operation operation;
  const std::vector<NodeRef> operands = inputs({value, x});
  const NodeRef &v = operands[0], &n = operands[1];
  if (!axis) return Array(fill_all(unit(), n, v));
  const NodeMap fill = [&](const SpaceRef& space, const NodeRef& m) {
    return m->kind == NodeKind::option ? filled(space, m, v) : m;
  };
  return Array(map_axis(n, "fill_none", *axis, fill));
}

}  // namespace serrate
