// Straight-line vector code over n items: built value by value, compiled to threaded code, run on
// blocks of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cpu/machine/isa.h"
#include "serrate/op.h"

namespace serrate::cpu {

/// One step of a program: a function that does its work on one block and calls the next step's.
struct Instruction {
  void (*run)();
  uint16_t out, a, b, c;  // entries of the table of addresses
  int32_t items;          // of one block
  Op op;
  DType type, to;   // of the arguments; of the result
  uint8_t variant;  // cpu::Variant
};

/// What a program's outputs are: scratch that is in the caches, memory that may not be, or results
/// larger than the caches, which are written past them where they can be.
enum class Outputs : uint8_t { scratch, memory, streamed };

/// Immutable and safe to run from many threads at once.
class Program {
 public:
  Program() = default;

  /// Runs over n items. slots[i] is what the builder was told slot i is. Exactly n items of an
  /// input are read and exactly n of an output written. An output may be one of the inputs only if
  /// the program stores one value; other overlaps are errors that nothing checks.
  /// `near`: what is gathered is in the caches, so that items anywhere in it are not fetched ahead.
  void run(void* const* slots, int64_t n, Outputs to = Outputs::memory, bool near = false) const;
  /// All values that it stores go to slots for which `is_output` holds.
  template <class F>
  bool stores_only_to(F&& is_output) const {
    for (int i = 0; i < outputs_; i++)
      if (!is_output(entries_[static_cast<size_t>(i)].slot)) return false;
    return true;
  }
  /// The slots for which `is_far` holds may not be in the caches: only these are fetched ahead. All
  /// of them, unless this is said.
  template <class F>
  void fetch_only(F&& is_far) {
    far_.clear();
    for (int i = 0; i < advancing_; i++)
      if (is_far(entries_[static_cast<size_t>(i)].slot)) far_.push_back(static_cast<uint16_t>(i));
  }
  /// True if the program stores nothing.
  bool empty() const { return code_.empty(); }
  /// One instruction per line, for explain().
  std::string text() const;

 private:
  friend class ProgramBuilder;
  friend class Scheduler;

  // One entry of the table of addresses that instructions index.
  struct Entry {
    enum Kind : uint8_t { input, index, output, fixed, scratch, splat, position };
    Kind kind;
    uint8_t size;  // bytes of one item
    int slot;      // of the caller
    int offset;    // in the working memory: the place itself, or where the last block is staged
  };

  // Something gathered from: its entry, and the first index into it.
  struct Source {
    uint16_t from, index;
    uint8_t size, index_size;
  };
  void fetch_sources(char* const* mem, int64_t left, int ahead, int looked_at, bool near) const;

  std::vector<Instruction> code_;
  std::vector<Instruction> streaming_;  // the same, its outputs written past the caches
  std::vector<Entry> entries_;
  std::vector<Source> sources_;
  std::vector<uint16_t> far_;  // entries that are fetched ahead
  int outputs_ = 0;            // entries before this one are outputs
  int advancing_ =
      0;              // entries before this one move with the position: outputs, inputs and indexes
  int stopped_ = -1;  // entry where a block that ended early says which entries it looked at
  bool has_positions_ = false;
  int block_ = 0;    // items of one step
  int working_ = 0;  // bytes of working memory
};

/// Makes a Program. Values are numbered; what is computed alike is the same value.
///   ProgramBuilder b;                                            // out = x * 2
///   auto x = b.load(DType::float64, 0), two = b.scalar(DType::float64, 1);
///   b.store(b.op(Op::multiply, DType::float64, std::array{x, two}), 2);
///   Program p = std::move(b).finish();
///   p.run(slots, n);
class ProgramBuilder {
 public:
  using Value = int;

  /// slots[slot] is const T*: n items.
  Value load(DType t, int slot);
  /// slots[slot][index[i]], where slots[index_slot] are n int32 or int64 positions. Positions are
  /// not checked.
  Value gather(DType t, int slot, int index_slot, DType index_type);
  /// slots[slot] points at one value.
  Value scalar(DType t, int slot);
  /// int64: *slots[slot] + i.
  Value iota(int slot);
  Value cast(Value v, DType to);
  /// args are of the compute types that resolve() gave; compute is that of args[0] (of args[1] for
  /// where).
  Value op(Op op, DType compute, std::span<const Value> args);
  /// slots[slot] is T*: n items are written.
  void store(Value v, int slot);
  DType type(Value v) const { return nodes_[static_cast<size_t>(v)].type; }
  /// f(slot) of all that values are made of, computed or not.
  template <class F>
  void each_slot_read(F&& f) const {
    for (const Node& n : nodes_) {
      if (n.kind < Kind::cast) f(n.args[0]);
      if (n.kind == Kind::gather) f(n.args[1]);
    }
  }
  /// Chooses the order of evaluation and the place of every value.
  Program finish(Isa isa = best_isa()) &&;

 private:
  friend class Scheduler;
  friend class LoopScheduler;
  friend class LoopText;

  enum class Kind : uint8_t { load, gather, scalar, iota, cast, op };
  struct Node {
    Kind kind;
    DType type;
    Op op{};
    int args[3] = {-1, -1, -1};  // values; of a leaf: slot, index slot, index type
    int height = 0;              // scratch places its evaluation needs (Sethi-Ullman number)
  };
  struct Store {
    Value value;
    int slot;
  };

  Value add(const Node& node);
  Value& number_of(const Node& node);

  std::vector<Node> nodes_;
  std::vector<Value> numbers_;  // of nodes, by their hashes; -1: free
  std::vector<Store> stores_;
};

/// A constant as programs read it.
void store_scalar(const Scalar& s, std::byte* out);

}  // namespace serrate::cpu
