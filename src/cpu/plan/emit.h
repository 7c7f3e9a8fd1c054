// Makes a CPU plan out of a loop nest: the state of that work. Columns in emit_columns.cpp, loads
// in emit_loads.cpp, addresses in emit_slots.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/plan/plan.h"
#include "graph/evaluate.h"

namespace serrate::cpu {

using graph::Column;
using graph::ColumnKind;
using graph::ColumnRef;
using graph::Frame;
using graph::Nest;
using graph::SpaceKind;
using graph::SpaceRef;

/// When and where a column's value is to be had in one frame.
struct Entry {
  const Column* column = nullptr;
  int frame = 0;
  DType dtype = DType::int64;
  uint8_t time = 0, stage = 0;
  bool scalar = false;  // slot holds one value
  int segment = -1;     // where `value` lives
  int value = -1;
  int slot = -1;
};

struct Segment {
  int frame;
  uint8_t time, stage;
  ProgramBuilder builder;
};

/// A call in the making: others ask for other outputs of it.
struct MadeCall {
  ColumnRef column;
  int frame, number;
  uint8_t time, stage;
};

struct TimedBlockOp {
  uint8_t time, stage, order;  // order: 0 kernels, 1 program, 2 walks
  BlockOp op;
};

class Emitter {
 public:
  explicit Emitter(Nest& nest) : nest_(nest) {
    plan_.frames.resize(nest.frames().size());
    block_ops_.resize(nest.frames().size());
    looks_up_.resize(nest.frames().size());
    starts_.resize(nest.frames().size());
    plan_.slots.reserve(32);
    entries_.reserve(32);
    segments_.reserve(8);
    plan_.programs.reserve(8);
  }

  NewPlan run();

 private:
  CpuFrame& cpu(int f) { return plan_.frames[static_cast<size_t>(f)]; }
  const Frame& frame(int f) const { return nest_.frames()[static_cast<size_t>(f)]; }

  ColumnRef find(const graph::Fold& fold) { return ColumnRef(fold.column); }

  // -- slots
  // ----------------------------------------------------------------------------------------------------------
  int slot(Slot::Kind kind, DType t, int f, int index = 0, const Column* from = nullptr);

  int find_slot(Slot::Kind kind, int f, const Column* from, int index = 0) const;

  int base_slot(const Column& load);
  int direct_slot(const Column& load, int f, Slot::Kind kind = Slot::direct);
  int first_slot(int f);
  int link_slot(int f, int k);
  int offsets_slot(int f);

  int constant_slot(const Scalar& s);
  int constant_slot(DType t, const std::byte (&value)[16]);
  int constant_slot(const Column& c);
  /// The time and stage at which all of these entries are known; -1 stands for none.
  std::pair<uint8_t, uint8_t> known_at(std::initializer_list<int> entries) const;

  /// The number of a space or a column that the plan needs when it runs.
  int object(const void* p);

  // -- segments and entries
  // ---------------------------------------------------------------------------------------------
  int segment(int f, uint8_t time, uint8_t stage);

  /// The entry's value inside segment s (no earlier than the entry).
  int in_segment(int e, int s);

  /// A slot with the entry's values, one per item (or one value, if it is a scalar).
  int slot_of(int e);

  /// A slot with one value per item, also of scalars.
  int vector_of(int e);

  int add(const ColumnRef& c, int f, uint8_t time, uint8_t stage, int slot, bool scalar = false);
  int add_value(const ColumnRef& c, int f, int s, int value);

  // -- columns
  // ------------------------------------------------------------------------------------------------------------
  int get(const ColumnRef& c, int f);

  // -- loads: emit_loads.cpp
  int get_load(const ColumnRef& c, int f);
  /// The entry of a load at the owner's position: read once for each list, regular ones, so that
  /// what is not there is not read; -1 of others.
  int get_outer_load(const ColumnRef& c, int f);
  /// The entry of a load at first + step * position, of the whole block or list by list; -1 of
  /// others.
  int get_strided(const ColumnRef& c, int f);
  int get_lines(const ColumnRef& c, int f);
  /// The same at first + what is looked up by the index in the list.
  int get_gathered(const ColumnRef& c, int f);
  /// A new vector that a step of this kind makes.
  int made_of(const ColumnRef& c, int f, BlockOp::Kind kind, size_t number);
  /// What the index of a strided load is, its operands first.
  void add_steps(const ColumnRef& index, Strided& load);
  /// An index, by what of it changes in a list.
  enum class IndexKind : uint8_t { constant, of_list, line, other };
  IndexKind index_kind(const ColumnRef& c, int f);
  /// Does the first one of a list depend on the list?
  static bool has_owner(const ColumnRef& c);
  /// The entry, in the frame of the owner, of a line's index at item 0; -1: 0.
  int first_of_list(const ColumnRef& c, int f);
  /// Where the lists of a frame start, as int64.
  ColumnRef wide_starts(int f);
  /// Stores items of a filter's base that it leaves, if that is what the output is.
  bool store_kept(const graph::Nest::Output& o, int number);
  /// The entry is a load or a cycle of indexes that a step of its own makes, in a slot that is not
  /// yet an output.
  bool is_made_in_place(const Entry& e) const;

