// What a run of a plan works on: addresses, blocks, sinks, and how the data is cut into tasks.
#pragma once

#include <span>
#include <vector>

#include "core/interrupt.h"
#include "cpu/machine/scratch.h"
#include "cpu/plan/plan.h"

namespace serrate::cpu {

/// One block of a frame: n items in `lists` lists, the first of which is list `list0` of the
/// owner's block.
struct FrameState {
  int64_t n = 0;
  int64_t lists = 0;
  const int32_t* off = nullptr;
  int64_t first = 0;       // domain position of the first item, where positions are consecutive
  int64_t list_start = 0;  // index of the first item inside its list
  int64_t list0 = 0;
  int64_t place = 0;  // of the first item in outputs of known size
  int64_t walk = 0;   // number of the walk over lists that this block is a part of
  // Repeated lists: where each list of this block begins in the block of the lists themselves.
  const int32_t* begins = nullptr;
  // Lists that do not lie end to end, walked with what is between them: where each ends. That is
  // computed, too, as items of the list before, but never folded.
  const int32_t* ends = nullptr;
};

/// Items that earlier blocks had of the last list they saw: of list `list` of walk `walk`.
struct Carry {
  int64_t walk = -1, list = -1, items = 0;
};

/// Where an output's values go: a place known beforehand, or memory that grows.
class Grow {
 public:
  Grow() = default;
  Grow(int item, int64_t known_size, int64_t origin);
  /// Of unknown size, but at most so many items (0: not known).
  static Grow up_to(int item, int64_t most);
  /// Address for n items: those from domain position `first` on, or the next ones.
  void* place(int64_t first, int64_t n);
  /// For outputs whose size is unknown: room for so many items, or more. What is there stays.
  void make_room(int64_t items) { reserve(items); }
  /// So many items will come, about: room is made for them sooner.
  void expect(int64_t items) { expected_ = items; }
  /// Copies a part to where it begins, for which there is room, and gives its memory back. Several
  /// threads may put parts at once.
  void put(int64_t begin, Grow part);
  /// So many items have been put, or will be.
  void set_size(int64_t items);
  graph::Written take();
  bool known() const { return known_; }
  int64_t size() const { return size_; }
  int64_t room() const { return room_; }
  int item() const { return item_; }

 private:
  void reserve(int64_t items);
  /// Memory that may have to grow.
  struct Block {
    void* p = nullptr;
    size_t bytes = 0;
    Block() = default;
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
  };
  Buffer growing(int64_t& room, void** p);
  void extend(int64_t room);
  Buffer behind_origin(int64_t room, void** p) const;
  Buffer buffer_;
  std::shared_ptr<Block> block_;  // of buffer_, where it grows
  std::byte* data_ = nullptr;     // of buffer_
  int64_t size_ = 0, room_ = 0, origin_ = 0, expected_ = 0;
  int item_ = 1;
  bool known_ = false;
};

/// What one thread works with. Its tables are scratch memory of that thread, which whoever makes it
/// releases.
struct Context {
  Context(const CpuPlan& plan, std::span<const void* const> objects, Scratch& scratch);
  /// For a part of the walk: the same addresses above it, blocks of its own.
  Context(const Context& o, Scratch& scratch);
  Context(const Context&) = delete;

  const CpuPlan& plan;
  Scratch& scratch;
  std::span<void*> slots;
  std::span<FrameState> states;
  std::span<Grow*> outputs;
  std::span<uint64_t*> histograms;
  std::span<Carry> carry;  // per frame that is walked inside another
  int64_t walks = 0;       // numbers of walks given so far
  bool part = false;       // accumulators are this part's own
  bool near = false;       // all that is looked up by index is in the second cache
  Interruptible& interruptible = Interruptible::of_thread();

 private:
  struct alignas(16) Constant {
    std::byte bytes[16] = {};
  };
  void make_tables(size_t constants);
  void point_firsts();
  std::span<Constant> constants_;
};

/// One run: sinks, and decisions that depend on the data but never on the number of threads.
class RunState {
 public:
  /// Uses scratch memory that whoever makes it releases.
  RunState(const CpuPlan& plan, std::span<const void* const> objects, Scratch& scratch);

  /// Rows (or items) per task of the walk over frame f.
  int64_t task_rows(int f, int64_t items, int64_t block);
  bool is_giant(int f, int64_t task, int64_t tasks) const;
  void own_first_sinks(Context& ctx);
  /// Sums of weights of one task, added in order: the same for any number of threads.
  void own_fills(Context& ctx, std::vector<uint64_t>& filled);
  void join_fills(Context& ctx, const std::vector<uint64_t>& filled);
  /// Outputs of unknown size.
  std::vector<Grow*> growing(const Context& ctx) const;
  /// Puts a task's own in their place.
  void own_growing(Context& ctx, std::vector<Grow>& parts) const;
  std::vector<graph::Written> results();

  const graph::Space& space(int f) const {
    return *static_cast<const graph::Space*>(objects_[plan_.frames[f].space]);
  }
  const graph::Column& column(int object) const {
    return *static_cast<const graph::Column*>(objects_[object]);
  }
  int64_t block_rows(int f) const { return frames_[f].block_rows; }
  /// All items of a frame of known size: the first is at the extent's first place of outputs.
  graph::StoredExtent extent(int f) const;

  const RaggedKernels& kernels;
  int64_t histogram_bytes = 0;
  bool is_large = false;    // results do not fit the caches
  bool reads_much = false;  // nor do the columns that are read where they are
  /// One block after the other, so that rows which a filter leaves have numbers: for an error.
  bool counts_rows = false;

 private:
  /// Items of a row, about, of what is walked inside of it.
  double weight(int f, int64_t rows) const;
  /// Items of the largest of the lists inside of a frame.
  double work(int f) const;
  /// The most items that regular lists of what filters leave can have; 0: not known.
  int64_t most_items(int f) const;
  struct FrameRun {
    int64_t block_rows = 0;  // rows of a block
    int64_t per_task = 1;
    double weight = 1;  // items per row, about
  };

  const CpuPlan& plan_;
  const std::span<const void* const> objects_;
  std::span<FrameRun> frames_;
  std::vector<Grow> outputs_;
  std::vector<uint64_t> filled_;
  std::vector<int64_t> histogram_at_;
};

inline int64_t offset_at(IndexType t, const void* offsets, int64_t i) {
  switch (t) {
    case IndexType::i32:
      return static_cast<const int32_t*>(offsets)[i];
    case IndexType::u32:
      return static_cast<const uint32_t*>(offsets)[i];
    default:
      return static_cast<const int64_t*>(offsets)[i];
  }
}

/// Something is wrong in a row that has no number yet: blocks before it may leave rows.
struct UncountedRow {};

/// Throws what a failed check says. `row`: index along axis 0.
[[noreturn]] void raise_check(const graph::CheckInfo& info, int64_t row, int64_t index);

}  // namespace serrate::cpu
