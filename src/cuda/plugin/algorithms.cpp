// The device's algorithms with temporary memory of the pool; sorts are in sort.cpp.
#include "cuda/plugin/gpu.h"
#include "cuda/plugin/primitives.h"
#include "serrate/error.h"

namespace serrate::cuda {

void Gpu::offsets(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen) {
  const Submission s(*this);
  if (n == 0) {
    require(cudaMemsetAsync(offsets, 0, sizeof(int64_t), s.stream()), "adding up");
    *seen = {};
    return;
  }
  if (n <= kFewLists) {
    Lane& me = lane();
    const std::lock_guard hold(me.scan_mutex);
    if (me.scan == nullptr) {
      me.scan = from_pool(kOffsetsState, s.stream());
      if (me.scan == nullptr) throw MemoryError("cuda: out of memory");
      require(cudaMemsetAsync(me.scan, 0, kOffsetsState, s.stream()), "adding up");
    }
    require(offsets_of_few(lengths, n, offsets, seen, me.scan, ++me.scans, s.stream()),
            "adding up");
    return;
  }
  const Temporary progress(*this, offsets_of_many_bytes(n));
  require(offsets_of_many(lengths, n, offsets, seen, progress.get(), s.stream()), "adding up");
}

bool Gpu::scan_lists(Reducer how, DType t, const void* in, const int64_t* offsets, int64_t lists,
                     int64_t n, void* out) {
  if (n == 0) return true;
  const Submission s(*this);
  const Temporary parts(*this, scan_lists_bytes(n));
  require(cuda::scan_lists(how, t, parts.get(), in, offsets, lists, n, out, s.stream()),
          "scanning");
  return true;
}

void Gpu::transpose(const MatricesToTranspose& m) {
  if (m.count * m.rows * m.columns == 0) return;
  const Submission s(*this);
  require(cuda::transpose(m, s.stream()), "transposing");
}

bool Gpu::put(const ItemsToPut& p) {
  if (p.count == 0) return true;
  const Submission s(*this);
  const Temporary last(*this, put_bytes(p)), wrong(*this, sizeof(int));
  require(cudaMemsetAsync(wrong.get(), 0, sizeof(int), s.stream()), "writing to places");
  require(cuda::put(p, last.get(), wrong.as<int>(), s.stream()), "writing to places");
  int found = 0;
  download(&found, wrong.get(), sizeof found);
  return found == 0;
}

}  // namespace serrate::cuda
