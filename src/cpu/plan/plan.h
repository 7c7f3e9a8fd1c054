// A loop nest made ready for the CPU: for each frame what is done on one block, and the table of
// addresses ("slots") that programs and kernels work on. A plan holds nothing of the arrays it was
// made for: what differs between arrays of the same structure are spaces and columns that it names
// by number, its objects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/seams.h"
#include "cpu/lists/folds/fold_extremes.h"
#include "cpu/lists/ragged.h"
#include "cpu/plan/fusion.h"
#include "cpu/program/inner_loops.h"
#include "cpu/program/program.h"
#include "graph/nest.h"
#include "graph/store.h"

namespace serrate::cpu {

/// Where the address in a slot comes from.
struct Slot {
  enum Kind : uint8_t {
    constant,  // one value: of a constant column, or kept in the plan
    base,      // start of a buffer
    direct,    // a buffer at the first position of the frame's block
    lists,     // items of lists that lie anywhere: a buffer, or copies
    vector,    // scratch: one value per position of the frame's block
    accum,     // scratch, or an output: one accumulator per position of the frame's block
    output,    // where the block's values of output `index` go
    first,     // one int64: position (base: local index) of the block's first item
    offsets,   // the frame's local offsets
    link       // int32 positions in the block of a base
  };
  Kind kind = vector;
  DType dtype = DType::int64;
  int frame = 0;
  int index = 0;    // output number; link number; accumulator number
  int object = -1;  // base, direct, lists: a column that loads from it; constant: the column
  int sink = -1;    // accum: the output that it is
  alignas(16) std::byte value[16];  // constant without a column
};

struct Accum {
  int slot = -1, index_slot = -1;  // argmin, argmax: the int64 positions
  Reducer reducer{};
  DType dtype = DType::int64;  // of the values
  bool is_wide = false;        // float32 that is added up as dtype
  int from = 0, into = 0;      // frames
  int value = -1, valid = -1;  // slots in `from`
  // Of `any`: whether an item of `value` is NaN, or a number. The fold of the extreme beside it
  // tells: that has the number of this one as `told`.
  Beside beside = Beside::nothing;
  int told = -1;
};

struct BlockOp {
  enum Kind : uint8_t {
    program,    // run programs[a]; b: where it stores, see Outputs
    expand,     // slot b = slot a of the parent frame, once per item
    positions,  // slot b = domain positions (int64)
    local,      // slot b = index in the list (int64)
    cycle,      // the same of regular lists that follow each other
    check,      // uint8 slot a: 1 is a failure of checks[b]
    child,      // walk frame a
    fold,       // accums[a]
    histogram,  // histograms[a]
    filter,     // walk frame a inside this block
    repeat,     // slot b = slot a of the frame whose lists are repeated, once per item
    strided,    // slot b = what strided[a] reads
    lines,      // slot b = what lines[a] reads
    gathered,   // slot b = what gathered[a] reads
    compress,   // slot b = what a filter leaves of slot a of its base
    call,       // calls[a]
    fused,      // fusions[a]
    bounds      // look at the indexes of bounds[a]: with SERRATE_ASSERT only
  };
  Kind kind;
  int a = 0, b = 0;
};

struct Check {
  int object;                 // a column with this check
  int index_slot, size_slot;  // int64, or -1: for the message
};

/// A function of users, of a block.
struct Call {
  std::shared_ptr<const Function> function;
  std::vector<int> inputs;   // slots
  int where = -1;            // slot of booleans; -1: everywhere
  std::vector<int> outputs;  // slots, of all
};

/// Steps around calls, and the same as one loop.
struct Fusion {
  std::vector<BlockOp> ops;
  std::vector<int> slots;  // what the loop is given
  std::unique_ptr<FusedLoop> loop;
};

/// Indexes that a gather is about to follow.
struct Bounds {
  int slot;          // int64, or int32
  DType dtype;       // of the indexes
  int column, base;  // object: they are positions in what it loads; or a frame: in its block
};

/// A load from places that are equally far apart: the index, its operands first, in terms of
/// positions and constants.
struct Strided {
  struct Step {
    enum Kind : uint8_t { combined, position, constant, zero };
    Op op{};  // combined: of the two before
    Kind kind = combined;
    int slot = -1;  // constant
  };
  static constexpr size_t kMost = 16;  // steps
  int base, column;                    // slot of the memory; object: the load
  DType dtype;
  std::vector<Step> index;
};

/// The same list by list: item i of a list at first + step * i. What is known of the list's owner
/// is 0 in `index.index`, whose positions are indexes in lists.
struct Lines {
  Strided index;
  int first = -1;  // slot of the owner's frame (int64), with all constants; -1: only these
};

/// The same at places that are looked up by the index in the list: at first + places[i].
struct Gathered {
  int base, column;  // as Strided
  DType dtype;
  int first;                 // as Lines
  int places, place_column;  // slot of the memory of int64; object: the load
};

struct HistogramSink {
  int output, cell, weight;  // slots; weight -1: counts; cell -1: the index in the list
  DType cell_dtype;          // int32 or int64
  DType dtype;               // of the sums: int64 or float64
  DType weight_dtype;        // the same, or float32 of float64
  Reducer reducer;           // sum, min or max
  int64_t size;              // cells
  int tables;                // see HistogramArgs
  /// Words that a task needs.
  int64_t words() const { return tables * (size + 1); }
};

struct Output {
  DType dtype;
  int frame;
  bool appends = false;    // size unknown before the walk
  bool histogram = false;  // filled by a sink
};

struct CpuFrame {
  // What the nest says.
  graph::SpaceKind kind{};
  int space = 0;  // object
  int depth = 0;
  int parent = -1, inside = -1;
  int repeats = -1;  // the frame whose lists each owner looks at again
  bool whole = false;
  bool stored = false;   // its space
  bool counted = false;  // fixed, not stored, but of a known number of lists: items are, too
  std::vector<int> bases, children;
  // What is done.
  std::vector<BlockOp> ops;
  std::vector<int>
      bound;  // slots to set at each block: direct, vector, accum, output, offsets, link
  std::vector<int> links;       // select: one; combinations, cartesian: k
  int offsets_slot = -1;        // if anybody looks at it as a vector
  int starts = -1, stops = -1;  // list: slots in the parent (int64), or -1: physical offsets
  int offsets = -1;             // object: a column that loads these, if not those of the space
  IndexType offsets_type{};
  int predicate = -1;        // select: uint8 slot in the base frame
  bool needs_link = false;   // select: programs look something up by it
  bool consecutive = false;  // positions of a block follow each other
  bool needs_offsets = false;
  bool needs_local =
      false;             // positions inside lists matter: parts of lists must know where they start
  bool appends = false;  // an output of unknown size is written here
  std::vector<int>
      outward;        // accums done in this walk, or in one inside it, into a frame outside of it
  int collapse = -1;  // rows: the stored list frame that can be walked directly
  bool is_ordered = false;    // rows: blocks must follow each other
  bool can_split = true;      // parts of a block may run in parallel
  bool only_folds = false;    // nothing is stored between two of them: blocks may be longer
  bool only_columns = false;  // and they are folds of columns
  bool only_counts = false;   // nobody asks which items there are
  bool may_span = false;      // what lies between two lists may be computed with them
};

struct CpuPlan {
  std::vector<Slot> slots;
  std::vector<CpuFrame> frames;
  std::vector<Program> programs;
  std::vector<InnerLoops> loops;  // of each program; false where it has none
  std::vector<Accum> accums;
  std::vector<Check> checks;
  std::vector<Call> calls;
  std::vector<Fusion> fusions;
  std::vector<HistogramSink> histograms;
  std::vector<Bounds> bounds;
  std::vector<Strided> strided;
  std::vector<Lines> lines;
  std::vector<Gathered> gathered;
  std::vector<Output> outputs;  // of the nest
  /// Items of a block. What calls take and give lies in memory: all of it in the first cache.
  int64_t block() const {
    const int64_t most = seams().block;
    return calls.empty() ? most : std::max<int64_t>(1, most / 4);
  }
};

/// A plan with the objects of the nest it was made from.
struct NewPlan {
  CpuPlan plan;
  std::vector<const void*> objects;
};

/// Turns a finished nest into a plan.
NewPlan make_plan(graph::Nest& nest);

/// Where loads find a buffer. One without a byte may still be looked at where a guard is false.
const std::byte* load_address(const Buffer& b);

/// One buffer per nest output.
std::vector<graph::Written> run(const CpuPlan& plan, std::span<const void* const> objects);

}  // namespace serrate::cpu
