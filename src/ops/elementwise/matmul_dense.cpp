// Matrices whose numbers lie side by side are handed to a library: see matmul_dense.h.
#include "ops/elementwise/matmul_dense.h"

#include "core/host.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "ops/tree/input.h"

namespace serrate::ops {
namespace {

using namespace graph;

/// From so many products on a library is faster than a fused loop, which what is stored already
/// does not wait for.
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

NodeRef as_type(const Node& n, DType t) {
  return is_list(n) ? list_node(n.space, as_type(*n.contents[0], t), n.size)
                    : leaf(cast(n.column, t));
}

/// Stored matrices one behind the other, or vectors of one column, of numbers of a type.
struct Matrices {
  NodeRef keep;
  int64_t outermost = 0, rows = 0, columns = 1;
  const void* data = nullptr;

  Matrices(const NodeRef& n, int dims, bool is_many, DType t) : keep(evaluate(as_type(*n, t))) {
    outermost = stored_extent(keep->space).size;
    const Node* of_rows = is_many ? keep->contents[0].get() : keep.get();
    const Node* inside = dims == 1 ? of_rows : of_rows->contents[0].get();
    rows = is_many ? of_rows->size : outermost;
    if (dims == 2) columns = inside->size;
    const ColumnRef& c = inside->contents[0]->column;
    if (c->kind != ColumnKind::load) return;
    backend(surrounding_device()).settle(c->buffer);  // a library makes no checks
    data = static_cast<const std::byte*>(stored_data(c)) +
           stored_extent(inside->space).first * itemsize(t);
  }
};

/// Numbers of this type in the host's memory: a call of a GPU's library is no faster than a kernel.
bool is_ready(const Node& n, DType t) {
  const Node* at = &n;
  while (is_list(*at)) at = at->contents[0].get();
  return is_stored(n) && at->column->dtype == t && on_host(at->column->buffer);
}

bool is_inexact(DType t) { return is_complex(t) || t == DType::float32 || t == DType::float64; }

int levels_of(const Node& n) { return is_list(n) ? 1 + levels_of(*n.contents[0]) : 0; }

/// What both numbers become, if there are products of them here.
std::optional<DType> type_of_products(const Column* a, const Column* b) {
  if (a == nullptr || b == nullptr || is_time(a->dtype) || is_time(b->dtype)) return {};
  const DType t = promote(a->dtype, b->dtype);
  const bool is_exact = t == DType::boolean || is_integer(t);
  const bool are_multiplied =
      is_inexact(t) ||
      (is_exact && backend(surrounding_device()).capabilities().multiplies_exactly);
  return are_multiplied ? std::optional(t) : std::nullopt;
}

/// Pairs of matrices, or of a matrix and a vector (dims == 1), in one list each.
std::optional<Array> products_of_pairs(const NodeRef& x, const NodeRef& y, int dims) {
  const auto t = type_of_products(numbers_in(*x, 3), numbers_in(*y, dims + 1));
  if (!t || length_of(x->space) != length_of(y->space)) return {};
  const int64_t rows_each = x->contents[0]->size, inner = y->contents[0]->size;
  const int64_t width = dims == 2 ? y->contents[0]->contents[0]->size : 1;
  if (x->contents[0]->contents[0]->size != inner) return {};
  const Matrices left(x, 2, true, *t), right(y, dims, true, *t);
  if (left.data == nullptr || right.data == nullptr) return {};
  const auto made =
      backend(surrounding_device())
          .matrix_product({*t, left.data, right.data, rows_each, inner, width, left.outermost});
  if (!made) return {};
  const SpaceRef pairs = rows(left.outermost), rows_of = stored_fixed(pairs, rows_each);
  const SpaceRef columns = dims == 2 ? stored_fixed(rows_of, width) : rows_of;
  NodeRef out = leaf(stored_column(*made, *t, columns));
  if (dims == 2) out = list_node(columns, out, width);
  return Array(list_node(pairs, list_node(rows_of, out, rows_each), x->size));
}

}  // namespace

std::optional<Array> dense_product(const Array& x, const Array& y, bool is_vector) {
  const std::vector<NodeRef> both = inputs({x, y});
  if (levels_of(*both[0]) == 3) {
    const bool are_pairs = levels_of(*both[1]) == (is_vector ? 2 : 3);
    return are_pairs ? products_of_pairs(both[0], both[1], is_vector ? 1 : 2) : std::nullopt;
  }
  const int dims = is_list(*both[1]->contents[0]) ? 2 : 1;
  if (is_vector && dims == 2) return {};
  const auto numbers = type_of_products(numbers_in(*both[0], 2), numbers_in(*both[1], dims));
  if (!numbers) return {};
  const DType t = *numbers;
  const int64_t width = dims == 2 ? both[1]->contents[0]->size : 1;
  const auto products = static_cast<double>(length_of(both[0]->space)) *
                        static_cast<double>(both[0]->contents[0]->size) *
                        static_cast<double>(width);
  const bool are_ready = is_ready(*both[0], t) && is_ready(*both[1], t) && products > 0;
  if (products < kFewest && !are_ready) return {};
  const Matrices left(both[0], 2, false, t), right(both[1], dims, false, t);
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

std::optional<Array> dense_dot(const Array& x, const Array& y, bool conjugates) {
  const std::vector<NodeRef> both = inputs({x, y});
  const NodeRef &a = both[0], &b = both[1];
  const Column *const x_numbers = numbers_in(*a, 1), *const y_numbers = numbers_in(*b, 1);
  auto t = type_of_products(x_numbers, y_numbers);
  if (t && !is_inexact(*t)) t = {};
  // Of booleans it is known at the first pair that is true.
  const auto is_boolean = [](const Column* c) { return c && c->dtype == DType::boolean; };
  if (is_boolean(x_numbers) && is_boolean(y_numbers)) t = DType::boolean;
  if (!t || !is_ready(*a, *t) || !is_ready(*b, *t)) return {};
  const Matrices left(a, 1, false, *t), right(b, 1, false, *t);
  if (left.rows != right.rows || static_cast<double>(left.rows) < kFewest) return {};
  if (left.data == nullptr || right.data == nullptr) return {};
  const auto made =
      backend(surrounding_device())
          .matrix_product({*t, left.data, right.data, 1, left.rows, 1, 1, conjugates});
  return made ? std::optional(Array(leaf(stored_column(*made, *t, unit())))) : std::nullopt;
}

}  // namespace serrate::ops
