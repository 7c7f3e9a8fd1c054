// Sorts of which only some places are looked at: order statistics.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/ir.h"

namespace serrate::graph {

/// Which places of a sort or argsort are looked at, in each list. What a back end leaves at others
/// is anything: it may sort all the same.
struct Places {
  int64_t first = 0;                ///< so many from the beginning on; 0: all
  std::optional<double> part = {};  ///< those on both sides of part * (n - 1), for n items that
                                    ///< take part, and n - 1
  std::optional<int64_t> at = {};   ///< all, but only this one must be what it is in order, with
                                    ///< none behind it before it, as NumPy's partition has them
  /// As a barrier says it (Column::scalar).
  Scalar said() const;
  static Places of(const Column& barrier);
};

/// barrier() of which only those places are looked at.
ColumnRef barrier_at(Barrier b, const SpaceRef& space, ColumnRef key, ColumnRef take_part,
                     bool descending, const Places& places);
/// The same sort or argsort, of which only those places are looked at.
ColumnRef barrier_at(const Column& barrier, const Places& places);

}  // namespace serrate::graph
