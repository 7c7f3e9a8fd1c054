// Walks the frames of a plan block by block. What is done in a block: walk_block.cpp; how derived
// and list spaces are walked: walk_spaces.cpp; rows, tasks and their accumulators: walk_rows.cpp.
#pragma once

#include <algorithm>

#include "cpu/machine/pool.h"
#include "cpu/machine/scratch.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/run_state.h"
#include "graph/known.h"

namespace serrate::cpu {

using graph::Space;
using graph::SpaceKind;

inline constexpr int64_t kInt32 = 0x7fffffff;

class Walker {
 public:
  Walker(const CpuPlan& plan, RunState& run, Context& ctx)
      : plan_(plan), run_(run), ctx_(ctx), k_(run.kernels) {}

  void body(int f);

  void walk(int f);

 private:
  const CpuFrame& frame(int f) const { return plan_.frames[f]; }
  const Space& space(int f) const { return run_.space(f); }
  FrameState& state(int f) { return ctx_.states[f]; }
  template <class T>
  T* at(int slot) {
    return static_cast<T*>(ctx_.slots[slot]);
  }

  class PartAccums;

  struct Lists {
    const std::byte* offsets = nullptr;
    IndexType type{};
    bool pairs = false;
    int64_t first = 0, total = 0, size = -1, place = 0, walk = 0;
    const int32_t* begins = nullptr;  // repeated lists
    const int32_t* ends = nullptr;    // lists with what is between them
  };

  // -- one block
  // --------------------------------------------------------------------------------------------------------
  void bind(int f);

  void run_op(int f, const BlockOp& s);

  void call(int f, const Call& c);
  // Loads from places that are equally far apart: walk_loads.cpp.
  void strided(int f, const BlockOp& s);
  void lines(int f, const BlockOp& s);
  void gathered(int f, const BlockOp& s);
  /// The same of lists that are copied together.
  void short_lists(int f, const BlockOp& s, int64_t step);
  /// Of lists that are all the same and follow each other.
  void cycle_line(int f, const BlockOp& s, const graph::Line& line_of_list);
  /// n items of such lists of `period` items, from item `begin` of one on.
  struct Cycle {
    int64_t period, begin, n;
  };
  void repeat_line(const Strided& load, const graph::Line& line_of_list, const Cycle& c,
                   std::byte* out);
  graph::Line line(const Strided& load);
  /// n items from `first` on, copied.
  void read_line(const Strided& load, int64_t first, int64_t step, int64_t n, void* out);
  /// The same where they are, if they are side by side.
  bool read_in_place(const BlockOp& s, const Strided& load, int64_t first, int64_t step, int64_t n);
  void compress(int f, const BlockOp& s);
  /// Does a filter keep so many of n items that all are looked at? Else the others are not read.
  static bool is_dense(int64_t kept, int64_t n) { return 8 * kept >= n; }
  void fused(int f, const Fusion& x);
  void check_block(int f, const BlockOp& s);

  void bounds(int f, const Bounds& b);

  /// The index along axis 0 that item i of frame f's block belongs to. UncountedRow.
  int64_t row_of(int f, int64_t i);
  /// Is it known where in its list a block of a derived space begins?
  bool needs_start(int f) const {
    return plan_.frames[f].needs_local || (run_.counts_rows && frame(f).depth == 1);
  }

  void fold(int f, const Accum& a);

  void fill(int f, int number);

  // -- walks
  // --------------------------------------------------------------------------------------------------------------
  void walk_rows(int f);

  /// `done` of so many rows or items have been walked: outputs that grow are told how much will be
  /// there, as if the others were like those, and an eighth more.
  void expect(int64_t done, int64_t of);
  /// A block of a frame is inner loops from memory to memory, which may be of any size.
  bool only_loops(int f) const;
  /// A block of a frame, and what is walked inside it, is folded: nothing is stored or checked.
  bool only_folds(int f) const;
  /// Are they of stored items, and do they give the same in blocks of any size?
  bool folds_in_any_order(int f) const;
  /// Nothing is asked of a walk but whether any or all of its items are true: it may end early.
  bool only_tests(int f) const;
  /// What the items so far have told.
  bool is_decided(int f);

  /// Runs parts of one walk, each with accumulators of its own, merged in order afterwards.
  void run_parts(int f, int64_t tasks, FunctionRef<void(Walker&, int64_t)> part, bool may_defer);

  void rows_block(int f, int64_t begin, int64_t end);

  /// A block of items from `first` on, walked without their lists; `place` as in FrameState.
  void items_block(int f, int64_t first, int64_t place, int64_t n);

  void walk_lists(int f);

  /// Local offsets of lists by their starts and stops: with what is between them, where that may be
  /// and is little.
  void place_lists(int f, Lists& l, int64_t lists, int32_t* off);

  /// Local offsets of lists that repeat others, and where these begin.
  int32_t* repeat_lists(int f, Lists& l);

  /// Items [from, to) of the lists of one block, in blocks of about `seams().stream`.
  void stream(int f, const Lists& l, const int32_t* off, int64_t from, int64_t to, int64_t lists);

  void walk_tuples(int f);
  void tell_tuples(int f, const int32_t* const* offs, int64_t lists);

  void walk_aligned(int f);

  void walk_select(int f);

  void walk_flat(int f);

  /// How many items of the first list of frame f's next block were in blocks before it. The block
  /// has `lists` lists from list `first` of their walk on.
  int64_t items_before(int f, int64_t walk, int64_t first, const int32_t* off, int64_t lists);

  const CpuPlan& plan_;
  RunState& run_;
  Context& ctx_;
  const RaggedKernels& k_;
  std::vector<void*> call_pointers_;            // of one call, kept for its memory
  std::vector<std::vector<std::byte>> cycles_;  // of lines: see cycle_line
};

}  // namespace serrate::cpu
