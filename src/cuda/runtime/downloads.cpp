// Buffers that come to the host together: see downloads.h.
#include "cuda/runtime/downloads.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "core/waiting.h"
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
  if (device.device() == Device::cpu || bytes == 0 || shown_value(device) != nullptr)
    return to_host(device);
  void* p = nullptr;
  Buffer out = Buffer::allocate(bytes, &p);
  const int64_t end = used_ + (bytes + 7) / 8 * 8;
  if (end > kSlot) {
    large_.push_back(device);
    transfers_.push_back({p, device.data(), bytes});
    return out;
  }
  if (slot_ == nullptr) slot_ = static_cast<std::byte*>(slots().take());
  gpu().copy(slot_ + used_, device.data(), bytes);
  parts_.push_back({device, static_cast<std::byte*>(p), used_});
  used_ = end;
  return out;
}

void Downloads::finish() {
  finish_large();
  if (parts_.empty()) return;
  wait_for_gpu();
  for (const Part& p : parts_) {
    raise_checks(p.from);
    std::memcpy(p.to, slot_ + p.at, static_cast<size_t>(p.from.bytes()));
  }
  parts_.clear();
  slots().give_back(std::exchange(slot_, nullptr), true);
}

void Downloads::finish_large() {
  if (large_.empty()) return;
  for (const Buffer& b : large_) settle_checks(b);  // what a failed run did not write stays there
  const Waiting waiting;
  gpu().download(transfers_.data(), std::ssize(transfers_));
  large_.clear();
  transfers_.clear();
}

}  // namespace serrate::cuda