  int get_local(const ColumnRef& c, int f);

  int get_op(const ColumnRef& c, int f);

  int get_parent(const ColumnRef& c, int f);

  int expanded(int from, DType t, int f, BlockOp::Kind kind = BlockOp::expand);

  /// What is known of the lists that frame f repeats, copied to whoever looks at them.
  int get_repeated(const ColumnRef& c, int f, const ColumnRef& of_lists, int lists);

  int get_at(const ColumnRef& c, int f, int base, const ColumnRef& inner);

  int get_pick(const ColumnRef& c, int f);

  /// The time in frame `owner` of the walk that frame f is, or is inside of.
  int top_time(int f, int owner) const;

  int get_reduce(const ColumnRef& c, int f);
  /// `any` of NaN, or of numbers: what the fold of an extreme of the same items tells by the way.
  /// -1 if c is none, or nobody asks for the extreme.
  int get_beside(const ColumnRef& c, int f);

  // -- filters that only folds are behind: emit_filters.cpp
  /// A filter's frame that is not walked: its folds are done in the frame of its base.
  bool is_dissolved(int f) const;
  /// A column over select(C, ..) as one over C; null where it is not known for all of C or dear.
  static ColumnRef over_base(const ColumnRef& c);
  /// The slot of a fold's values, the identity where the predicate (an entry) is false.
  int kept_values(const Accum& a, const ColumnRef& value, int predicate);

  int get_call(const ColumnRef& c, int f);
  MadeCall make_call(const ColumnRef& c, int f);
  /// A slot with one value per item of frame f, also of scalars.
  int vector_in(int e, int f);
  // -- calls and the programs around them: emit_fusions.cpp
  void fuse_calls(int f);
  bool can_fuse(const BlockOp& op) const;
  Fusion fused(std::span<const BlockOp> ops);
  /// How often each slot is read by everything, or by these.
  std::vector<int> reads() const;
  void count_reads(const BlockOp& op, std::vector<int>& times) const;
  int get_check(const ColumnRef& c, int f);
  /// Before a gather in frame f, where asserted.
  void assert_bounds(int f, uint8_t time, uint8_t stage, Bounds bounds);

  // -- frames
  // -----------------------------------------------------------------------------------------------------------
  void set_consecutive(int f);

  void prepare(int f);

  void emit_outputs();

  /// Items of the space stand at known places of the output: unit, rows, stored lists, and regular
  /// ones of these.
  bool has_known_size(int f) const;

  void emit_ends();
  void emit_histogram(int output);
  /// Cells that are the index in the list need no vector; which items have one, in `who`.
  bool is_place(const ColumnRef& cell, int f, ColumnRef& who) const;

  void finish();

  /// What is between the lists of a frame may be computed like their items: nothing but folds sees
  /// what comes of it, and nothing fails.
  bool may_span(int f) const;
  /// The same before anything is emitted: of lists that seem to ascend.
  bool is_only_folded(int f) const;

  void set_frames();
  bool is_below(int f, int top) const;
  void set_ways();

  Nest& nest_;
  CpuPlan plan_;
  std::vector<const void*> objects_;
  std::vector<Entry> entries_;
  std::vector<Segment> segments_;
  std::vector<std::vector<TimedBlockOp>> block_ops_;
  std::vector<std::vector<BlockOp>> ends_;
  std::vector<ColumnRef> keep_;
  std::vector<ColumnRef> starts_;  // of the lists of each frame, as int64
  std::vector<MadeCall> made_calls_;
  std::vector<bool> looks_up_;  // frames whose programs look something up by an index
};

}  // namespace serrate::cpu
