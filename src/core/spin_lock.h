// A lock that is held for a few instructions.
#pragma once

#include <atomic>
#include <thread>

namespace serrate {

class SpinLock {
 public:
  void lock() {
    while (held_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};

}  // namespace serrate
