// Quotient and remainder together.
#include <utility>

#include "graph/ir.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;

/// Of integers or booleans alone, in lists, missing or not.
bool is_of_integers(const Node& n) {
  if (n.kind == NodeKind::leaf)
    return is_integer(n.column->dtype) || n.column->dtype == DType::boolean;
  return (n.kind == NodeKind::list || n.kind == NodeKind::option) && is_of_integers(*n.contents[0]);
}

/// A number that is not 0.
bool is_known_divisor(const Node& n) {
  return n.kind == NodeKind::leaf && n.column->kind == ColumnKind::constant &&
         n.column->scalar.i != 0;
}

}  // namespace

std::pair<Array, Array> divmod(const Array& x, const Array& y) {
  const Array quotient = floor_divide(x, y);
  const NodeRef divisor = y.node();
  const bool is_exact =
      is_of_integers(*x.node()) && is_of_integers(*divisor) && is_of_integers(*quotient.node());
  if (!is_exact) return {quotient, remainder(x, y)};
  const Array rest = x - quotient * y;
  // Both are 0 where a number is divided by 0.
  if (is_known_divisor(*divisor)) return {quotient, rest};
  return {quotient, rest * not_equal(y, 0)};
}

}  // namespace serrate
