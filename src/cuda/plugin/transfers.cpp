// Bytes between host and GPU, through pinned memory: pageable memory would be copied by the driver,
// slower, and a source in pinned memory could not be changed on return.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "cuda/plugin/gpu.h"

namespace serrate::cuda {
namespace {
constexpr int64_t kSmallChunk = 64 << 10, kLargeChunk = 4 << 20;
constexpr int64_t kMostChunks = 32;
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
