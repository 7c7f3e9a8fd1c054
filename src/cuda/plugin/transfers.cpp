// Bytes between host and GPU, through pinned memory: pageable memory would be copied by the driver,
// slower, and a source in pinned memory could not be changed on return.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>

#include "cuda/plugin/gpu.h"
#include "cuda/plugin/show_bytes.h"

namespace serrate::cuda {
namespace {
constexpr int64_t kSmallChunk = 64 << 10, kLargeChunk = 4 << 20;
constexpr int64_t kMostChunks = 32;
/// Up to so many bytes a kernel's writes are seen sooner than those of a copy.
constexpr int64_t kMostShown = 8 << 10;
/// Looks at memory, about as long as it takes to sleep and be woken.
constexpr int kMostLooks = 50'000;

/// Waits for bytes of a stream's GPU to be in pinned memory; `done` is a word of that, too.
void show(void* pinned, uint64_t& done, const void* from, int64_t bytes, cudaStream_t s) {
  const std::atomic_ref there(done);
  there.store(0, std::memory_order_relaxed);
  require(show_bytes(from, bytes, pinned, &done, s), "copying from the GPU");
  for (int looks = 0; looks < kMostLooks; looks++) {
    if (there.load(std::memory_order_acquire) != 0) return;
  }
  require(cudaStreamSynchronize(s), "copying from the GPU");
}
}  // namespace

// One whose copy is over, so that nobody waits for kernels; a new one up to a bound.
Chunk Gpu::acquire_chunk(int64_t bytes) {
  const int64_t size = bytes <= kSmallChunk ? kSmallChunk : kLargeChunk;
  {
    const std::lock_guard hold(chunks_mutex_);
    auto take = [&](auto&& fits) {
      Chunk found;
      const auto c = std::find_if(chunks_.begin(), chunks_.end(),
                                  [&](const Chunk& k) { return k.bytes == size && fits(k); });
      if (c == chunks_.end()) return found;
      found = *c;
      chunks_.erase(c);
      return found;
    };
    Chunk found = take([](const Chunk& k) { return cudaEventQuery(k.event) == cudaSuccess; });
    if (found.memory != nullptr) return found;
    if (std::ssize(chunks_) >= kMostChunks) found = take([](const Chunk&) { return true; });
    if (found.memory != nullptr) return found;
  }
  Chunk fresh;
  fresh.memory = allocate_pinned(size);
  fresh.bytes = size;
  require(cudaEventCreateWithFlags(&fresh.event, cudaEventDisableTiming), "making an event");
  return fresh;
}

void Gpu::return_chunk(Chunk c) {
  const std::lock_guard hold(chunks_mutex_);
  chunks_.push_back(c);
}

void Gpu::upload(void* to, const void* from, int64_t bytes) {
  const Submission s(*this);
  // Two chunks in turn: one is filled while the other is on its way.
  Chunk chunks[2];
  for (int64_t at = 0, turn = 0; at < bytes; turn++) {
    Chunk& c = chunks[turn % 2];
    if (c.memory == nullptr) c = acquire_chunk(bytes - at);
    const int64_t n = std::min(bytes - at, c.bytes);
    require(cudaEventSynchronize(c.event), "copying to the GPU");
    std::memcpy(c.memory, static_cast<const std::byte*>(from) + at, static_cast<size_t>(n));
    require(cudaMemcpyAsync(static_cast<std::byte*>(to) + at, c.memory, static_cast<size_t>(n),
                            cudaMemcpyHostToDevice, s.stream()),
            "copying to the GPU");
    require(cudaEventRecord(c.event, s.stream()), "copying to the GPU");
    at += n;
  }
  for (const Chunk& c : chunks) {
    if (c.memory != nullptr) return_chunk(c);
  }
}

void Gpu::download(void* to, const void* from, int64_t bytes) {
  const Submission s(*this);
  if (bytes > 0 && bytes <= kMostShown) {
    const Chunk c = acquire_chunk(bytes);
    show(c.memory, static_cast<uint64_t*>(c.memory)[kMostShown / 8], from, bytes, s.stream());
    std::memcpy(to, c.memory, static_cast<size_t>(bytes));
    return return_chunk(c);
  }
  Chunk chunks[2];
  auto start = [&](int64_t at, int64_t turn) {
    Chunk& c = chunks[turn % 2];
    if (c.memory == nullptr) c = acquire_chunk(bytes - at);
    const int64_t n = std::min(bytes - at, c.bytes);
    require(cudaMemcpyAsync(c.memory, static_cast<const std::byte*>(from) + at,
                            static_cast<size_t>(n), cudaMemcpyDeviceToHost, s.stream()),
            "copying from the GPU");
    require(cudaEventRecord(c.event, s.stream()), "copying from the GPU");
    return n;
  };
  int64_t pending = bytes > 0 ? start(0, 0) : 0;
  for (int64_t at = 0, turn = 0; at < bytes; turn++) {
    const int64_t n = pending;
    if (at + n < bytes) pending = start(at + n, turn + 1);
    require(cudaEventSynchronize(chunks[turn % 2].event), "copying from the GPU");
    std::memcpy(static_cast<std::byte*>(to) + at, chunks[turn % 2].memory, static_cast<size_t>(n));
    at += n;
  }
  for (const Chunk& c : chunks) {
    if (c.memory != nullptr) return_chunk(c);
  }
}

void Gpu::copy(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return;
  const Submission s(*this);
  require(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault, s.stream()),
          "copying on the GPU");
}

void Gpu::fill(void* to, int byte, int64_t bytes) {
  if (bytes <= 0) return;
  const Submission s(*this);
  require(cudaMemsetAsync(to, byte, static_cast<size_t>(bytes), s.stream()), "filling memory");
}

}  // namespace serrate::cuda
