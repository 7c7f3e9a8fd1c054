// cumsum, cumprod, cummax, cummin, diff: along each list.
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/lists/list_items.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

Array scan(const std::string& name, Reducer r, const Array& x, Axis axis) {
  const graph::Operation operation;
  const ItemsOptions options{.name = name, .axis = axis, .scan = r};
  return Array(map_items(input(x), options, [&](const SpaceRef& space, const NodeRef& n) {
    if (n->kind == NodeKind::unknown) return n;
    const bool missing = n->kind == NodeKind::option;
    const NodeRef& v = missing ? n->contents[0] : n;
    if (v->kind == NodeKind::unknown) return n;
    check<TypeError>(v->kind == NodeKind::leaf, "{}: not defined for {}", name, type_text(*v));
    const DType t = v->column->dtype;
    check<TypeError>(
        !is_time(t) || (r == Reducer::sum ? t != DType::datetime64 : r != Reducer::prod),
        "{}: not defined for {}", name, type_text(*v));
    const NodeRef out =
        leaf(graph::scan(r, space, v->column, missing ? n->column : ColumnRef()), v->unit);
    return missing ? option_node(n->column, out) : out;
  }));
}

}  // namespace

Array cumsum(const Array& x, Axis axis) { return scan("cumsum", Reducer::sum, x, axis); }
Array cumprod(const Array& x, Axis axis) { return scan("cumprod", Reducer::prod, x, axis); }
Array cummin(const Array& x, Axis axis) { return scan("cummin", Reducer::min, x, axis); }
Array cummax(const Array& x, Axis axis) { return scan("cummax", Reducer::max, x, axis); }

}  // namespace serrate
