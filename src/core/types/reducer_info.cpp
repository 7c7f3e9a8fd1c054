// Identities of reducers.
#include "core/types/reducer_info.h"

#include <limits>

namespace serrate {

Scalar identity(Reducer r, DType state) {
  const ReducerInfo& row = info(r);
  if (!row.is_extreme())
    return Scalar::of(int64_t{row.identity == ReducerInfo::Identity::one}).as(state);
  const bool highest = row.is_least();
  Scalar s;
  s.dtype = state;
  if (is_floating(state) || is_complex(state)) {
    const double inf = std::numeric_limits<double>::infinity();
    s.f = highest ? inf : -inf;
    s.im = is_complex(state) ? s.f : 0;
  } else if (state == DType::boolean) {
    s.i = highest;
  } else if (is_unsigned_integer(state)) {
    s.u = highest ? std::numeric_limits<uint64_t>::max() >> (64 - 8 * itemsize(state)) : 0;
  } else {
    const int64_t high = std::numeric_limits<int64_t>::max() >> (64 - 8 * itemsize(state));
    s.i = highest ? high : -high - (is_time(state) ? 0 : 1);
  }
  return s;
}

}  // namespace serrate
