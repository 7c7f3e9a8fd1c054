// The device's algorithms: primitives.cu with temporary memory of the pool.
#include <bit>

#include "cuda/plugin/gpu.h"
#include "cuda/plugin/primitives.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

// f(temporary, bytes) as CUB wants it: asked first, then run.
template <class F>
void run(Gpu& g, const char* what, F&& f) {
  size_t bytes = 0;
  require(f(nullptr, bytes), what);
  // Null would ask again.
  const Temporary t(g, static_cast<int64_t>(bytes) + 1);
  require(f(t.get(), bytes), what);
}

template <class Key>
void sort_by(Gpu& g, const Key* keys, const int64_t* values, int64_t n, int bits, int64_t* order,
             cudaStream_t s) {
  const Temporary sorted(g, n * int64_t{sizeof(Key)});
  run(g, "sorting", [&](void* t, size_t& bytes) {
    return sort_pairs<Key>(t, bytes, keys, sorted.as<Key>(), values, order, n, bits, s);
  });
}

}  // namespace

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
  run(*this, "adding up", [&](void* t, size_t& bytes) {
    return offsets_of(t, bytes, lengths, n, offsets, seen, s.stream());
  });
}

void Gpu::argsort(DType t, const void* keys, int64_t n, bool descending, int64_t* order) {
  if (n == 0) return;
  const Submission s(*this);
  const bool narrow = itemsize(t) <= 4;
  const Temporary ordered(*this, n * (narrow ? 4 : 8)), positions(*this, n * 8);
  require(ordered_keys(t, keys, ordered.get(), positions.as<int64_t>(), n, descending, s.stream()),
          "sorting");
  if (narrow)
    sort_by(*this, ordered.as<const uint32_t>(), positions.as<const int64_t>(), n, 8 * itemsize(t),
            order, s.stream());
  else
    sort_by(*this, ordered.as<const uint64_t>(), positions.as<const int64_t>(), n, 64, order,
            s.stream());
}

// All items, then, stably, their lists: two sorts, whatever the lengths of the lists are.
void Gpu::argsort_lists(DType t, const void* keys, const int64_t* offsets, int64_t lists, int64_t n,
                        bool descending, int64_t* order) {
  if (n == 0) return;
  const Submission s(*this);
  const Temporary all(*this, n * 8), owners(*this, n * 8);
  argsort(t, keys, n, descending, all.as<int64_t>());
  require(lists_of(all.as<const int64_t>(), offsets, lists, n, owners.as<uint64_t>(), s.stream()),
          "sorting");
  const int bits = std::bit_width(static_cast<uint64_t>(lists));
  sort_by(*this, owners.as<const uint64_t>(), all.as<const int64_t>(), n, bits, order, s.stream());
}

bool Gpu::scan_lists(ListScan how, DType t, const void* in, const int64_t* offsets, int64_t lists,
                     int64_t n, void* out) {
  if (n == 0) return true;
  const Submission s(*this);
  const Temporary parts(*this, scan_lists_bytes(n));
  require(cuda::scan_lists(how, t, parts.get(), in, offsets, lists, n, out, s.stream()),
          "scanning");
  return true;
}

}  // namespace serrate::cuda
