// Histograms of the items of arrays: the cell of an item is an expression of its bins.
#include "serrate/histogram.h"

#include <algorithm>

#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/reduce/histogram_axis.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

/// Values, or tuples of them, of a whole tree: the space of the innermost lists, and who is there.
struct Fill {
  SpaceRef over = unit();
  NodeRef items;
  ColumnRef valid;
};

Fill innermost(const NodeRef& root) {
  Fill f{unit(), root, {}};
  for (;;) {
    const NodeRef n = f.items;
    if (is_list(*n)) {
      if (f.valid) {  // nothing is looked at in missing lists
        const SpaceRef present = select(f.over, f.valid);
        f.items = rebase_at(n, f.over, present);
        f.valid = {};
        f.over = f.items->space;
        f.items = f.items->contents[0];
        continue;
      }
      f.over = n->space;
      f.items = n->contents[0];
    } else if (n->kind == NodeKind::option) {
      f.valid = both(f.valid, n->column);
      f.items = n->contents[0];
    } else {
      return f;
    }
  }
}

/// What is filled in from n arrays together; of nothing yet numbers.
std::vector<NodeRef> values_of(const Fill& f, size_t n) {
  const bool is_nothing = f.items->kind == NodeKind::unknown;
  std::vector<NodeRef> values(n, f.items);
  if (n > 1 && !is_nothing) values = f.items->contents;
  for (auto& v : values) {
    if (v->kind == NodeKind::unknown) v = leaf(constant(Scalar::of(0.0)));
  }
  return values;
}

bool is_value(const Node& n) { return n.kind == NodeKind::leaf || is_string(n); }

NodeRef together(const std::vector<NodeRef>& operands) {
  BroadcastOptions options;
  options.where = "histogram";
  return broadcast_apply(
      unit(), operands, options,
      [](const SpaceRef&, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
        for (const auto& c : n) {
          if (!is_value(*c)) return std::nullopt;
        }
        return tuple_node(n);
      });
}

/// The column over rows(cells) as n regular dimensions.
NodeRef shaped(const ColumnRef& cells, const std::vector<int64_t>& sizes) {
  if (sizes.size() == 1) return list_node(cells->space, leaf(cells));
  std::vector<SpaceRef> dims{rows(sizes[0])};
  for (size_t i = 1; i < sizes.size(); i++) {
    const ColumnRef start = apply(Op::multiply, {position(dims.back()), constant(sizes[i])});
    dims.push_back(fixed(dims.back(), start, sizes[i], true));
  }
  NodeRef n = leaf(pick(dims.back(), cells->space, cells, position(dims.back())));
  for (size_t i = dims.size(); i-- > 0;) n = list_node(dims[i], n, i > 0 ? sizes[i] : -1);
  return n;
}

/// Cell of an item: bins of all axes, the last one varies fastest; -1 where one has no bin.
ColumnRef cell_of(const std::vector<HistogramAxis>& axes, const Fill& f,
                  const std::vector<NodeRef>& values, int64_t cells, const NodeRef& like) {
  const DType t = cells < (int64_t{1} << 31) ? DType::int32 : DType::int64;
  ColumnRef cell, inside = f.valid;
  for (size_t i = 0; i < axes.size(); i++) {
    const ColumnRef bin = cast(bin_of(axes[i], f.over, values[i], like), t);
    const bool everywhere = axes[i].underflow && axes[i].overflow;
    if (!everywhere && axes.size() > 1)
      inside = both(inside, apply(Op::greater_equal, {bin, constant(Scalar::of(int64_t{0}, t))}));
    if (!cell) {
      cell = bin;
      continue;
    }
    const ColumnRef extent = constant(Scalar::of(axes[i].extent(), t));
    cell = apply(Op::add, {apply(Op::multiply, {cell, extent}), bin});
  }
  return inside ? apply(Op::where, {inside, cell, constant(Scalar::of(int64_t{-1}, t))}) : cell;
}

}  // namespace

