// Comparing strings: lengths first, then all bytes of those of equal length.
#include "ops/tree/strings.h"

namespace serrate::ops {

using namespace graph;

ColumnRef strings_equal(const SpaceRef& space, const Node& a, const Node& b) {
  const NodeRef &x = a.contents[0], &y = b.contents[0];
  if (same(a.space, b.space))
    return reduce(Reducer::all, a.space, apply(Op::equal, {x->column, y->column}));
  const ColumnRef n = count(a.space);
  const ColumnRef equal_length = apply(Op::equal, {n, count(b.space)});
  // Strings of different length have no bytes to compare, so nothing is out of range.
  const SpaceRef bytes = list(space, constant(0), apply(Op::where, {equal_length, n, constant(0)}));
  const ColumnRef i = local(bytes);
  const ColumnRef equal_bytes =
      apply(Op::equal, {pick(bytes, a.space, x->column, i), pick(bytes, b.space, y->column, i)});
  return apply(Op::logical_and, {equal_length, reduce(Reducer::all, bytes, equal_bytes)});
}

}  // namespace serrate::ops
