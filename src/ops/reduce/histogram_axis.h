// The bin of a value on an axis, as an expression.
#pragma once

#include "graph/ir.h"
#include "serrate/histogram.h"

namespace serrate::ops {

/// Checks the numbers of an axis. ValueError.
void check_axis(const HistogramAxis& axis);

/// Bin number (int32) of `value`, a leaf or a string over `space`: 0 .. extent - 1, or -1 outside
/// of all bins. `like` says on which device tables must be. TypeError.
graph::ColumnRef bin_of(const HistogramAxis& axis, const graph::SpaceRef& space,
                        const graph::NodeRef& value, const graph::NodeRef& like);

}  // namespace serrate::ops
