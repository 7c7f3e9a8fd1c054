// Runs plans of flat arrays: see run_flat.h. As Walker does, where all is one task.
#include "cpu/plan/run_flat.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/seams.h"
#include "cpu/machine/pool.h"
#include "cpu/machine/scratch.h"
#include "cpu/plan/strided_blocks.h"

namespace serrate::cpu {

using graph::SpaceKind;
using graph::StridedItems;

namespace {

constexpr size_t kMostSlots = 24;
/// Of rows of so many bytes each is a block, as most need no copy.
constexpr int64_t kLongRow = 2048;

bool is_flat(const CpuPlan& plan) {
  if (plan.frames.size() < 2 || plan.outputs.size() != 1 || plan.slots.size() > kMostSlots ||
      plan.outputs[0].appends || !plan.histograms.empty())
    return false;
  for (size_t f = 0; f < plan.frames.size(); f++) {
    const CpuFrame& c = plan.frames[f];
    const bool is_rows = c.kind == SpaceKind::rows && c.parent == 0 && c.inside < 0 && !c.whole &&
                         !c.is_ordered && c.repeats < 0 && c.collapse < 0;
    if (f > 0 && !is_rows) return false;
    for (const BlockOp& s : c.ops) {
      const bool is_known = s.kind == BlockOp::program ||
                            (f == 0 ? s.kind == BlockOp::child : s.kind == BlockOp::fold);
      if (!is_known) return false;
    }
  }
  return std::ranges::all_of(plan.slots, [](const Slot& s) {
    return s.kind == Slot::constant || s.kind == Slot::direct || s.kind == Slot::vector ||
           s.kind == Slot::accum || s.kind == Slot::output;
  });
}

bool is_stored(const CpuPlan& plan, const Accum& a) {
  return a.value >= 0 && plan.slots[a.value].kind == Slot::direct;
}

/// Integers that are stored, of which any parts give the same.
bool is_exact(const CpuPlan& plan, const Accum& a) {
  return is_integer(a.dtype) && is_stored(plan, a) && a.valid < 0 && a.told < 0 &&
         (info(a.reducer).is_extreme() || a.reducer == Reducer::sum || a.reducer == Reducer::prod);
}

class Run {
 public:
  /// `whole`: all rows are one block.
  Run(const CpuPlan& plan, std::span<const void* const> objects,
      std::span<const StridedItems* const> strided, int64_t rows, bool reads_much, bool whole,
      void* out)
      : plan_(plan),
        objects_(objects),
        strided_(strided),
        rows_(rows),
        reads_much_(reads_much),
        is_whole_(whole),
        out_(static_cast<std::byte*>(out)) {
    for (size_t i = 0; i < plan.slots.size(); i++)
      if (plan.slots[i].frame == 0 || plan.slots[i].kind == Slot::constant) bind(i, 1);
    for (const Accum& a : plan.accums)
      fill_identity(a.reducer, a.dtype, at(a.slot),
                    a.index_slot < 0 ? nullptr : static_cast<int64_t*>(at(a.index_slot)), 1);
    for (const BlockOp& s : plan.frames[0].ops) s.kind == BlockOp::child ? walk(s.a) : run(s, 1);
  }

 private:
  void* at(int slot) const { return slots_[static_cast<size_t>(slot)]; }

  /// Of a block of n items, which begins at this row.
  void bind(size_t i, int64_t n, int64_t row = 0) {
    const Slot& s = plan_.slots[i];
    const auto* column =
        static_cast<const graph::Column*>(s.object < 0 ? nullptr : objects_[s.object]);
    const int64_t size = itemsize(s.dtype);
    void*& p = slots_[i];
    if (s.kind == Slot::output || (s.kind == Slot::accum && s.sink >= 0)) {
      p = out_ + row * size;
    } else if (s.kind == Slot::direct) {
      p = const_cast<std::byte*>(load_address(column->buffer)) + row * size;
    } else if (s.kind == Slot::vector || s.kind == Slot::accum) {
      p = scratch_.bytes(static_cast<size_t>(n * size));
    } else if (column == nullptr) {
      p = const_cast<std::byte*>(s.value);
    } else {
      store_scalar(column->scalar, constants_[i].bytes);
      p = constants_[i].bytes;
    }
  }

