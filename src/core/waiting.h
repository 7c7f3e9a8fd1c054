// What a thread gives up while it waits: a GPU may itself wait for somebody who needs the lock of a
// language's interpreter, as functions that a stream calls on the host do.
#pragma once

#include <mutex>

namespace serrate {

/// The calling thread waits for a GPU, or takes long to compile, while this lives.
class Waiting {
 public:
  Waiting();
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void* given_up_;
};

/// `give_up` returns what `take_back` needs; null where there is nothing to give up.
struct WaitingHook {
  void* (*give_up)() = nullptr;
  void (*take_back)(void*) = nullptr;
};
void set_waiting_hook(WaitingHook hook);

/// Locks a mutex whose owner may be Waiting: nobody may keep from it what it gave up.
std::unique_lock<std::mutex> lock_patiently(std::mutex& m);

}  // namespace serrate
