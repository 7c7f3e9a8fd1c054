// Programs as inner loops, a vector at a time (Boncz, Zukowski, Nes, MonetDB/X100, CIDR 2005): each
// operation is one loop over a part whose intermediate results stay in the first cache, as NumPy's
// ufuncs are one over all items. Nothing is called from one step of items to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/machine/isa.h"
#include "cpu/program/kernels.h"
#include "cpu/program/program.h"

namespace serrate::cpu {

/// Which operands are one item for all.
enum class Operands : uint8_t { arrays, second_is_one, first_is_one };

/// An operation of `steps` times as many items as a step of programs has. The result may be an
/// operand's memory.
using StepsLoop = void (*)(const char* x, const char* y, char* out, int64_t steps);

/// The loop of an operation on items of this type, as the tables of steps have them; or null.
StepsLoop steps_loop(Isa isa, Op op, DType type, Operands operands);
/// The loop of a conversion, or null.
StepsLoop cast_loop(Isa isa, DType from, DType to);

class InnerLoops {
 public:
  /// As the builder's program; false if an operation of it has no such loop, or there are too many.
  static InnerLoops of(const ProgramBuilder& builder, Isa isa = best_isa());

  explicit operator bool() const { return kind_ != none; }
  /// Are there such loops, and are they faster than the program? Where several streams are read
  /// that may not be in the caches, it fetches them ahead.
  bool do_best(bool reads_much) const { return *this && (loops_.size() <= 1 || !reads_much); }
  /// As Program::run.
  void run(void* const* slots, int64_t n) const;

 private:
  friend class LoopScheduler;
  static constexpr int kMostScratch = 8;   // places of intermediate results
  static constexpr int kPartBytes = 4096;  // of each
  static constexpr int kMostEntries = 32;
  // Bytes of the intermediate results of an item: of more, registers are worth the calls of
  // programs (of the loops' time they take, at 1e5 items of float64, 1.0 for 3 operations, 0.8 for
  // 6 and 0.7 for 15; of float32 0.9 for 15; of int16 1.4).
  static constexpr int kMostBytes = 32;

  // Where an operand is, or a result.
  struct Entry {
    enum Kind : uint8_t { input, one, output, scratch } kind;
    uint8_t size;  // bytes of an item
    int slot;      // of the caller; or which place
  };
  // Of entries.
  struct Loop {
    StepsLoop run;
    uint8_t x, y, out;
  };
  // Before this loop, steps in which no boolean of this entry is true end, as programs' blocks do.
  struct Stop {
    uint8_t loop, entry;
  };
  void run_loops(char* const* mem, int64_t steps, size_t loop = 0, size_t stop = 0) const;
  void run_last(char** mem, char* scratch, int64_t n) const;
  int64_t bytes_of_step(const Entry& e) const {
    return e.kind == Entry::one ? 0 : e.size * isa_->items;
  }

  enum Kind : uint8_t { none, loops, fill, copy } kind_ = none;
  const Steps* isa_ = nullptr;
  int64_t part_ = 0;  // steps whose intermediate results have room; 0: there is one loop
  std::vector<Entry> entries_;
  std::vector<Loop> loops_;
  std::vector<Stop> stops_;
  bool stopped_ = false;  // what steps that end store everywhere in the one output, entry 0
};

}  // namespace serrate::cpu
