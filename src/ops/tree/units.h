// Units of datetime64 and timedelta64 when two of them meet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graph/ir.h"

namespace serrate::ops {

/// "s", "15us"; "" is any unit. Months and years are no fixed number of days: only dates have days
/// in common with them.
struct TimeUnit {
  std::string text;
  bool is_date = true;
};

/// The finer of two units, as NumPy chooses: "s" and "ms" give "ms"; "" takes the other's.
/// TypeError where differences in months or years meet days or less.
TimeUnit common_unit(const TimeUnit& a, const TimeUnit& b);

/// Numbers that do not fit raise OverflowError, where `counts` holds (null: everywhere).
struct UnitOverflow {
  graph::ColumnRef counts;
};
/// The column in another unit (NaT stays NaT; to coarser ones, rounded down). Dates in months may
/// become days and back. Numbers that do not fit wrap around unless they are to be an error.
graph::ColumnRef convert_unit(const graph::ColumnRef& c, std::string_view from, std::string_view to,
                              const std::optional<UnitOverflow>& overflow = {});

}  // namespace serrate::ops
