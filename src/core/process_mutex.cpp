// Mutexes and forks: see process_mutex.h.
#include "core/process_mutex.h"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace serrate {
namespace {

// Under `mutex`, which a fork holds too. Never destroyed.
struct Registry {
  std::mutex mutex;
  std::vector<ProcessMutex*> all;
};
Registry& registry() {
  static Registry& r = *new Registry;
  return r;
}

/// All or none: somebody may hold one and wait for another.
bool try_lock_all(const std::vector<ProcessMutex*>& all) {
  const auto held =
      std::find_if(all.begin(), all.end(), [](ProcessMutex* m) { return !m->try_lock(); });
  if (held == all.end()) return true;
  std::for_each(all.begin(), held, [](ProcessMutex* m) { m->unlock(); });
  return false;
}

void before_fork() {
  Registry& r = registry();
  r.mutex.lock();
  while (!try_lock_all(r.all)) std::this_thread::yield();
}

void after_fork() {
  Registry& r = registry();
  for (ProcessMutex* m : r.all) m->unlock();
  r.mutex.unlock();
}

}  // namespace

ProcessMutex::ProcessMutex() {
  Registry& r = registry();
  const std::lock_guard hold(r.mutex);
  if (r.all.empty()) pthread_atfork(before_fork, after_fork, after_fork);
  r.all.push_back(this);
}

}  // namespace serrate
