// Lists that are in order already, or the other way round.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate::cpu {

/// Whether n items, all of which take part, are in order as sorts have it, or strictly so from the
/// last to the first: then `out` gets the items or `order` their indexes (the other is null). Ends
/// where it is known not to be so.
bool sort_one_run(DType t, const void* keys, int64_t n, bool descending, void* out, int64_t* order);

}  // namespace serrate::cpu
