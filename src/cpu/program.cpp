// Running a program, and its text.
#include "cpu/program.h"

#include <cstring>
#include <iterator>

#include "cpu/kernels.h"

namespace serrate::cpu {

void Program::run(void* const* slots, int64_t n) const {
  if (code_.empty() || n <= 0) return;
  // Working memory lives on the stack unless the program is large; it is not initialised.
  constexpr int kStackBytes = 32 << 10, kStackEntries = 96;
  alignas(64) char stack[kStackBytes];
  char* stack_table[kStackEntries];
  std::unique_ptr<char[]> heap;
  std::unique_ptr<char*[]> heap_table;
  char* working = stack;
  char** mem = stack_table;
  if (working_ > kStackBytes) {
    heap.reset(new char[static_cast<size_t>(working_)]);
    working = heap.get();
  }
  if (std::ssize(entries_) > kStackEntries) {
    heap_table.reset(new char*[entries_.size()]);
    mem = heap_table.get();
  }

  for (size_t i = 0; i < entries_.size(); i++) {
    const Entry& e = entries_[i];
    mem[i] = working + e.offset;
    if (e.kind < Entry::scratch) mem[i] = static_cast<char*>(slots[e.slot]);
    if (e.kind == Entry::position) std::memcpy(mem[i], slots[e.slot], 8);
    if (e.kind == Entry::splat) {
      std::memcpy(mem[i], slots[e.slot], e.size);
      const size_t bytes = static_cast<size_t>(e.size) * static_cast<size_t>(block_);
      for (size_t have = e.size; have < bytes; have *= 2) std::memcpy(mem[i] + have, mem[i], have);
    }
  }

  const Instruction* code = code_.data();
  const auto start = reinterpret_cast<void (*)(const Instruction*, char* const*)>(code->run);
  const Entry* entries = entries_.data();
  const int advancing = advancing_, block = block_, count = static_cast<int>(entries_.size());
  constexpr int kPrefetchBytes = 1024;
  int64_t left = n;
  for (; left >= block; left -= block) {
    start(code, mem);
    // A step touches each stream in one burst, too seldom for the hardware to fetch far enough
    // ahead: without this the quadratic formula on 1e6 float64 takes 2.3 times a fused loop, with
    // it 1.0 (AVX-512). Addresses past the end do no harm.
    for (int i = 0; i < advancing; i++) {
      const int step = entries[i].size * block;
      mem[i] += step;
      for (int at = 0; at < step; at += 64) __builtin_prefetch(mem[i] + kPrefetchBytes + at);
    }
    if (has_positions_)
      for (int i = advancing; i < count; i++)
        if (entries[i].kind == Entry::position) {
          int64_t position;
          std::memcpy(&position, mem[i], 8);
          position += block;
          std::memcpy(mem[i], &position, 8);
        }
  }
  if (left == 0) return;

  // The last items: steps always work on whole blocks, so these go through copies.
  for (int i = outputs_; i < advancing; i++) {
    const Entry& e = entries[i];
    char* staged = working + e.offset;
    const size_t have = static_cast<size_t>(e.size * left);
    const size_t rest = static_cast<size_t>(e.size * (block - left));
    std::memcpy(staged, mem[i], have);
    if (e.kind == Entry::input)
      std::memset(staged + have, 0, rest);
    else  // a position that exists
      for (size_t at = have; at < have + rest; at += e.size)
        std::memcpy(staged + at, staged + have - e.size, e.size);
    mem[i] = staged;
  }
  char* targets[kStackEntries];
  std::unique_ptr<char*[]> heap_targets;
  char** target = targets;
  if (outputs_ > kStackEntries) {
    heap_targets.reset(new char*[static_cast<size_t>(outputs_)]);
    target = heap_targets.get();
  }
  // Outputs are the first entries.
  for (int i = 0; i < outputs_; i++) {
    target[i] = mem[i];
    mem[i] = working + entries[i].offset;
  }
  start(code, mem);
  for (int i = 0; i < outputs_; i++)
    std::memcpy(target[i], mem[i], static_cast<size_t>(entries[i].size * left));
}

}  // namespace serrate::cpu
