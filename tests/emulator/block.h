// Runs a block of a kernel on one CPU thread: each thread of the block has a stack of its own.
#pragma once

#include <setjmp.h>
#include <signal.h>

#include <string>
#include <vector>

#include "machine.h"

namespace emulated {

using KernelFunction = void (*)(const void* arguments);

/// Threads run until they wait for others or end, in an order that changes from block to block.
class BlockRunner {
 public:
  BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  Machine& machine() { return machine_; }
  /// Throws std::runtime_error for what a GPU would end with: memory that is not there, threads
  /// that wait for one another for ever, a value asked of a lane that takes no part.
  void run(const std::string& name, KernelFunction f, const void* arguments, Index blocks,
           Index threads);

 private:
  enum class State { ready, at_block, at_warp, ended };
  struct Thread {
    State state = State::ready;
    bool is_on_its_stack = false;  // `place` says where it goes on
    unsigned mask = 0;
    alignas(16) unsigned char left[16] = {};
    jmp_buf place;
    char* stack = nullptr;
  };

  void run_block(unsigned threads);
  /// The place of a thread in its block, of which CUDA counts x first.
  Index place(unsigned t) const;
  void resume(unsigned t);
  /// Lets go those whose partners have come. False: nobody can go on.
  bool release(unsigned threads);
  void wait(State s, unsigned mask);
  /// Leaves the current thread's stack until the scheduler resumes it.
  void leave();
  static void enter();
  static void on_fault(int signal, siginfo_t* what, void* where);
  [[noreturn]] void fail(const std::string& what);

  Machine machine_{};
  std::vector<Thread> threads_;
  jmp_buf scheduler_;
  unsigned current_ = 0;
  KernelFunction function_ = nullptr;
  const void* arguments_ = nullptr;
  std::string name_, failure_;
  unsigned long long random_ = 1;
};

}  // namespace emulated
