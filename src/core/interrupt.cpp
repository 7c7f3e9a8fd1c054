// Long work asks whether it must stop: see interrupt.h.
#include "core/interrupt.h"

#include <atomic>

namespace serrate {
namespace {
std::atomic<void (*)()> interrupt_hook{nullptr};
}  // namespace

void set_interrupt_hook(void (*hook)()) { interrupt_hook = hook; }

Interruptible& Interruptible::of_thread() {
  static thread_local Interruptible mine;
  return mine;
}

void Interruptible::look_at_clock() {
  const auto hook = interrupt_hook.load(std::memory_order_relaxed);
  const auto now = std::chrono::steady_clock::now();
  if (hook == asked_ && now < next_) return;
  asked_ = hook;
  next_ = now + std::chrono::milliseconds(100);
  if (hook) hook();
}

}  // namespace serrate
