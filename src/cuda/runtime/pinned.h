// Words of pinned host memory that kernels write and the host reads without a copy.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace serrate::cuda {

/// What the words of a fresh slot are.
inline constexpr uint64_t kNotThere = ~uint64_t{0};

/// Slots of one size. Those that are given back may still be written: they are used again once the
/// GPU has done all it was given.
class PinnedSlots {
 public:
  explicit PinnedSlots(int64_t bytes) : bytes_(bytes) {}
  /// All bits set.
  void* take();
  /// `idle`: the GPU has done with it.
  void give_back(void* slot, bool idle);

 private:
  void clear(void* slot) const;
  const int64_t bytes_;
  std::mutex mutex_;
  std::vector<void*> free_, returned_;
};

/// 64 bytes each, for everybody.
PinnedSlots& pinned_slots();

}  // namespace serrate::cuda
