// Small blocks of memory that a stream has given up, for whoever asks on it next.
//
// The driver's pool takes a microsecond to give and take a block, as long as a small expression
// takes to launch. What was freed on a stream may be used again on it at once: work comes in order.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

namespace serrate::cuda {

class KeptBlocks {
 public:
  /// Bytes to take from the pool for a block of so many: four sizes between powers of two.
  static int64_t rounded(int64_t bytes) {
    if (!is_small(bytes)) return bytes;
    const int64_t step = step_of(bytes);
    return (bytes + step - 1) / step * step;
  }
  /// A block of rounded(bytes), or null.
  void* take(int64_t bytes) {
    if (!is_small(bytes)) return nullptr;
    const std::lock_guard hold(mutex_);
    std::vector<void*>& blocks = blocks_[place(bytes)];
    if (blocks.empty()) return nullptr;
    void* const p = blocks.back();
    blocks.pop_back();
    bytes_ -= rounded(bytes);
    return p;
  }
  /// False: it must be given to the pool.
  bool keep(void* p, int64_t bytes) {
    if (!is_small(bytes)) return false;
    const std::lock_guard hold(mutex_);
    std::vector<void*>& blocks = blocks_[place(bytes)];
    if (bytes_ + rounded(bytes) > kMostBytes || blocks.size() >= kMostBlocks) return false;
    blocks.push_back(p);
    bytes_ += rounded(bytes);
    return true;
  }
  template <class F>
  void give_back(F&& release) {
    const std::lock_guard hold(mutex_);
    for (auto& blocks : blocks_) {
      for (void* p : blocks) release(p);
      blocks.clear();
    }
    bytes_ = 0;
  }

 private:
  static constexpr int64_t kLeast = 512, kMost = int64_t{8} << 20, kMostBytes = int64_t{64} << 20;
  static constexpr size_t kMostBlocks = 64;

  static bool is_small(int64_t bytes) { return bytes <= kMost; }
  /// Between sizes, from 512 bytes on.
  static int64_t step_of(int64_t bytes) {
    if (bytes <= kLeast) return kLeast;
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes - 1))) / 4;
  }
  static size_t place(int64_t bytes) {
    const auto size = static_cast<uint64_t>(rounded(bytes));
    const auto octave =
        static_cast<size_t>(std::bit_width(size) - std::bit_width(uint64_t{kLeast}));
    return 4 * octave + static_cast<size_t>(size * 4 / std::bit_floor(size) - 4);
  }

  std::mutex mutex_;
  std::array<std::vector<void*>, 4 * 16> blocks_;
  int64_t bytes_ = 0;
};

}  // namespace serrate::cuda
