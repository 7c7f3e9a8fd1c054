// Calls of users' functions compiled with the operations around them, once that is worth it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "serrate/function.h"

namespace serrate::cpu {

/// A loop that is compiled when the steps that it stands for have had many items (seams().hot), as
/// in tiered compilation. It computes the same bits, so a run may begin with one and end with the
/// other.
class FusedLoop {
 public:
  explicit FusedLoop(std::string text) : text_(std::move(text)) {}
  /// Null as long as it is not compiled.
  BlockFunction block() const { return block_.load(std::memory_order_acquire); }
  void count(int64_t items) { items_.fetch_add(items, std::memory_order_relaxed); }
  /// Not from threads of a pool: whoever compiles may wait for those who wait for them.
  void compile_if_hot();

 private:
  const std::string text_;
  std::atomic<int64_t> items_ = 0;
  std::atomic<BlockFunction> block_ = nullptr;
  std::atomic<bool> tried_ = false;
  std::shared_ptr<const void> owner_;
};

}  // namespace serrate::cpu