  void walk(int f) {
    const CpuFrame& c = plan_.frames[f];
    if (!strided_.empty()) return walk_strided(c);
    const bool is_all = c.ops.size() == 1 && c.ops[0].kind == BlockOp::program &&
                        runs_loops(c.ops[0]) && c.outward.empty();
    const int64_t block = is_all || is_whole_ ? rows_ : 2 * plan_.block();
    for (int64_t row = 0; row < rows_ && !is_decided(c); row += block) {
      const ScratchScope scope(scratch_);
      const int64_t n = std::min(block, rows_ - row);
      for (const int slot : c.bound) bind(static_cast<size_t>(slot), n, row);
      for (const BlockOp& s : c.ops)
        s.kind == BlockOp::fold ? fold(plan_.accums[s.a], n, row) : run(s, n);
    }
  }

  /// What is copied of an operand for a block.
  struct Copied {
    int slot = -1;
    const StridedItems* operand = nullptr;
    void* items = nullptr;
    StridedItems of{};
    /// Is what is asked for what was copied last, or begins that with it?
    bool has(const StridedItems& some) const {
      StridedItems whole = some;
      if (some.sizes[0] < of.sizes[0]) whole.sizes[0] = of.sizes[0];
      return whole == of;
    }
  };

  void walk_strided(const CpuFrame& c) {
    std::array<Copied, graph::kMostStrided> copied;
    size_t count = 0;
    for (const int slot : c.bound) {
      const Slot& s = plan_.slots[slot];
      const bool is_stored = s.kind == Slot::direct && s.object >= 0;
      if (const StridedItems* x = is_stored ? strided_[static_cast<size_t>(s.object)] : nullptr)
        copied[count++] = {slot, x};
    }
    const StridedItems& shape = *copied[0].operand;
    const int64_t row = shape.sizes[static_cast<size_t>(shape.dimensions - 1)];
    const bool is_long = row * shape.itemsize >= kLongRow;
    StridedBlocks blocks(shape, is_long ? std::min(row, plan_.block()) : plan_.block());
    for (size_t i = 0; i < count; i++)
      copied[i].items =
          scratch_.bytes(static_cast<size_t>(blocks.most_items() * copied[i].operand->itemsize));
    while (blocks.next()) {
      const ScratchScope scope(scratch_);
      for (const int slot : c.bound)
        bind(static_cast<size_t>(slot), blocks.items(), blocks.first_item());
      for (size_t i = 0; i < count; i++) bind(copied[i], blocks.of(*copied[i].operand));
      for (const BlockOp& s : c.ops) run(s, blocks.items());
    }
  }

  void bind(Copied& copied, const StridedItems& of) {
    const bool is_there = is_whole(of);
    if (!is_there && !copied.has(of)) {
      copy_box(box_of(of), copied.items);
      copied.of = of;
    }
    void*& p = slots_[static_cast<size_t>(copied.slot)];
    p = is_there ? const_cast<std::byte*>(of.items) : copied.items;
  }

  bool runs_loops(const BlockOp& s) const { return plan_.loops[s.a].do_best(reads_much_); }

  void run(const BlockOp& s, int64_t n) const {
    if (runs_loops(s))
      plan_.loops[s.a].run(slots_.data(), n);
    else
      plan_.programs[s.a].run(slots_.data(), n,
                              std::min(static_cast<Outputs>(s.b), Outputs::memory));
  }

  void fold(const Accum& a, int64_t n, int64_t row) const {
    const std::array<int32_t, 2> off{0, static_cast<int32_t>(n)};
    FoldArgs x;
    x.values = a.value < 0 ? nullptr : at(a.value);
    x.valid = a.valid < 0 ? nullptr : static_cast<const uint8_t*>(at(a.valid));
    x.scratch = a.value >= 0 && plan_.slots[a.value].kind == Slot::vector;
    x.off = off.data();
    x.lists = 1;
    x.acc = at(a.slot);
    if (a.index_slot >= 0) {
      x.index = static_cast<int64_t*>(at(a.index_slot));
      x.first_index = row;
    }
    if (a.is_wide) return fold_wide_sum(x);
    if (a.told < 0) return ragged().fold(a.reducer, a.dtype)(x);
    const Accum& told = plan_.accums[a.told];
    fold_extreme(a.reducer, a.dtype, told.beside)(x, static_cast<uint8_t*>(at(told.slot)));
  }

