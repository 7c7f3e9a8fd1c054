// Orders a program's values, and chooses what sits in the accumulator and what waits in scratch
// memory.
#pragma once

#include <bit>
#include <vector>

#include "cpu/program/inner_loops.h"
#include "cpu/program/kernels.h"

namespace serrate::cpu {

/// Which of the steps for items of 1, 2, 4, 8 and 16 bytes.
inline int log2_size(DType t) { return std::countr_zero(static_cast<unsigned>(itemsize(t))); }

/// Depth first, the argument that needs more scratch first (Sethi and Ullman 1970), with a stack of
/// its own: an expression may be deeper than a thread's stack. A value that is used again is saved
/// when it is computed.
class Scheduler {
 public:
  Scheduler(const ProgramBuilder& builder, Isa isa);
  Program schedule();

  /// The steps of booleans are those of bytes that are 0 or 1; signed integers share the unsigned
  /// ones' where the bits of the results agree.
  struct Row {
    Op op;
    DType type;
  };
  static Row row(Op op, DType t);

  using Value = ProgramBuilder::Value;
  /// Of a & b & c no item of a block may be true after a: what is left, and reading it, is spared
  /// then. Only where nothing else is stored. These are values that are false where what is stored
  /// is, or where its opposite is.
  struct Deciding {
    std::vector<Value> values;
    bool stores_opposite = false;
  };
  static Deciding find_what_decides(const ProgramBuilder& builder);
  static bool is_and(const ProgramBuilder& builder, Value v);

 private:
  using Node = ProgramBuilder::Node;
  using Kind = ProgramBuilder::Kind;
  using Entry = Program::Entry;

  struct State {
    int uses = 0;     // still to come
    int place = -1;   // entry of the table of addresses, if it is in memory
    int splat = -1;   // of a scalar: the entry of a block filled with it
    int output = -1;  // the entry of its first store
    bool output_done = false;
    bool decides = false;  // where it is false, so is what the program stores
  };
  struct Task {
    enum What : uint8_t { evaluate, keep, stop, emit } what;
    Value value;
  };

  void count_uses();
  void make_entries();
  int entry(Entry::Kind kind, int size, int slot);
  void evaluate(Value v);
  void evaluate_op(Value v);
  void keep(Value v);
  void stop(Value v);
  void emit(Value v);
  void emit_loop(Value v, Step step, Variant variant = Variant::loop);
  void emit_part(Value v);
  void emit_acc(Value v, const OpSteps& s);
  void emit_leaf(Value v);
  void to_accumulator(Value v);
  void store(Value v, int out);
  void instruction(Step run, Variant variant, Op op, DType type, DType to, int out, int a,
                   int b = 0, int c = 0);
  int window_of(int index);
  int block_of(Value v);
  int scratch_for(Value v);
  void use(Value v);
  void computed(Value v);
  void push(Task::What what, Value v) { tasks_.push_back({what, v}); }
  OpSteps steps_for(const Node& n) const;

  const Node& node(Value v) const { return builder_.nodes_[static_cast<size_t>(v)]; }
  State& state(Value v) { return states_[static_cast<size_t>(v)]; }

  const ProgramBuilder& builder_;
  const Steps& steps_;
  Program program_;
  std::vector<State> states_;
  std::vector<Task> tasks_;
  std::vector<int> free_;  // scratch entries
  struct Index {
    int entry;
    int gathers;  // of items of 4 and 8 bytes by 32-bit positions
    int window;   // entry, once there is one
  };
  std::vector<Index> indexes_;
  Value accumulator_ = -1;
  bool stores_opposite_ = false;
  int item_ = 8;  // bytes of a scratch item: the largest in the program
};

}  // namespace serrate::cpu
