// Products of vectors and matrices, which are lists and lists of lists: NumPy's matmul, vecdot,
// matvec and vecmat for lists of any lengths that match.
#include <memory>

#include "core/where.h"
#include "graph/operation.h"
#include "graph/type_text.h"
#include "ops/elementwise/matmul_dense.h"
#include "ops/tree/broadcast.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "serrate/error.h"
#include "serrate/ufunc.h"

namespace serrate {
namespace {

using namespace graph;
using namespace ops;

class Product {
 public:
  Product(const char* name, bool conjugates) : name_(name), conjugates_(conjugates) {}

  /// Of the last `x_dims` and `y_dims` dimensions (1 or 2) of the arrays.
  Array operator()(const Array& x, const Array& y, int x_dims, int y_dims) {
    const Operation operation;
    const std::vector<NodeRef> both = inputs({x, y});
    return Array(descend(unit(), both[0], x_dims, both[1], y_dims));
  }

 private:
  int dimensions(const NodeRef& n) const {
    int all = 0;
    const Node* at = n.get();
    for (; is_list(*at) || at->kind == NodeKind::option; at = at->contents[0].get())
      all += is_list(*at);
    check<TypeError>(at->kind == NodeKind::leaf || at->kind == NodeKind::unknown,
                     "{}: expected arrays of numbers, got {}", name_, type_text(*n));
    return all;
  }

  /// The dimensions before; those that only one operand has come first.
  NodeRef descend(const SpaceRef& space, const NodeRef& x, int x_dims, const NodeRef& y,
                  int y_dims) {
    const int x_more = dimensions(x) - x_dims, y_more = dimensions(y) - y_dims;
    check<ValueError>(x_more >= 0 && y_more >= 0,
                      "{}: expected {} and {} dimensions, got {} and {}", name_, x_dims, y_dims,
                      x_more + x_dims, y_more + y_dims);
    if (x_more == 0 && y_more == 0) {
      const NodeRef* nodes[] = {&x, &y};
      for (const NodeRef* n : nodes)
        check<TypeError>((*n)->kind == NodeKind::list, "{}: not defined for missing values", name_);
      if (x_dims == 2) return rows_by(x, lift_to_items(y, space, x), y_dims);
      return y_dims == 2 ? vector_by_matrix(space, x, y) : dot(space, x, y);
    }
    if (x_more == y_more) {
      const int depth = space->depth + x_more;
      return broadcast_apply(
          space, {x, y}, {.where = name_, .right_broadcast = false},
          [&](const SpaceRef& s, const std::vector<NodeRef>& n) -> std::optional<NodeRef> {
            if (s->depth < depth || n[0]->kind == NodeKind::option ||
                n[1]->kind == NodeKind::option)
              return std::nullopt;
            return descend(s, n[0], x_dims, n[1], y_dims);
          });
    }
    const NodeRef& longer = x_more > y_more ? x : y;
    if (longer->kind == NodeKind::option) {
      const NodeRef& inside = longer->contents[0];
      return option_node(longer->column, x_more > y_more
                                             ? descend(space, inside, x_dims, y, y_dims)
                                             : descend(space, x, x_dims, inside, y_dims));
    }
    const SpaceRef& items = longer->space;
    const NodeRef other = rebase_lift(x_more > y_more ? y : x, space, items);
    const NodeRef& own = longer->contents[0];
    return list_node(items,
                     x_more > y_more ? descend(items, own, x_dims, other, y_dims)
                                     : descend(items, other, x_dims, own, y_dims),
                     longer->size);
  }

  static NodeRef lift_to_items(const NodeRef& n, const SpaceRef& space, const NodeRef& list) {
    return rebase_lift(n, space, list->space);
  }

  /// Each row of a matrix by the other operand, which is over the rows.
  NodeRef rows_by(const NodeRef& matrix, const NodeRef& other, int dims) {
    const SpaceRef& rows_of = matrix->space;
    const NodeRef& row = matrix->contents[0];
    check<TypeError>(row->kind == NodeKind::list, "{}: not defined for missing values", name_);
    return list_node(rows_of,
                     dims == 2 ? vector_by_matrix(rows_of, row, other) : dot(rows_of, row, other),
                     matrix->size);
  }

  const ColumnRef& numbers(const NodeRef& n) const {
    check<TypeError>(n->kind == NodeKind::leaf, "{}: expected numbers, got {}", name_,
                     type_text(*n));
    return n->column;
  }

