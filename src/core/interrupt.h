// Long work asks now and then whether it must stop, as somebody may press Ctrl-C meanwhile.
#pragma once

#include <chrono>
#include <cstdint>

namespace serrate {

/// `hook` throws if the work that the calling thread does must stop.
void set_interrupt_hook(void (*hook)());

/// Steps of work of one thread: looks at the clock now and then, and asks ten times a second at
/// most, a new hook at once.
class Interruptible {
 public:
  [[gnu::always_inline]] void step() {
    if (++steps_ % 64 == 0) [[unlikely]]
      look_at_clock();
  }
  /// The calling thread's own.
  static Interruptible& of_thread();

 private:
  void look_at_clock();
  uint32_t steps_ = 0;
  void (*asked_)() = nullptr;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace serrate
