// Runs a block of a kernel on one CPU thread: each thread of the block has a stack of its own.
#pragma once

#include <ucontext.h>

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
    bool started = false;
    unsigned mask = 0;
    alignas(16) unsigned char left[16] = {};
    ucontext_t context;
    char* stack = nullptr;
  };

  void run_block(unsigned threads);
  /// The place of a thread in its block, of which CUDA counts x first.
  Index place(unsigned t) const;
  void resume(unsigned t);
  /// Lets go those whose partners have come. False: nobody can go on.
  bool release(unsigned threads);
  void wait(State s, unsigned mask);
  static void enter();
  static void on_fault(int signal);
  [[noreturn]] void fail(const std::string& what);

  Machine machine_{};
  std::vector<Thread> threads_;
  ucontext_t scheduler_;
  unsigned current_ = 0;
  KernelFunction function_ = nullptr;
  const void* arguments_ = nullptr;
  std::string name_, failure_;
  unsigned long long random_ = 1;
};

}  // namespace emulated