  /// Sums of products over `items`; of booleans whether both are true somewhere.
  ColumnRef sum_of_products(const SpaceRef& items, ColumnRef x, const ColumnRef& y) const {
    if (conjugates_ && is_complex(x->dtype)) x = apply(Op::conjugate, {x});
    const ColumnRef product = apply(Op::multiply, {x, y});
    if (product->dtype == DType::boolean) return reduce(Reducer::any, items, product);
    return cast(reduce(Reducer::sum, items, product), product->dtype);
  }

  NodeRef dot(const SpaceRef&, const NodeRef& x, const NodeRef& y) const {
    const SpaceRef items = align({x->space, y->space}, current_where(name_));
    const bool shared = items == x->space;
    const ColumnRef a = numbers(x->contents[0]), b = numbers(y->contents[0]);
    return leaf(sum_of_products(items, shared ? a : at(items, 0, a),
                                shared && same(x->space, y->space) ? b : at(items, 1, b)));
  }

  ColumnRef checked(const ColumnRef& value, const ColumnRef& ok, const char* text) const {
    auto info = std::make_shared<CheckInfo>();
    info->text = text;
    info->where = current_where(name_);
    return check_column(value, ok, {}, std::move(info));
  }

  /// The length of all rows of a matrix.
  ColumnRef width_of(const SpaceRef& space, const SpaceRef& rows_of, const Node& row) const {
    const ColumnRef some = apply(Op::greater, {count(rows_of), constant(0)});
    const ColumnRef first = pick(space, rows_of, count(row.space), constant(0), some);
    const ColumnRef width = apply(Op::where, {some, first, constant(0)});
    const ColumnRef even =
        reduce(Reducer::all, rows_of, apply(Op::equal, {count(row.space), parent(rows_of, width)}));
    return checked(width, even, "the rows of the matrix at position {position} differ in length");
  }

  /// For each column of the matrix, the sum over its rows.
  NodeRef vector_by_matrix(const SpaceRef& space, const NodeRef& x, const NodeRef& matrix) const {
    const SpaceRef& rows_of = matrix->space;
    const NodeRef& row = matrix->contents[0];
    check<TypeError>(row->kind == NodeKind::list, "{}: not defined for missing values", name_);
    const bool is_regular = row->size >= 0;
    ColumnRef width = is_regular ? constant(row->size) : width_of(space, rows_of, *row);
    if (const ColumnRef items = count(x->space), all = count(rows_of); !same(items, all))
      width =
          checked(width, apply(Op::equal, {items, all}),
                  "the matrix at position {position} has another number of rows than the vector "
                  "has items");
    const SpaceRef columns = width->kind == ColumnKind::constant
                                 ? adjacent_lists(space, width->scalar.i)
                                 : list(space, constant(0), width);
    const NodeRef vector = rebase_lift(x, space, columns);
    const SpaceRef& items = vector->space;
    const NodeRef here = rebase_pick(row, items, rows_of, local(items));
    const ColumnRef value =
        pick(items, here->space, numbers(here->contents[0]), parent(items, local(columns)));
    return list_node(columns, leaf(sum_of_products(items, numbers(vector->contents[0]), value)),
                     row->size);
  }

  const char* name_;
  bool conjugates_;
};

int dimensions_of(const Array& x) {
  int all = 0;
  const Node* n = x.node().get();
  for (; is_list(*n) || n->kind == NodeKind::option; n = n->contents[0].get()) all += is_list(*n);
  return std::min(all, 2);
}

}  // namespace

Array matmul(const Array& x, const Array& y) {
  const Operation operation;
  const int x_dims = dimensions_of(x), y_dims = dimensions_of(y);
  check<ValueError>(x_dims > 0 && y_dims > 0, "matmul: expected arrays, got a number");
  for (const Array& operand : {x, y}) repeated_input(operand);
  if (const auto dense = dense_product(x, y, y_dims == 1)) return *dense;
  if (const auto dot = dense_dot(x, y, false)) return *dot;
  return Product("matmul", false)(x, y, x_dims, y_dims);
}
Array vecdot(const Array& x, const Array& y) {
  const Operation operation;
  if (const auto dot = dense_dot(x, y, true)) return *dot;
  return Product("vecdot", true)(x, y, 1, 1);
}
Array matvec(const Array& x, const Array& y) {
  const Operation operation;
  if (const auto dense = dense_product(x, y, true)) return *dense;
  return Product("matvec", false)(x, y, 2, 1);
}
Array vecmat(const Array& x, const Array& y) { return Product("vecmat", true)(x, y, 1, 2); }

}  // namespace serrate
