// Buffers that go to a GPU together: see uploads.h.
#include "cuda/runtime/uploads.h"

#include <iterator>

#include "core/waiting.h"

namespace serrate::cuda {

Buffer Uploads::add(const Buffer& host) {
  if (host.device() == Device::cuda || host.bytes() == 0) return to_gpu(host);
  void* p = nullptr;
  Buffer there = allocate(host.bytes(), &p);
  from_.push_back(host);
  transfers_.push_back({p, host.data(), host.bytes()});
  return there;
}

void Uploads::finish() {
  if (transfers_.empty()) return;
  const Waiting waiting;  // for memory on the way, if it is much
  gpu().upload(transfers_.data(), std::ssize(transfers_));
  transfers_.clear();
  from_.clear();
}

}  // namespace serrate::cuda
