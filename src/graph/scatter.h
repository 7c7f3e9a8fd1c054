// Reducing items cell by cell: histograms that keep the smallest or largest value.
#pragma once

#include "graph/ir.h"

namespace serrate::graph {

/// The sum, minimum or maximum of the values of the items of `over` in each of n cells: a column
/// over rows(n), see ColumnKind::histogram. Extremes of int64 or float64 only, NaN passed over; of
/// nothing they are the largest or smallest number there is.
ColumnRef scatter(Reducer r, const SpaceRef& over, ColumnRef cell, ColumnRef value, int64_t n);

}  // namespace serrate::graph
