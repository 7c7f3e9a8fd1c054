// cumsum, cumprod, cummax, cummin, diff: along each list.
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/input.h"
#include "ops/levels.h"
#include "ops/list_items.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

Array scan(const std::string& name, Barrier b, const Array& x, Axis axis) {
  const graph::Operation operation;
  return Array(map_items(input(x), {name, axis}, [&](const SpaceRef& space, const NodeRef& n) {
    if (n->kind == NodeKind::unknown) return n;
    const bool missing = n->kind == NodeKind::option;
    const NodeRef& v = missing ? n->contents[0] : n;
    if (v->kind == NodeKind::unknown) return n;
    check<TypeError>(v->kind == NodeKind::leaf, "{}: not defined for {}", name, type_text(*v));
    const DType t = v->column->dtype;
    const bool adds = b == Barrier::sum_scan, multiplies = b == Barrier::prod_scan;
    check<TypeError>(!(adds && t == DType::datetime64) && !(multiplies && is_time(t)),
                     "{}: not defined for {}", name, type_text(*v));
    const NodeRef out =
        leaf(barrier(b, space, v->column, missing ? n->column : ColumnRef()), v->unit);
    return missing ? option_node(n->column, out) : out;
  }));
}

}  // namespace

Array cumsum(const Array& x, Axis axis) { return scan("cumsum", Barrier::sum_scan, x, axis); }
Array cumprod(const Array& x, Axis axis) { return scan("cumprod", Barrier::prod_scan, x, axis); }
Array cummin(const Array& x, Axis axis) { return scan("cummin", Barrier::min_scan, x, axis); }
Array cummax(const Array& x, Axis axis) { return scan("cummax", Barrier::max_scan, x, axis); }

}  // namespace serrate
