// Histograms of all the numbers of an array, weighted or not.
#include "graph/type_text.h"
#include "ops/broadcast.h"
#include "ops/input.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Numbers, or (number, weight) pairs, of a whole tree: the space of the innermost lists, with
/// missing items left out at every level.
struct Fill {
  SpaceRef over = unit();
  NodeRef items;
};

Fill innermost(const NodeRef& root) {
  Fill f{unit(), root};
  for (;;) {
    const NodeRef n = f.items;
    if (n->kind == NodeKind::list) {
      check<TypeError>(!is_string(*n), "histogram: expected numbers, got strings");
      f.over = n->space;
      f.items = n->contents[0];
    } else if (n->kind == NodeKind::option) {
      const SpaceRef present = select(f.over, n->column);
      f.items = rebase_at(n->contents[0], f.over, present);
      f.over = present;
    } else {
      return f;
    }
  }
}

}  // namespace

Array histogram(const Array& x, int64_t bins, double lo, double hi, const Array* weight,
                bool flow) {
  check<ValueError>(bins > 0, "histogram: expected at least one bin, got {}", bins);
  check<ValueError>(lo < hi, "histogram: expected lo < hi, got [{}, {})", lo, hi);
  NodeRef root = input(x);
  check<TypeError>(is_list(*root), "histogram: expected an array, got {}", type_text(*root));
  if (weight) {
    BroadcastOptions both;
    both.where = "histogram";
    root = broadcast_apply(
        unit(), {root, input(*weight)}, both,
        [](const SpaceRef&, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
          if (n[0]->kind != NodeKind::leaf || n[1]->kind != NodeKind::leaf) return std::nullopt;
          return tuple_node(n);
        });
  }
  const Fill f = innermost(root);
  const bool pair = weight && f.items->kind == NodeKind::record;
  ColumnRef value, w;
  if (f.items->kind == NodeKind::unknown) {
    value = constant(Scalar::of(0.0));
  } else {
    const Node& number = pair ? *f.items->contents[0] : *f.items;
    check<TypeError>(number.kind == NodeKind::leaf && !is_complex(number.column->dtype) &&
                         !is_time(number.column->dtype),
                     "histogram: expected numbers, got {}", type_text(number));
    value = cast(number.column, DType::float64);
    if (pair) w = cast(f.items->contents[1]->column, DType::float64);
  }
  const ColumnRef counts = graph::histogram(f.over, value, w, {bins, lo, hi, flow});
  return Array(list_node(counts->space, leaf(counts)));
}

}  // namespace serrate
