// What is done in one block of a frame: addresses, programs, kernels, folds, fills and checks.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "core/fill_items.h"
#include "core/seams.h"
#include "core/stream_copy.h"
#include "cpu/lists/folds/fold_columns.h"
#include "cpu/machine/isa.h"
#include "cpu/plan/scatter.h"
#include "cpu/plan/walker.h"
#include "graph/evaluate.h"
#include "serrate/error.h"
#include "serrate/function.h"

namespace serrate::cpu {

namespace {
constexpr size_t kFirstItem = 16;  // bytes of the largest one

/// The indexes of n items from `first` on in lists of one size: a list, then copies of all before.
void fill_cycle(int64_t first, int64_t size, int64_t n, int64_t* out) {
  const int64_t done = std::min(n, size), index = first % size;
  const int64_t to_end = std::min(done, size - index);
  for (int64_t k = 0; k < to_end; k++) out[k] = index + k;
  for (int64_t k = to_end; k < done; k++) out[k] = k - to_end;
  repeat_bytes(out, static_cast<size_t>(done) * sizeof *out, static_cast<size_t>(n) * sizeof *out);
}
}  // namespace

void Walker::body(int f) {
  const CpuFrame& c = plan_.frames[f];
  ctx_.interruptible.step();
  bind(f);
  for (const BlockOp& s : c.ops) run_op(f, s);
}

void Walker::walk(int f) {
  switch (frame(f).kind) {
    case SpaceKind::rows:
      return walk_rows(f);
    case SpaceKind::list:
    case SpaceKind::fixed:
      return walk_lists(f);
    case SpaceKind::combinations:
    case SpaceKind::cartesian:
      return walk_tuples(f);
    case SpaceKind::aligned:
      return walk_aligned(f);
    default:
      return;
  }
}

void Walker::bind(int f) {
  const FrameState& s = state(f);
  for (int id : plan_.frames[f].bound) {
    const Slot& slot = plan_.slots[id];
    void*& p = ctx_.slots[id];
    const bool is_looked_at = slot.kind == Slot::direct || slot.kind == Slot::lists ||
                              slot.kind == Slot::vector || slot.kind == Slot::accum ||
                              slot.kind == Slot::output;
    if (s.n == 0 && is_looked_at) {
      // Picks whose guard does not hold read a first item, also of nothing.
      p = std::memset(ctx_.scratch.bytes(kFirstItem), 0, kFirstItem);
      continue;
    }
    switch (slot.kind) {
      case Slot::direct:
        p = const_cast<std::byte*>(load_address(run_.column(slot.object).buffer)) +
            s.first * itemsize(slot.dtype);
        break;
      case Slot::lists: {
        const Buffer& buffer = run_.column(slot.object).buffer;
        const std::byte* const values = load_address(buffer);
        const int size = itemsize(slot.dtype);
        if (s.ends != nullptr) {
          p = const_cast<std::byte*>(values) + s.first * size;
          break;
        }
        p = ctx_.scratch.bytes(static_cast<size_t>(s.n * size));
        k_.copy_lists(size, values, buffer.bytes() / size,
                      at<int64_t>(plan_.frames[f].starts) + s.list0, s.off, s.lists, s.list_start,
                      p);
        break;
      }
      case Slot::vector:
        p = ctx_.scratch.bytes(static_cast<size_t>(s.n * itemsize(slot.dtype)));
        if (asserting()) std::memset(p, 0xa5, static_cast<size_t>(s.n * itemsize(slot.dtype)));
        break;
      case Slot::accum: {
        const int64_t bytes = s.n * itemsize(slot.dtype);
        p = slot.sink >= 0 ? ctx_.outputs[slot.sink]->place(s.place, s.n)
                           : ctx_.scratch.bytes(static_cast<size_t>(bytes));
        const Accum& a = plan_.accums[slot.index];
        const bool last =
            a.index_slot < 0 || id == a.index_slot;  // the index slot is made after the value's
        if (last)
          fill_identity(a.reducer, a.dtype, ctx_.slots[a.slot],
                        a.index_slot < 0 ? nullptr : at<int64_t>(a.index_slot), s.n);
        break;
      }
      case Slot::output:
        p = ctx_.outputs[slot.index]->place(s.place, s.n);
        break;
      case Slot::offsets:
        p = const_cast<int32_t*>(s.off);
        break;
      default:
        break;
    }
  }
}

void Walker::run_op(int f, const BlockOp& s) {
  FrameState& st = state(f);
  switch (s.kind) {
    case BlockOp::program:
      if (st.n > 0) {
        auto to = static_cast<Outputs>(s.b);
        if (to == Outputs::streamed && !run_.is_large) to = Outputs::memory;
        // What goes past the caches is written step by step.
        if (const InnerLoops& loops = plan_.loops[s.a];
            loops.do_best(run_.reads_much) && to != Outputs::streamed)
          loops.run(ctx_.slots.data(), st.n);
        else
          plan_.programs[s.a].run(ctx_.slots.data(), st.n, to, ctx_.near);
      }
      break;
    case BlockOp::expand: {
      const int size = itemsize(plan_.slots[s.b].dtype);
      k_.expand(size, at<std::byte>(s.a) + st.list0 * size, st.off, st.lists, ctx_.slots[s.b]);
      break;
    }
    case BlockOp::repeat:
      k_.repeat(itemsize(plan_.slots[s.b].dtype), at<std::byte>(s.a), state(frame(f).repeats).n,
                st.begins, st.off, st.lists, st.list_start, ctx_.slots[s.b]);
      break;
    case BlockOp::strided:
      strided(f, s);
      break;
    case BlockOp::lines:
      lines(f, s);
      break;
    case BlockOp::gathered:
      gathered(f, s);
      break;
    case BlockOp::compress:
      compress(f, s);
      break;
    case BlockOp::positions:
      if (st.ends != nullptr) {  // they follow each other
        const int32_t whole[2] = {0, static_cast<int32_t>(st.n)};
        k_.positions(IndexType::i64, &st.first, whole, 1, 0, 0, at<int64_t>(s.b));
        break;
      }
      k_.positions(IndexType::i64, at<int64_t>(plan_.frames[f].starts) + st.list0, st.off, st.lists,
                   st.list_start, 0, at<int64_t>(s.b));
      break;
    case BlockOp::local:
      k_.local_index(st.off, st.lists, st.list_start, at<int64_t>(s.b));
      break;
    case BlockOp::cycle:
      if (st.n > 0) fill_cycle(st.first, space(f).size, st.n, at<int64_t>(s.b));
      break;
    case BlockOp::check:
      check_block(f, s);
      break;
    case BlockOp::child:
      walk(s.a);
      break;
    case BlockOp::fold:
      fold(f, plan_.accums[s.a]);
      break;
    case BlockOp::histogram:
      fill(f, s.a);
      break;
    case BlockOp::filter:
      if (frame(s.a).kind == SpaceKind::select) {
        walk_select(s.a);
      } else {
        walk_flat(s.a);
      }
      break;
    case BlockOp::call:
      call(f, plan_.calls[s.a]);
      break;
    case BlockOp::fused:
      fused(f, plan_.fusions[s.a]);
      break;
    case BlockOp::bounds:
      bounds(f, plan_.bounds[s.a]);
      break;
  }
}

void Walker::compress(int f, const BlockOp& s) {
  const CpuFrame& c = plan_.frames[f];
  const int64_t n = state(c.inside).n, kept = state(f).n;
  const int size = itemsize(plan_.slots[s.b].dtype);
  if (is_dense(kept, n))
    k_.compress(size, ctx_.slots[s.a], at<uint8_t>(c.predicate), n, ctx_.slots[s.b]);
  else
    k_.take(size, ctx_.slots[s.a], at<int32_t>(c.links[0]), kept, ctx_.slots[s.b]);
}

void Walker::call(int f, const Call& c) {
  if (state(f).n == 0) return;
  call_pointers_.clear();
  for (const int s : c.inputs) call_pointers_.push_back(ctx_.slots[s]);
  for (const int s : c.outputs) call_pointers_.push_back(ctx_.slots[s]);
  clear_upper_halves();
  c.function->block(c.function->state, state(f).n, call_pointers_.data(),
                    c.where < 0 ? nullptr : at<uint8_t>(c.where),
                    call_pointers_.data() + c.inputs.size());
}

void Walker::fused(int f, const Fusion& x) {
  const int64_t n = state(f).n;
  const BlockFunction loop = x.loop->block();
  if (loop == nullptr) {
    for (const BlockOp& s : x.ops) run_op(f, s);
    x.loop->count(n);
    return;
  }
  if (n == 0) return;
  // Results that are larger than the caches go past them, which LLVM's vectors can't.
  const auto streams = [&](int s) {
    const Slot& to = plan_.slots[s];
    return run_.is_large && to.kind == Slot::output && !plan_.outputs[to.index].appends;
  };
  call_pointers_.clear();
  for (const int s : x.slots) {
    const auto bytes = static_cast<size_t>(n * itemsize(plan_.slots[s].dtype));
    call_pointers_.push_back(streams(s) ? ctx_.scratch.bytes(bytes) : ctx_.slots[s]);
  }
  clear_upper_halves();
  loop(nullptr, n, call_pointers_.data(), nullptr, nullptr);
  for (size_t i = 0; i < x.slots.size(); i++) {
    const int s = x.slots[i];
    const auto bytes = static_cast<size_t>(n * itemsize(plan_.slots[s].dtype));
    if (streams(s)) stream_copy(ctx_.slots[s], call_pointers_[i], bytes);
  }
}

void Walker::check_block(int f, const BlockOp& s) {
  const auto* bad = at<uint8_t>(s.a);
  const int64_t n = state(f).n;
  const auto* found =
      static_cast<const uint8_t*>(n > 0 ? std::memchr(bad, 1, static_cast<size_t>(n)) : nullptr);
  if (found == nullptr) return;
  const Check& c = plan_.checks[s.b];
  const int64_t i = found - bad;
  raise_check(*run_.column(c.object).check, row_of(f, i),
              c.index_slot >= 0 ? at<int64_t>(c.index_slot)[i] : 0);
}

void Walker::bounds(int f, const Bounds& b) {
  // Of nothing there is a first item all the same: where guards do not hold it is looked at.
  const int64_t n = std::max<int64_t>(1, b.base >= 0 ? state(b.base).n
                                                     : run_.column(b.column).buffer.bytes() /
                                                           itemsize(run_.column(b.column).dtype));
  for (int64_t i = 0; i < state(f).n; i++) {
    const int64_t index = b.dtype == DType::int32 ? at<int32_t>(b.slot)[i] : at<int64_t>(b.slot)[i];
    if (index < 0 || index >= n)
      throw std::logic_error(fmt::format("a gather in frame {} of item {} of {} in {}", f, index, n,
                                         b.base >= 0 ? "a block" : "memory"));
  }
}

/// The row that an item of stored lists is in, by its position in the domain.
static int64_t row_of_item(graph::SpaceRef s, int64_t item) {
  for (; s->depth > 1; s = s->parent) {
    const graph::StoredExtent lists = graph::stored_extent(s->parent);
    // The last list that does not begin behind the item.
    int64_t at = 0, end = lists.size;
    while (end - at > 1) {
      const int64_t middle = (at + end) / 2;
      (graph::stored_offset(s, middle) <= item ? at : end) = middle;
    }
    item = lists.first + at;
  }
  return item;
}

int64_t Walker::row_of(int f, int64_t i) {
  while (frame(f).depth > 1) {
    const FrameState& s = state(f);
    if (s.lists == 0) return row_of_item(&space(f), s.first + i);  // items were walked, not lists
    if (s.off != nullptr)
      i = std::upper_bound(s.off + 1, s.off + s.lists + 1, static_cast<int32_t>(i)) - (s.off + 1);
    i = std::min(i, s.lists - 1) + s.list0;
    f = frame(f).parent;
  }
  const CpuFrame& rows = plan_.frames[f];
  if (rows.consecutive) return i + state(f).first;
  if (!needs_start(f)) throw UncountedRow{};
  return i + state(f).list_start;
}

void Walker::fold(int f, const Accum& a) {
  const FrameState& s = state(f);
  const int64_t size = itemsize(state_type(a.reducer, a.dtype));
  FoldArgs x;
  x.values = a.value < 0 ? nullptr : ctx_.slots[a.value];
  x.valid = a.valid < 0 ? nullptr : at<uint8_t>(a.valid);
  const Slot::Kind kind = a.value >= 0 ? plan_.slots[a.value].kind : Slot::constant;
  x.scratch = kind == Slot::vector || (kind == Slot::lists && s.ends == nullptr);
  x.off = s.off;
  x.ends = s.ends;
  x.lists = s.lists;
  x.acc = at<std::byte>(a.slot) + s.list0 * size;
  if (a.index_slot >= 0) {
    x.index = at<int64_t>(a.index_slot) + s.list0;
    x.first_index = s.list_start;
    x.first_started = ctx_.part && s.list_start > 0;
  }
  if (a.is_wide) return fold_wide_sum(x);
  if (a.told < 0) return k_.fold(a.reducer, a.dtype)(x);
  const Accum& told = plan_.accums[a.told];
  fold_extreme(a.reducer, a.dtype, told.beside)(x, at<uint8_t>(told.slot) + s.list0);
}

void Walker::fill(int f, int number) {
  const HistogramSink& h = plan_.histograms[number];
  const FrameState& s = state(f);
  if (s.n == 0) return;
  if (h.cell < 0) {
    const void* values = h.weight < 0 ? nullptr : ctx_.slots[h.weight];
    return fold_columns(h.reducer, {values, h.weight_dtype, s.off, s.lists, s.list_start, h.size,
                                    h.tables, ctx_.histograms[number]});
  }
  HistogramArgs x;
  x.cells = ctx_.slots[h.cell];
  x.wide = h.cell_dtype == DType::int64;
  x.n = s.n;
  x.size = h.size;
  x.tables = h.tables;
  if (h.weight >= 0) x.weights = ctx_.slots[h.weight];
  x.dtype = h.dtype;
  x.out = ctx_.histograms[number];
  if (h.reducer == Reducer::sum) return k_.histogram(x);
  scatter_extremes(x, h.reducer == Reducer::min);
}

}  // namespace serrate::cpu
