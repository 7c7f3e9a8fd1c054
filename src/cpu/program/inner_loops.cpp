// Running inner loops, and the tables of each instruction set.
#include "cpu/program/inner_loops.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/fill_items.h"
#include "cpu/machine/isa_table.h"

namespace serrate::cpu {

#define SERRATE_DECLARE(isa)                                  \
  namespace isa {                                             \
  StepsLoop steps_loop(Op op, DType type, Operands operands); \
  StepsLoop cast_loop(DType from, DType to);                  \
  }
SERRATE_EACH_ISA(SERRATE_DECLARE)
#undef SERRATE_DECLARE

StepsLoop steps_loop(Isa isa, Op op, DType type, Operands operands) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::steps_loop(op, type, operands);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) default : return nullptr; }
#undef SERRATE_CASE
}

StepsLoop cast_loop(Isa isa, DType from, DType to) {
#define SERRATE_CASE(isa) \
  case Isa::isa:          \
    return isa::cast_loop(from, to);
  switch (isa) { SERRATE_EACH_ISA(SERRATE_CASE) default : return nullptr; }
#undef SERRATE_CASE
}

void InnerLoops::run(void* const* slots, int64_t n) const {
  if (n <= 0) return;
  const auto address = [&](const Entry& e) { return static_cast<char*>(slots[e.slot]); };
  if (kind_ == fill || kind_ == copy) {
    const auto [x, out] = std::pair(address(entries_[0]), address(entries_[1]));
    const size_t size = entries_[1].size, items = static_cast<size_t>(n);
    return kind_ == fill ? fill_items(out, x, size, items)
                         : static_cast<void>(std::memmove(out, x, items * size));
  }
  // Of the last items there is a step of each entry.
  static_assert(kMostEntries * 64 * 16 <= kMostScratch * kPartBytes);
  alignas(64) char scratch[kMostScratch * kPartBytes];
  char* mem[kMostEntries];
  const size_t count = entries_.size();
  for (size_t i = 0; i < count; i++) {
    const Entry& e = entries_[i];
    mem[i] = e.kind == Entry::scratch ? scratch + e.slot * kPartBytes : address(e);
  }
  int64_t steps = n / isa_->items;
  const int64_t left = n % isa_->items, most = part_ == 0 ? steps : part_;
  while (steps > 0) {
    const int64_t part = std::min(most, steps);
    run_loops(mem, part);
    for (size_t i = 0; i < count; i++)
      if (const Entry& e = entries_[i]; e.kind != Entry::scratch) mem[i] += bytes_of_step(e) * part;
    steps -= part;
  }
  if (left > 0) run_last(mem, scratch, left);
}

void InnerLoops::run_loops(char* const* mem, int64_t steps, size_t loop, size_t stop) const {
  const bool stops = stop < stops_.size();
  for (const size_t end = stops ? stops_[stop].loop : loops_.size(); loop < end; loop++) {
    const Loop& l = loops_[loop];
    l.run(mem[l.x], mem[l.y], mem[l.out], steps);
  }
  if (!stops) return;
  const char* const decides = mem[stops_[stop].entry];
  for (int64_t first = 0, end; first < steps; first = end) {
    bool goes_on;
    end = first + isa_->alike(decides + first * isa_->items, steps - first, goes_on);
    char* at[kMostEntries];
    for (size_t i = 0; i < entries_.size(); i++)
      at[i] = mem[i] + first * bytes_of_step(entries_[i]);
    if (goes_on)
      run_loops(at, end - first, loop, stop + 1);
    else
      std::memset(at[0], stopped_, static_cast<size_t>((end - first) * isa_->items));
  }
}

/// Fewer items than a step: these go through copies, as in Program::run.
void InnerLoops::run_last(char** mem, char* scratch, int64_t n) const {
  char* outputs[kMostEntries];
  for (size_t i = 0; i < entries_.size(); i++) {
    const Entry& e = entries_[i];
    if (e.kind == Entry::one) continue;
    char* const staged = scratch + i * 64 * 16;
    const auto have = static_cast<size_t>(n * e.size), all = static_cast<size_t>(bytes_of_step(e));
    if (e.kind == Entry::input) {
      std::memcpy(staged, mem[i], have);
      std::memset(staged + have, 0, all - have);
    }
    outputs[i] = mem[i];
    mem[i] = staged;
  }
  run_loops(mem, 1);
  for (size_t i = 0; i < entries_.size(); i++)
    if (const Entry& e = entries_[i]; e.kind == Entry::output)
      std::memcpy(outputs[i], mem[i], static_cast<size_t>(n * e.size));
}

}  // namespace serrate::cpu
