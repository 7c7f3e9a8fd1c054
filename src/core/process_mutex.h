// Mutexes of what a whole process shares.
#pragma once

#include <mutex>

namespace serrate {

/// A fork waits until nobody holds it, so that the child, which has none of the other threads,
/// finds it free. For static objects that are never destroyed.
class ProcessMutex {
 public:
  ProcessMutex();
  ProcessMutex(const ProcessMutex&) = delete;
  ProcessMutex& operator=(const ProcessMutex&) = delete;
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace serrate
