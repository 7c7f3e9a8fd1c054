// The thread pool and the scratch arena.
#include "cpu/machine/pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../../tests/cpp/catch.h"
#include "cpu/machine/scratch.h"

namespace serrate::cpu {
namespace {

// Restores the number of threads.
struct Threads {
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(0); }
};

int64_t sum_of(int64_t tasks) {
  std::atomic<int64_t> sum{0};
  parallel_for(tasks, [&](int64_t task, int) { sum += task; });
  return sum;
}

TEST_CASE("every task runs once, and workers are not shared") {
  for (int threads : {1, 2, 3, 8}) {
    Threads set(threads);
    CHECK(num_threads() == threads);
    for (int64_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> ran(static_cast<size_t>(tasks));
      std::vector<std::atomic<int>> busy(static_cast<size_t>(threads));
      std::atomic<bool> ok{true};
      parallel_for(tasks, [&](int64_t task, int worker) {
        if (worker < 0 || worker >= threads || busy[static_cast<size_t>(worker)]++ != 0) ok = false;
        ran[static_cast<size_t>(task)]++;
        busy[static_cast<size_t>(worker)]--;
      });
      CHECK(ok);
      for (auto& r : ran) CHECK(r == 1);
    }
  }
}

TEST_CASE("the exception of the lowest task reaches the caller") {
  for (int threads : {1, 4}) {
    Threads set(threads);
    for (int repeat = 0; repeat < 50; repeat++) {
      std::string text;
      try {
        parallel_for(100, [](int64_t task, int) {
          if (task == 13 || task >= 15) throw std::runtime_error(std::to_string(task));
        });
      } catch (const std::runtime_error& e) {
        text = e.what();
      }
      CHECK(text == "13");
      CHECK(sum_of(100) == 4950);
    }
  }
}

TEST_CASE("nested calls run inline") {
  Threads set(4);
  std::atomic<int64_t> sum{0};
  CHECK_FALSE(in_parallel());
  parallel_for(8, [&](int64_t, int) {
    if (!in_parallel()) sum += 1000000;
    const auto id = std::this_thread::get_id();
    parallel_for(10, [&](int64_t task, int worker) {
      sum += task + (worker != 0 || std::this_thread::get_id() != id) * 1000000;
    });
  });
  CHECK(sum == 8 * 45);
  CHECK_FALSE(in_parallel());
}

TEST_CASE("several user threads at once") {
  Threads set(3);
  std::vector<std::thread> users;
  std::atomic<int> good{0};
  for (int u = 0; u < 6; u++)
    users.emplace_back([&] {
      for (int i = 0; i < 200; i++) good += sum_of(37) == 37 * 36 / 2;
    });
  for (auto& user : users) user.join();
  CHECK(good == 1200);
}

TEST_CASE("a child process gets its own threads") {
  Threads set(4);
  CHECK(sum_of(100) == 4950);
  const pid_t child = fork();
  if (child == 0) _exit(sum_of(100) == 4950 ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a negative number of threads is refused") {
  CHECK_THROWS_AS(set_num_threads(-1), std::invalid_argument);
}

TEST_CASE("scratch is aligned, padded and reused") {
  Scratch scratch;
  const auto start = scratch.mark();
  char* first = static_cast<char*>(scratch.bytes(100));
  char* second = static_cast<char*>(scratch.bytes(1));
  CHECK(reinterpret_cast<uintptr_t>(first) % 64 == 0);
  CHECK(second - first >= 100 + static_cast<ptrdiff_t>(kScratchPadding));
  const auto middle = scratch.mark();
  char* large = static_cast<char*>(scratch.bytes(size_t{1} << 22));
  std::memset(large, 1, (size_t{1} << 22) + kScratchPadding);
  scratch.release(middle);
  CHECK(scratch.bytes(10) != first);
  scratch.release(start);
  CHECK(scratch.bytes(100) == first);
  const size_t held = scratch.capacity();
  CHECK(scratch.bytes(size_t{1} << 22) == large);
  CHECK(scratch.capacity() == held);
  scratch.release(start);
  scratch.trim();
  CHECK(scratch.capacity() == 0);
  {
    ScratchScope scope(scratch);
    CHECK(scope.get<double>(3) != nullptr);
  }
  CHECK(scratch.mark().used == 0);
}

}  // namespace
}  // namespace serrate::cpu
