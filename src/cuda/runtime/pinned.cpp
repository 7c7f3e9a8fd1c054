// Slots of pinned memory: see pinned.h.
#include "cuda/runtime/pinned.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "core/waiting.h"
#include "cuda/device.h"

namespace serrate::cuda {
namespace {
constexpr int64_t kSlabBytes = 32 << 10;
constexpr size_t kMostReturned = 512;
}  // namespace

void PinnedSlots::clear(void* slot) const { std::memset(slot, 0xff, static_cast<size_t>(bytes_)); }

void* PinnedSlots::take() {
  const auto hold = lock_patiently(mutex_);
  if (free_.empty() && returned_.size() >= kMostReturned) {
    wait_for_gpu();
    std::swap(free_, returned_);
    for (void* slot : free_) clear(slot);
  }
  if (free_.empty()) {
    auto* fresh = static_cast<std::byte*>(gpu().allocate_pinned(kSlabBytes));
    for (int64_t at = 0; at + bytes_ <= kSlabBytes; at += bytes_) {
      clear(fresh + at);
      free_.push_back(fresh + at);
    }
  }
  void* const slot = free_.back();
  free_.pop_back();
  return slot;
}

void PinnedSlots::give_back(void* slot, bool idle) {
  if (idle) clear(slot);
  const auto hold = lock_patiently(mutex_);
  (idle ? free_ : returned_).push_back(slot);
}

// Never destroyed: arrays may outlive static objects.
PinnedSlots& pinned_slots() {
  static auto& slots = *new PinnedSlots(64);
  return slots;
}

}  // namespace serrate::cuda
