// Which list an item is in, found by a whole warp.
#pragma once

#include <cstdint>

namespace serrate::cuda {

/// The last list that begins at or before item i >= 0; called by all lanes.
inline __device__ int64_t find_list(const int64_t* offsets, int64_t lists, int64_t i) {
  int64_t lo = 0, hi = lists;
  const int lane = threadIdx.x & 31;
  while (hi - lo > 1) {
    const int64_t step = (hi - lo + 31) / 32, at = lo + lane * step;
    const bool before = lane == 0 || (at < hi && offsets[at] <= i);
    lo += (__popc(__ballot_sync(~0u, before)) - 1) * step;
    hi = lo + step < hi ? lo + step : hi;
  }
  return lo;
}

/// The same of lists lo .. hi - 1, the first of which begins there; by one thread.
template <class Begin>
__device__ int64_t bisect_lists(int64_t lo, int64_t hi, int64_t i, Begin&& begin) {
  while (hi - lo > 1) {
    const int64_t middle = (lo + hi) / 2;
    (begin(middle) <= i ? lo : hi) = middle;
  }
  return lo;
}

}  // namespace serrate::cuda
