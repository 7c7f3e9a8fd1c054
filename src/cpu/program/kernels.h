// What the scheduler may choose from: the precompiled steps of threaded code, by operation and
// type.
#pragma once

#include "cpu/program/program.h"

namespace serrate::cpu {

using Step =
    void (*)();  // really a function of (instruction, addresses, registers of the accumulator)

/// Where a step finds its arguments and leaves its result. acc: the accumulator, SIMD registers
/// that hold one value of all items of a block; mem: a block in memory; one: one item in memory.
enum class Variant : uint8_t {
  none,
  acc,
  acc_mem,
  mem_acc,
  acc_one,
  one_acc,  // result in the accumulator
  loop,     // all arguments and the result in memory
  loop_one,
  load,
  load_one,
  save,
  gather32,
  gather64,
  window,
  gather_window,
  part,
  iota,
  copy,
  cast,
  cast_to_acc,
  stop,
  end
};

/// The variants of one operation on one type; null where it has none. Unary: acc; binary: the next
/// four; any: loop. loop_one is a loop whose second argument is one item in memory.
struct OpSteps {
  Step acc = nullptr, acc_mem = nullptr, mem_acc = nullptr, acc_one = nullptr, one_acc = nullptr;
  Step loop = nullptr, loop_one = nullptr;
};

/// Steps that only move items, by log2 of their size. stream saves past the caches, to aligned
/// memory. window looks at 32-bit indexes once for several gathers by them; gather_window reads
/// what it wrote. Null where an instruction set has none. stop: if no boolean in the accumulator is
/// true it saves them, or their opposites (c), notes that entries from b on were not looked at, and
/// ends the block. part: real or imaginary parts of complex numbers, of 4 and 8 bytes.
struct MoveSteps {
  Step load[4], load_one[4], save[4], stream[4], gather32[4], gather64[4], iota, end, stop, window,
      gather_window[4], part[2][2];
};

/// One instruction set's steps.
struct Steps {
  int items;                         // of a block
  const OpSteps* (*of_type)(DType);  // kOpCount rows, null for types that have none
  Step (*where)(int log2_size);
  Step (*cast)(DType from, DType to);  // a loop, or null
  const MoveSteps& (*moves)();
  // How many of these steps of booleans, one or more, have one that is true, or have none, as the
  // first.
  int64_t (*alike)(const char* bools, int64_t steps, bool& is_any);
};

const Steps& steps(Isa isa);

// Slower loops that serve every instruction set; null if there is none. They read
// Instruction::items.
Step generic_loop(Op op, DType type);
Step complex_loop(Op op, DType type);
Step half_loop(Op op);
Step time_loop(Op op, DType first, DType second);
Step generic_copy(int log2_size);
Step generic_gather(int log2_size, DType index_type);
Step generic_where(int log2_size);

}  // namespace serrate::cpu
