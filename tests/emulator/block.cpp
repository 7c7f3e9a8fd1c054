// Threads of a block as stacks that are switched: see block.h.
//
// A stack is entered by `setcontext` once and then switched to by `_longjmp`, which, unlike
// `swapcontext`, asks nothing of the kernel (QEMU's coroutines do the same).
#undef _FORTIFY_SOURCE  // its longjmp refuses other stacks
#include "block.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <stdexcept>

namespace emulated {
namespace {

constexpr size_t kStack = 256 << 10;
constexpr size_t kGuard = 4096;  // at the end of a stack, which nobody may touch

BlockRunner* running = nullptr;

}  // namespace

BlockRunner::BlockRunner() {
  machine_.wait_block = [](Machine&) { running->wait(State::at_block, 0); };
  machine_.wait_warp = [](Machine&, unsigned mask) { running->wait(State::at_warp, mask); };
  machine_.left = [](Machine&, unsigned mask, unsigned lane) -> void* {
    const unsigned self = running->current_;
    if ((mask >> (self & 31u) & 1u) == 0)
      running->fail("a lane exchanges values by a mask that it is not in");
    // Undefined, so it must not matter: a lane outside of the mask, or one that has ended, gives
    // rubbish.
    static unsigned char rubbish[16];
    std::fill(std::begin(rubbish), std::end(rubbish), 0xa5);
    Thread& other = running->threads_[(self & ~31u) + lane];
    return (mask >> lane & 1u) == 0 || other.state == State::ended ? rubbish : other.left;
  };
}

void BlockRunner::fail(const std::string& what) {
  failure_ = what;
  _longjmp(scheduler_, 1);
}

void BlockRunner::on_fault(int signal, siginfo_t* what, void*) {
  if (signal == SIGFPE) running->fail("an integer is divided by zero");
  const char* const stack = running->threads_[running->current_].stack;
  const auto* at = static_cast<const char*>(what->si_addr);
  if (at >= stack && at < stack + kGuard) running->fail("a stack overflow");
  char text[96];
  std::snprintf(text, sizeof text,
                "an illegal memory access was encountered: at %p, the code at %p", what->si_addr,
                reinterpret_cast<void*>(running->function_));
  running->fail(text);
}

void BlockRunner::enter() {
  for (;;) {
    running->function_(running->arguments_);
    running->threads_[running->current_].state = State::ended;
    running->leave();
  }
}

void BlockRunner::leave() {
  if (_setjmp(threads_[current_].place) == 0) _longjmp(scheduler_, 1);
}

void BlockRunner::wait(State s, unsigned mask) {
  const unsigned self = current_;
  threads_[self].state = s;
  threads_[self].mask = mask;
  leave();
  machine_.thread = place(self);
}

void BlockRunner::resume(unsigned t) {
  Thread& thread = threads_[t];
  current_ = t;
  machine_.thread = place(t);
  thread.state = State::ready;
  // Who waits, ends or fails comes back to this place.
  if (_setjmp(scheduler_) != 0) return;
  if (thread.is_on_its_stack) _longjmp(thread.place, 1);
  thread.is_on_its_stack = true;
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = thread.stack;
  context.uc_stack.ss_size = kStack;
  context.uc_link = nullptr;
  makecontext(&context, &BlockRunner::enter, 0);
  setcontext(&context);
}

bool BlockRunner::release(unsigned threads) {
  bool any = false;
  unsigned at_block = 0, ended = 0;
  for (unsigned t = 0; t < threads; t++) {
    at_block += threads_[t].state == State::at_block;
    ended += threads_[t].state == State::ended;
  }
  if (at_block > 0 && at_block + ended == threads) {
    for (unsigned t = 0; t < threads; t++) {
      if (threads_[t].state == State::at_block) threads_[t].state = State::ready;
    }
    return true;
  }
  for (unsigned t = 0; t < threads; t++) {
    if (threads_[t].state != State::at_warp) continue;
    const unsigned first = t & ~31u, mask = threads_[t].mask;
    bool all = true;
    for (unsigned lane = 0; lane < 32; lane++) {
      if ((mask >> lane & 1u) == 0) continue;
      // Nobody waits for lanes that have ended.
      all &=
          first + lane < threads &&
          (threads_[first + lane].state == State::ended ||
           (threads_[first + lane].state == State::at_warp && threads_[first + lane].mask == mask));
    }
    if (!all) continue;
    any = true;
    for (unsigned lane = 0; lane < 32; lane++) {
      Thread& other = threads_[first + lane];
      if ((mask >> lane & 1u) != 0 && other.state == State::at_warp) other.state = State::ready;
    }
  }
  return any;
}

void BlockRunner::run_block(unsigned threads) {
  std::vector<unsigned> order(threads);
  std::iota(order.begin(), order.end(), 0u);
  for (size_t i = order.size(); i > 1; i--) {
    random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
    std::swap(order[i - 1], order[(random_ >> 33) % i]);
  }
  for (unsigned t = 0; t < threads; t++) threads_[t].state = State::ready;
  do {
    for (unsigned t : order) {
      if (threads_[t].state == State::ready) resume(t);
      if (!failure_.empty()) return;
    }
  } while (release(threads));
  for (unsigned t = 0; t < threads; t++) {
    if (threads_[t].state == State::ended) continue;
    failure_ = "threads of a block wait for one another for ever";
    return;
  }
}

Index BlockRunner::place(unsigned t) const {
  const Index& n = machine_.block_size;
  return {t % n.x, t / n.x % n.y, t / n.x / n.y};
}

void BlockRunner::run(const std::string& name, KernelFunction f, const void* arguments, Index grid,
                      Index block) {
  const unsigned threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
  while (threads_.size() < threads) {
    void* stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) throw std::runtime_error("emulated GPU: no room for stacks");
    mprotect(stack, kGuard, PROT_NONE);
    threads_.emplace_back().stack = static_cast<char*>(stack);
  }
  running = this;
  name_ = name;
  function_ = f;
  arguments_ = arguments;
  failure_.clear();
  machine_.block_size = block;
  machine_.blocks = grid;
  struct sigaction fault = {}, before[3];
  fault.sa_sigaction = &BlockRunner::on_fault;
  fault.sa_flags = SA_NODEFER | SA_SIGINFO | SA_ONSTACK;
  // Not the stack that may have overflown.
  static char of_handlers[64 << 10];
  stack_t handlers{}, handlers_before;
  handlers.ss_sp = of_handlers;
  handlers.ss_size = sizeof of_handlers;
  sigaltstack(&handlers, &handlers_before);
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
  for (int i = 0; i < 3; i++) sigaction(signals[i], &fault, &before[i]);
  unsigned b = 0;
  for (; b < blocks && failure_.empty(); b++) {
    machine_.block = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
    run_block(threads);
  }
  for (int i = 0; i < 3; i++) sigaction(signals[i], &before[i], nullptr);
  sigaltstack(&handlers_before, nullptr);
  if (!failure_.empty()) {
    for (Thread& t : threads_) t.is_on_its_stack = false;
    throw std::runtime_error("emulated GPU: kernel " + name + ", block " + std::to_string(b - 1) +
                             ", thread " + std::to_string(current_) + ": " + failure_);
  }
}

}  // namespace emulated
