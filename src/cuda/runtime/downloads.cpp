// Small buffers that come to the host together: see downloads.h.
#include "cuda/runtime/downloads.h"

#include <cstring>
#include <utility>

#include "cuda/device.h"
#include "cuda/runtime/checks.h"
#include "cuda/runtime/pinned.h"
#include "cuda/runtime/shown.h"

namespace serrate::cuda {
namespace {

constexpr int64_t kSlot = 16 << 10;

PinnedSlots& slots() {
  static auto& slots = *new PinnedSlots(kSlot);  // arrays may outlive statics
  return slots;
}

}  // namespace

Downloads::~Downloads() {
  if (slot_ != nullptr) slots().give_back(slot_, false);
}

Buffer Downloads::add(const Buffer& device) {
  const int64_t bytes = device.bytes();
  const int64_t end = used_ + (bytes + 7) / 8 * 8;
  if (device.device() == Device::cpu || bytes == 0 || end > kSlot || shown_value(device) != nullptr)
    return to_host(device);
  if (slot_ == nullptr) slot_ = static_cast<std::byte*>(slots().take());
  gpu().copy(slot_ + used_, device.data(), bytes);
  void* p = nullptr;
  Buffer out = Buffer::allocate(bytes, &p);
  parts_.push_back({device, static_cast<std::byte*>(p), used_});
  used_ = end;
  return out;
}

void Downloads::finish() {
  if (parts_.empty()) return;
  wait_for_gpu();
  for (const Part& p : parts_) {
    raise_checks(p.from);
    std::memcpy(p.to, slot_ + p.at, static_cast<size_t>(p.from.bytes()));
  }
  parts_.clear();
  slots().give_back(std::exchange(slot_, nullptr), true);
}

}  // namespace serrate::cuda
