// Whoever waits gives up what the hook says, and takes it back.
#include "core/waiting.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "../../tests/cpp/catch.h"

namespace serrate {
namespace {

thread_local std::string told;
thread_local int held = 0;

void* give_up() {
  if (held == 0) return nullptr;
  told += "given up, ";
  held = 0;
  return &held;
}
void take_back(void* p) {
  told += "taken back, ";
  *static_cast<int*>(p) = 1;
}

TEST_CASE("waiting gives up the lock of a language once") {
  set_waiting_hook({give_up, take_back});
  held = 1;
  {
    const Waiting outer;
    const Waiting inner;
    CHECK(held == 0);
  }
  CHECK(held == 1);
  CHECK(told == "given up, taken back, ");

  told.clear();
  std::mutex m;
  CHECK(lock_patiently(m).owns_lock());
  CHECK(told.empty());  // nobody had it
  std::unique_lock mine(m);
  std::string others;
  std::atomic<bool> about_to_wait{false};
  std::thread other([&] {
    held = 1;
    about_to_wait = true;
    CHECK(lock_patiently(m).owns_lock());
    others = told;
  });
  while (!about_to_wait) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  mine.unlock();
  other.join();
  CHECK((others.empty() || others == "given up, taken back, "));
  set_waiting_hook({});
  const Waiting nothing;
  CHECK(held == 1);
}

}  // namespace
}  // namespace serrate
