// Small buffers that go to a GPU together: see uploads.h.
#include "cuda/runtime/uploads.h"

#include <cstring>

#include "cuda/runtime/gpu_memory.h"

namespace serrate::cuda {
namespace {
constexpr size_t kBlock = 16 << 10, kMostBytes = kBlock / 4;
constexpr size_t kAligned = 64;
}  // namespace

Buffer Uploads::add(const Buffer& host) {
  const auto bytes = static_cast<size_t>(host.bytes());
  if (host.device() == Device::cuda || bytes == 0 || bytes > kMostBytes) return to_gpu(host);
  const size_t at = (here_.size() + kAligned - 1) / kAligned * kAligned;
  if (block_ == nullptr || at + bytes > kBlock) {
    finish();
    void* p = nullptr;
    block_ = allocate(kBlock, &p).owner();
    there_ = static_cast<std::byte*>(p);
    here_.reserve(kBlock);
    return add(host);
  }
  here_.resize(at + bytes);
  std::memcpy(here_.data() + at, host.data(), bytes);
  // An owner of its own, since what is known of buffers is known by their owners.
  const std::shared_ptr<const void> owner(there_ + at, GpuMemory{host.bytes(), {}, {}, {}, block_});
  return {there_ + at, host.bytes(), owner, Device::cuda};
}

void Uploads::finish() {
  if (here_.empty()) return;
  gpu().upload(there_, here_.data(), static_cast<int64_t>(here_.size()));
  here_.clear();
  block_.reset();
}

}  // namespace serrate::cuda