Array histogram(const std::vector<Array>& values, const std::vector<HistogramAxis>& axes,
                HistogramOptions o) {
  const graph::Operation operation;
  check<ValueError>(!axes.empty() && values.size() == axes.size(),
                    "histogram: expected one array for each of {} axes, got {}", axes.size(),
                    values.size());
  std::vector<int64_t> sizes;
  int64_t cells = 1;
  for (const auto& a : axes) {
    check_axis(a);
    sizes.push_back(a.extent());
    check<ValueError>(cells <= (int64_t{1} << 40) / a.extent(), "histogram: too many bins");
    cells *= a.extent();
  }
  std::vector<Array> operands = values;
  if (o.weight) operands.push_back(*o.weight);
  const std::vector<NodeRef> nodes = inputs(operands);
  for (size_t i = 0; i < values.size(); i++)
    check<TypeError>(is_list(*nodes[i]) || values.size() > 1,
                     "histogram: expected an array, got {}", type_text(*nodes[i]));
  const NodeRef root = nodes.size() > 1 ? together(nodes) : nodes[0];
  const Fill f = innermost(root);
  const std::vector<NodeRef> items = values_of(f, nodes.size());
  const ColumnRef cell = cell_of(axes, f, items, cells, root);
  ColumnRef weight;
  if (o.weight) {
    check<TypeError>(items.back()->kind == NodeKind::leaf, "histogram: weights must be numbers");
    weight = items.back()->column;
    check<TypeError>(!is_complex(weight->dtype) && !is_time(weight->dtype),
                     "histogram: weights must be real numbers");
    if (weight->dtype == DType::boolean) weight = cast(weight, DType::int64);
    if (is_floating(weight->dtype)) weight = cast(weight, DType::float64);
    if (o.squares) weight = apply(Op::multiply, {weight, weight});
  }
  return Array(shaped(graph::histogram(f.over, cell, weight, cells), sizes));
}

Array bincount(const Array& x, const Array* weights, int64_t minlength) {
  const graph::Operation operation;
  check<ValueError>(minlength >= 0, "bincount: minlength must not be negative, got {}", minlength);
  const Fill own = innermost(stored_input(x, Walks::many));
  const bool is_nothing = own.items->kind == NodeKind::unknown;
  const bool is_leaf = own.items->kind == NodeKind::leaf;
  const DType t = is_leaf ? own.items->column->dtype : DType::float64;
  const bool is_whole = t != DType::uint64 && (is_integer(t) || t == DType::boolean);
  check<TypeError>(own.over->kind != SpaceKind::unit && (is_nothing || is_whole),
                   "bincount: expected integers that int64 holds, got {}", type_text(*input(x)));
  const Array integers = values_astype(x, DType::int64);
  ReduceOptions o{.mask_identity = false, .initial = Scalar::of(int64_t{-1})};
  const Array largest = max(integers, o);
  o.initial = Scalar::of(int64_t{0});
  const std::vector<Array> ends{largest, min(integers, o)};
  compute(ends);
  const int64_t most = ends[0].item<int64_t>(), least = ends[1].item<int64_t>();
  check<ValueError>(least >= 0, "bincount: there is a negative integer, {}", least);
  check<ValueError>(most < int64_t{1} << 40, "bincount: {} is too large", most);
  std::vector<Array> operands{integers};
  if (weights) operands.push_back(values_astype(*weights, DType::float64));
  const std::vector<NodeRef> nodes = inputs(operands);
  const Fill f = innermost(weights ? together(nodes) : nodes[0]);
  const std::vector<NodeRef> items = values_of(f, nodes.size());
  ColumnRef cell = cast(items[0]->column, DType::int64), weight;
  if (weights) {
    check<TypeError>(items[1]->kind == NodeKind::leaf, "bincount: weights must be numbers");
    weight = items[1]->column;
  }
  if (f.valid) cell = apply(Op::where, {f.valid, cell, constant(-1)});
  const int64_t cells = std::max(most + 1, minlength);
  const ColumnRef sums = graph::histogram(f.over, cell, weight, std::max<int64_t>(cells, 1));
  const Array all(list_node(sums->space, leaf(sums)));
  return cells > 0 ? all : getitem(all, {Slice{0, 0}});  // of no items there is no cell
}

Array histogram(const Array& x, int64_t bins, double lo, double hi, const Array* weight,
                bool flow) {
  const graph::Operation operation;
  check<TypeError>(is_list(*input(x)), "histogram: expected an array, got {}",
                   type_text(*input(x)));
  HistogramAxis axis = HistogramAxis::regular(bins, lo, hi);
  axis.half_open = true;
  axis.underflow = axis.overflow = flow;
  const std::optional<Array> w =
      weight ? std::optional(values_astype(*weight, DType::float64)) : std::nullopt;
  return histogram({x}, {axis}, {.weight = w ? &*w : nullptr});
}

}  // namespace serrate
