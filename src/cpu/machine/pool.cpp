// The thread pool: one queue of running parallel_for calls, threads that are started when first
// needed.
#include "cpu/machine/pool.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/interrupt.h"
#include "core/process_mutex.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

// One parallel_for call. Lives on the caller's stack: the caller leaves only when no thread is
// inside.
struct Job {
  Job(FunctionRef<void(int64_t, int)> f, int64_t n, int w) : body(f), tasks(n), max_workers(w) {}
  FunctionRef<void(int64_t, int)> body;
  int64_t tasks;
  int max_workers;
  std::atomic<int64_t> next{0};
  int workers = 1;  // who joined, the caller included; under the pool's mutex
  int inside = 0;   // threads that may still touch this job; under the pool's mutex
  std::mutex error_mutex;
  int64_t error_task = -1;
  std::exception_ptr error;

  void work(int worker) {
    for (;;) {
      const int64_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= tasks) return;
      try {
        Interruptible::of_thread().step();
        body(task, worker);
      } catch (...) {
        next.store(tasks, std::memory_order_relaxed);
        std::lock_guard lock(error_mutex);
        if (error_task < 0 || task < error_task) {
          error_task = task;
          error = std::current_exception();
        }
      }
    }
  }
  bool open() const { return next.load(std::memory_order_relaxed) < tasks; }
};

// Never destroyed: its threads sleep until the process ends, whatever order statics are destroyed
// in.
struct Pool {
  std::mutex mutex;
  std::condition_variable wake, left;
  std::vector<Job*> jobs;
  std::vector<std::thread> threads;
  pid_t owner = getpid();

  void thread_main();
  void run(Job& job);
};

thread_local bool inside_body = false;

void Pool::thread_main() {
  inside_body = true;
  std::unique_lock lock(mutex);
  for (;;) {
    Job* job = nullptr;
    for (Job* candidate : jobs)
      if (candidate->open() && candidate->workers < candidate->max_workers) {
        job = candidate;
        break;
      }
    if (!job) {
      wake.wait(lock);
      continue;
    }
    const int worker = job->workers++;
    job->inside++;
    lock.unlock();
    job->work(worker);
    lock.lock();
    if (--job->inside == 0) left.notify_all();
  }
}

void Pool::run(Job& job) {
  const int helpers = static_cast<int>(std::min<int64_t>(job.max_workers, job.tasks)) - 1;
  {
    std::lock_guard lock(mutex);
    try {
      while (static_cast<int>(threads.size()) < helpers)
        threads.emplace_back([this] { thread_main(); });
    } catch (const std::system_error&) {
      // No more threads to be had: the caller does the work.
    }
    jobs.push_back(&job);
  }
  if (helpers == 1)
    wake.notify_one();
  else
    wake.notify_all();
  inside_body = true;
  job.work(0);
  inside_body = false;
  std::unique_lock lock(mutex);
  std::erase(jobs, &job);
  left.wait(lock, [&] { return job.inside == 0; });
}

std::atomic<Pool*> current{nullptr};
ProcessMutex& current_mutex() {
  static ProcessMutex& m = *new ProcessMutex;
  return m;
}

// A child after fork has no threads, and the mutexes may be held for ever: it leaves that pool
// alone and makes its own.
Pool& pool() {
  Pool* found = current.load(std::memory_order_acquire);
  if (found && found->owner == getpid()) return *found;
  std::lock_guard lock(current_mutex());
  found = current.load(std::memory_order_acquire);
  if (!found || found->owner != getpid()) {
    found = new Pool;
    current.store(found, std::memory_order_release);
  }
  return *found;
}

int default_threads() {
  static const int threads = [] {
    if (const char* text = std::getenv("SERRATE_NUM_THREADS"); text && *text) {
      char* end = nullptr;
      const long value = std::strtol(text, &end, 10);
      check<ValueError>(*end == 0 && value >= 1 && value <= 4096,
                        "SERRATE_NUM_THREADS={}: expected a number from 1 to 4096", text);
      return static_cast<int>(value);
    }
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return threads;
}

std::atomic<int> chosen_threads{0};

}  // namespace

int num_threads() {
  const int chosen = chosen_threads.load(std::memory_order_relaxed);
  return chosen ? chosen : default_threads();
}

void set_num_threads(int threads) {
  check<ValueError>(threads >= 0, "number of threads: expected 0 or more, got {}", threads);
  chosen_threads.store(std::min(threads, 4096), std::memory_order_relaxed);
}

bool in_parallel() { return inside_body; }

void parallel_for(int64_t tasks, FunctionRef<void(int64_t, int)> body) {
  if (tasks <= 0) return;
  const int workers = tasks == 1 || inside_body ? 1 : num_threads();
  if (workers == 1) {
    for (int64_t task = 0; task < tasks; task++) {
      Interruptible::of_thread().step();
      body(task, 0);
    }
    return;
  }
  Job job(body, tasks, workers);
  pool().run(job);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace serrate::cpu
