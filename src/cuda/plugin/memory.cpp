// GPU memory: the driver's stream-ordered pool, or somebody else's allocator.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cuda/plugin/gpu.h"
#include "serrate/error.h"

namespace serrate::cuda {

std::string bytes_text(int64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
  double v = static_cast<double>(bytes) / 1024;
  int u = 0;
  for (; v >= 1000 && u < 3; u++) v /= 1024;
  return fmt::format("{:.3g} {}", v, units[u]);
}

void* Gpu::from_pool(int64_t bytes, cudaStream_t s) {
  void* p = nullptr;
  const auto size = static_cast<size_t>(bytes);
  cudaError_t e = cudaMallocFromPoolAsync(&p, size, pool_, s);
  if (e == cudaSuccess) [[likely]]
    return p;
  if (e != cudaErrorMemoryAllocation) require(e, "allocating memory");
  // What has been given up but not yet used again, of all streams.
  (void)cudaGetLastError();
  give_back_kept();
  require(cudaDeviceSynchronize(), "waiting for memory");
  require(cudaMemPoolTrimTo(pool_, 0), "giving back memory");
  e = cudaMallocFromPoolAsync(&p, size, pool_, s);
  if (e == cudaSuccess) return p;
  (void)cudaGetLastError();
  return nullptr;
}

void Gpu::give_back_kept() {
  const std::lock_guard hold(lanes_mutex_);
  const auto of = [](Lane& l) {
    l.kept.give_back([&](void* p) { (void)cudaFreeAsync(p, l.stream); });
  };
  of(own_);
  for (const auto& l : lanes_) of(*l);
}

void* Gpu::allocate(int64_t bytes) {
  if (bytes <= 0) return nullptr;
  const int64_t limit = limit_.load(std::memory_order_relaxed);
  const int64_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  void* p = nullptr;
  try {
    if (limit > 0 && used > limit)
      throw MemoryError(
          fmt::format("cuda: out of memory: asked for {}; arrays hold {} of the limit of {}",
                      bytes_text(bytes), bytes_text(used - bytes), bytes_text(limit)));
    const Submission s(*this, Memory::fresh);
    const auto ours = [&] {
      void* const kept = lane().kept.take(bytes);
      return kept != nullptr ? kept : from_pool(KeptBlocks::rounded(bytes), s.stream());
    };
    if (any_foreign_.load(std::memory_order_acquire)) {
      const std::lock_guard hold(foreign_mutex_);
      if (foreign_.allocate != nullptr) {
        p = foreign_.allocate(static_cast<size_t>(bytes), device_, s.stream());
        if (p != nullptr) foreign_blocks_.emplace(p, foreign_);
      } else {
        p = ours();
      }
    } else {
      p = ours();
    }
    if (p == nullptr) {
      size_t free = 0, total = 0;
      require(cudaMemGetInfo(&free, &total), "asking for free memory");
      throw MemoryError(fmt::format(
          "cuda: out of memory: asked for {}; {} of {} are free on the GPU, arrays hold {}",
          bytes_text(bytes), bytes_text(static_cast<int64_t>(free)),
          bytes_text(static_cast<int64_t>(total)), bytes_text(used - bytes)));
    }
  } catch (...) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    throw;
  }
  int64_t high = used_high_.load(std::memory_order_relaxed);
  while (used > high && !used_high_.compare_exchange_weak(high, used)) {
  }
  return p;
}

void Gpu::release(void* p, int64_t bytes) noexcept {
  if (p == nullptr) return;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  try {
    const Submission s(*this);
    if (any_foreign_.load(std::memory_order_acquire)) {
      const std::lock_guard hold(foreign_mutex_);
      if (const auto block = foreign_blocks_.find(p); block != foreign_blocks_.end()) {
        block->second.release(p, static_cast<size_t>(bytes), device_, s.stream());
        foreign_blocks_.erase(block);
        return;
      }
    }
    if (lane().kept.keep(p, bytes)) return;
    if (cudaFreeAsync(p, s.stream()) != cudaSuccess) (void)cudaGetLastError();
  } catch (...) {  // the process is ending
  }
}

void Gpu::use_allocator(ForeignAllocator a) {
  const std::lock_guard hold(foreign_mutex_);
  foreign_ = a;
  if (a.allocate != nullptr) any_foreign_.store(true, std::memory_order_release);
}

int Gpu::holder(const void* p) {
  const OnDevice on(device_);
  cudaPointerAttributes a;
  require(cudaPointerGetAttributes(&a, p), "asking whose memory this is");
  if (a.type == cudaMemoryTypeDevice) return a.device;
  if (a.type != cudaMemoryTypeUnregistered) return device_;
  int pages = 0;  // of the host's that the GPU reads as they are
  require(cudaDeviceGetAttribute(&pages, cudaDevAttrPageableMemoryAccess, device_),
          "asking for the GPU's properties");
  return pages != 0 ? device_ : -1;
}

int Gpu::make_current(int number) {
  int before = 0;
  require(cudaGetDevice(&before), "asking for the current GPU");
  if (before != number) require(cudaSetDevice(number), "choosing the GPU");
  return before;
}

MemoryStatistics Gpu::memory() {
  const OnDevice on(device_);
  auto attribute = [&](cudaMemPoolAttr a) {
    uint64_t v = 0;
    require(cudaMemPoolGetAttribute(pool_, a, &v), "asking for memory statistics");
    return static_cast<int64_t>(v);
  };
  size_t free = 0, total = 0;
  require(cudaMemGetInfo(&free, &total), "asking for free memory");
  return {.used = used_,
          .used_high = used_high_,
          .reserved = attribute(cudaMemPoolAttrReservedMemCurrent),
          .reserved_high = attribute(cudaMemPoolAttrReservedMemHigh),
          .free = static_cast<int64_t>(free),
          .total = static_cast<int64_t>(total)};
}

void Gpu::trim_memory() {
  const OnDevice on(device_);
  give_back_kept();
  require(cudaDeviceSynchronize(), "waiting for memory");
  require(cudaMemPoolTrimTo(pool_, 0), "giving back memory");
  const std::lock_guard hold(chunks_mutex_);
  for (Chunks& all : chunks_) {
    for (const Chunk& c : all.free) {
      cudaFreeHost(c.memory);
      cudaEventDestroy(c.event);
    }
    all.made -= std::ssize(all.free);
    all.free.clear();
  }
}

void* Gpu::allocate_pinned(int64_t bytes) {
  const OnDevice on(device_);
  void* p = nullptr;
  const cudaError_t e = cudaHostAlloc(&p, static_cast<size_t>(std::max<int64_t>(bytes, 1)),
                                      cudaHostAllocPortable | cudaHostAllocMapped);
  if (e == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw MemoryError(
        fmt::format("cuda: out of memory: asked for {} of pinned host memory", bytes_text(bytes)));
  }
  require(e, "allocating pinned memory");
  return p;
}

void Gpu::release_pinned(void* p) noexcept {
  if (p != nullptr && cudaFreeHost(p) != cudaSuccess) (void)cudaGetLastError();
}

}  // namespace serrate::cuda
