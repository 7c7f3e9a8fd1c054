// Units of datetime64 and timedelta64 when two of them meet.
#pragma once

#include <string>
#include <string_view>

#include "graph/ir.h"

namespace serrate::ops {

/// The finer of two units, as NumPy chooses: "s" and "ms" give "ms"; "" takes the other's.
/// TypeError where months or years meet days or less.
std::string common_unit(std::string_view a, std::string_view b);

/// The column in another unit (NaT stays NaT; to coarser ones, rounded down).
graph::ColumnRef convert_unit(const graph::ColumnRef& c, std::string_view from,
                              std::string_view to);

}  // namespace serrate::ops
