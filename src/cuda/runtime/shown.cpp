// Single values in pinned memory: see shown.h.
#include "cuda/runtime/shown.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/waiting.h"
#include "cuda/device.h"
#include "cuda/runtime/gpu_memory.h"
#include "cuda/runtime/pinned.h"

namespace serrate::cuda {
namespace {

/// Looks at memory, about as long as it takes to sleep and be woken.
constexpr int kMostLooks = 50'000;

}  // namespace

void await(const uint64_t& word) {
  const std::atomic_ref<uint64_t> there(const_cast<uint64_t&>(word));
  for (int looks = 0; looks < kMostLooks; looks++) {
    if (there.load(std::memory_order_acquire) != kNotThere) return;
  }
  wait_for_gpu();
}

ShownValues::~ShownValues() {
  if (slot_ != nullptr) pinned_slots().give_back(slot_, slot_[0] != kNotThere);
}

uint64_t ShownValues::look(int number) const {
  const auto hold = lock_patiently(mutex_);
  if (slot_ != nullptr) {
    await(slot_[0]);
    std::copy_n(slot_ + 1, std::size(values_), values_);
    pinned_slots().give_back(std::exchange(slot_, nullptr), true);
  }
  return values_[number];
}

void show(const Buffer& b, Shown shown) {
  if (auto* const memory = std::get_deleter<GpuMemory>(b.owner())) memory->shown = std::move(shown);
}

const Shown* shown_value(const Buffer& b) {
  const auto* const memory = std::get_deleter<GpuMemory>(b.owner());
  const bool is_it = memory != nullptr && memory->shown.values && b.data() == b.owner().get();
  return is_it ? &memory->shown : nullptr;
}

}  // namespace serrate::cuda
