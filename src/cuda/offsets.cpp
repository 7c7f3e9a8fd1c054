// Offsets of lists from their lengths: see offsets.h.
#include "cuda/offsets.h"

namespace serrate::cuda {

Offsets offsets_of(const Buffer& counts, int64_t n) {
  Offsets o;
  void* p = nullptr;
  o.buffer = allocate(8 * (n + 1), &p);
  auto* offsets = static_cast<int64_t*>(p);
  gpu().scan(counts.as<int64_t>(), n, offsets);
  gpu().download(&o.total, offsets + n, 8);
  return o;
}

}  // namespace serrate::cuda
