// Matrices whose numbers lie side by side are handed to a library: see matmul_dense.h.
#include "ops/elementwise/matmul_dense.h"

#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "ops/tree/input.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// From so many products on a library is faster than a fused loop.
constexpr double kFewest = 1024;

/// The numbers of lists of lists, or of a list: null for anything else.
const Column* numbers_in(const Node& n, int dims) {
  const Node* at = &n;
  for (int k = 0; k < dims; k++) {
    if (at->kind != NodeKind::list || (k > 0 && at->size < 0)) return nullptr;
    at = at->contents[0].get();
  }
  return at->kind == NodeKind::leaf && at->unit.empty() ? at->column.get() : nullptr;
}

/// A stored matrix, or vector of one column, of numbers of a type.
struct Matrix {
  NodeRef keep;
  int64_t rows = 0, columns = 1;
  const void* data = nullptr;

  Matrix(const NodeRef& n, int dims, DType t) {
    const NodeRef& row = n->contents[0];
    const auto as_type = [&](const NodeRef& leaf_node) { return leaf(cast(leaf_node->column, t)); };
    keep = evaluate(list_node(
        n->space,
        dims == 1 ? as_type(row) : list_node(row->space, as_type(row->contents[0]), row->size),
        n->size));
    rows = stored_extent(keep->space).size;
    const Node& inside = dims == 1 ? *keep : *keep->contents[0];
    if (dims == 2) columns = inside.size;
    const ColumnRef& c = inside.contents[0]->column;
    if (c->kind != ColumnKind::load) return;
    data = static_cast<const std::byte*>(stored_data(c)) +
           stored_extent(inside.space).first * itemsize(t);
  }
};

bool is_inexact(DType t) { return is_complex(t) || t == DType::float32 || t == DType::float64; }

}  // namespace

std::optional<Array> dense_product(const Array& x, const Array& y) {
  const std::vector<NodeRef> both = inputs({x, y});
  const int dims = is_list(*both[1]->contents[0]) ? 2 : 1;
  const Column *a = numbers_in(*both[0], 2), *b = numbers_in(*both[1], dims);
  if (a == nullptr || b == nullptr) return {};
  const DType t = promote(a->dtype, b->dtype);
  if (!is_inexact(t) || is_time(a->dtype) || is_time(b->dtype)) return {};
  const int64_t width = dims == 2 ? both[1]->contents[0]->size : 1;
  const auto products = static_cast<double>(length_of(both[0]->space)) *
                        static_cast<double>(both[0]->contents[0]->size) *
                        static_cast<double>(width);
  if (products < kFewest) return {};
  const Matrix left(both[0], 2, t), right(both[1], dims, t);
  if (left.columns != right.rows || left.data == nullptr || right.data == nullptr) return {};
  const auto made = backend(surrounding_device())
                        .matrix_product({t, left.data, right.data, left.rows, left.columns, width});
  if (!made) return {};
  const SpaceRef rows_of = rows(left.rows);
  if (dims == 1)
    return Array(list_node(rows_of, leaf(stored_column(*made, t, rows_of)), both[0]->size));
  const SpaceRef columns = stored_fixed(rows_of, width);
  return Array(list_node(rows_of, list_node(columns, leaf(stored_column(*made, t, columns)), width),
                         both[0]->size));
}

}  // namespace serrate::ops