  /// Does nothing but folds that can change no more?
  bool is_decided(const CpuFrame& c) const {
    return !c.outward.empty() && std::ranges::all_of(c.outward, [&](int i) {
      const Accum& a = plan_.accums[i];
      const ReducerInfo& r = info(a.reducer);
      const bool of_booleans = a.dtype == DType::boolean && r.is_extreme();
      if (!of_booleans && a.reducer != Reducer::any && a.reducer != Reducer::all) return false;
      if (a.beside != Beside::nothing) return false;
      if (a.index_slot >= 0 && *static_cast<const int64_t*>(at(a.index_slot)) < 0) return false;
      const bool largest = of_booleans ? !r.is_least() : a.reducer == Reducer::any;
      return *static_cast<const uint8_t*>(at(a.slot)) == largest;
    });
  }

  struct alignas(16) Constant {
    std::byte bytes[16];
  };
  const CpuPlan& plan_;
  const std::span<const void* const> objects_;
  const std::span<const StridedItems* const> strided_;
  const int64_t rows_;
  const bool reads_much_, is_whole_;
  std::byte* const out_;
  Scratch& scratch_ = thread_scratch();
  const ScratchScope scope_{scratch_};
  std::array<void*, kMostSlots> slots_;
  std::array<Constant, kMostSlots> constants_;
};

}  // namespace

FlatRun::FlatRun(const CpuPlan& plan) : is_flat_(is_flat(plan)) {
  if (is_flat_ && plan.accums.empty()) item_bytes_ = itemsize(plan.outputs[0].dtype);
  for (const CpuFrame& c : plan.frames)
    for (const BlockOp& s : c.ops)
      is_simple_ &= s.kind != BlockOp::program || plan.loops[s.a] || &c == plan.frames.data();
  for (const Slot& x : plan.slots)
    if (x.kind == Slot::direct) read_bytes_ += itemsize(x.dtype);
  // Nothing but folds of the kind, and what becomes of them in the first frame.
  const auto only_folds = [&](auto is_one) {
    return std::ranges::all_of(plan.frames, [&](const CpuFrame& c) {
      return std::ranges::all_of(c.ops, [&](const BlockOp& s) {
        return s.kind == BlockOp::fold ? is_one(plan.accums[s.a]) : &c == plan.frames.data();
      });
    });
  };
  folds_booleans_ =
      only_folds([&](const Accum& a) { return a.dtype == DType::boolean && is_stored(plan, a); });
  folds_exactly_ =
      !plan.accums.empty() && only_folds([&](const Accum& a) { return is_exact(plan, a); });
}

bool FlatRun::takes(int64_t rows, bool shortly) const {
  constexpr int64_t kShort = 16384, kFew = 1024;
  if (!is_flat_) return false;
  // They are read 64 at a time, in any order, and few of them where the first ones decide.
  if (folds_booleans_ && rows <= 64 * std::min(kShort, seams().flat)) return true;
  if (shortly && rows > (is_simple_ ? kShort : kFew)) return false;
  if (rows <= std::min(seams().flat, 2 * seams().task - 1)) return true;
  // Tasks are for threads to share, and for folds whose results would depend on threads.
  if (num_threads() > 1) return false;
  if (folds_exactly_) return rows <= std::numeric_limits<int32_t>::max();
  return item_bytes_ > 0 && rows < seams().large / item_bytes_;
}

void FlatRun::operator()(const CpuPlan& plan, std::span<const void* const> objects, int64_t rows,
                         void* out, std::span<const StridedItems* const> strided) const {
  Run(plan, objects, strided, rows, rows * read_bytes_ > seams().large, folds_exactly_, out);
}

}  // namespace serrate::cpu
