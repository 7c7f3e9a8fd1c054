// Programs of one operation as one loop over a whole block of memory, as NumPy's ufuncs have them:
// nothing is called from one step of items to the next.
#pragma once

#include <cstdint>

#include "cpu/machine/isa.h"
#include "cpu/program/program.h"

namespace serrate::cpu {

/// Which operands are one item for all.
enum class Operands : uint8_t { arrays, second_is_one, first_is_one };

/// An operation of `steps` times as many items as a step of programs has. The result may be an
/// operand's memory.
using StepsLoop = void (*)(const char* x, const char* y, char* out, int64_t steps);

class InnerLoop {
 public:
  /// As the builder's program; false if that is no single operation (of items that may be converted
  /// before), or has no such loop.
  static InnerLoop of(const ProgramBuilder& builder, Isa isa = best_isa());

  explicit operator bool() const { return kind_ != none; }
  /// As Program::run.
  void run(void* const* slots, int64_t n) const;

 private:
  friend class Scheduler;
  enum Kind : uint8_t { none, loop, fill, copy };
  Kind kind_ = none;
  void run_part(const char* x, const char* y, char* out, int64_t n) const;

  uint8_t x_size_ = 0, y_size_ = 0, out_size_ = 0;  // bytes from one item to the next: 0 of one
  int x_ = 0, y_ = 0, out_ = 0;                     // slots
  int step_ = 0;                                    // items
  StepsLoop run_ = nullptr;
  // Operands that are converted before, and their sizes after it; null: as they are.
  StepsLoop cast_x_ = nullptr, cast_y_ = nullptr;
  uint8_t wide_x_ = 0, wide_y_ = 0;
};

/// The loop of an operation on items of this type, as the tables of steps have them; or null.
StepsLoop steps_loop(Isa isa, Op op, DType type, Operands operands);
/// The loop of a conversion, or null.
StepsLoop cast_loop(Isa isa, DType from, DType to);

}  // namespace serrate::cpu
