// What a thread gives up while it waits: see waiting.h.
#include "core/waiting.h"

namespace serrate {
namespace {
WaitingHook waiting_hook;
}  // namespace

void set_waiting_hook(WaitingHook hook) { waiting_hook = hook; }

Waiting::Waiting()
    : given_up_(waiting_hook.give_up == nullptr ? nullptr : waiting_hook.give_up()) {}

Waiting::~Waiting() {
  if (given_up_ != nullptr) waiting_hook.take_back(given_up_);
}

std::unique_lock<std::mutex> lock_patiently(std::mutex& m) {
  std::unique_lock lock(m, std::try_to_lock);
  if (!lock.owns_lock()) {
    const Waiting waiting;
    lock.lock();
  }
  return lock;
}

}  // namespace serrate
