// Bins of integers: a range of few integers has a table of theirs.
#pragma once

#include "graph/ir.h"
#include "serrate/histogram.h"

namespace serrate::ops {

/// What bin_of gives for an integer, looked up in a table of all integers in the axis' range and
/// one beyond either end; null where there are too many, where `value` is no integer, or the axis
/// is neither regular nor variable.
graph::ColumnRef looked_up_bin(const HistogramAxis& axis, const graph::SpaceRef& space,
                               const graph::ColumnRef& value, const graph::NodeRef& like);

}  // namespace serrate::ops
