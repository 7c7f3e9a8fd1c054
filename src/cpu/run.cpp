// Runs a CPU plan: walks frames block by block, on all threads where there is enough to do.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "cpu/plan.h"
#include "cpu/pool.h"
#include "cpu/run_state.h"
#include "cpu/scratch.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cpu {
namespace {

using graph::Frame;
using graph::Space;
using graph::SpaceKind;

constexpr int64_t kBlock = 4096;            // items of a streamed block
constexpr int64_t kTaskItems = 1 << 16;     // items of a task, about
constexpr int64_t kMaxTasks = 256;
constexpr int64_t kGiant = 1 << 20;         // a block of lists with more items is shared by all threads
constexpr int64_t kInt32 = 0x7fffffff;

class Walker {
 public:
  Walker(const CpuPlan& plan, RunState& run, Context& ctx) : plan_(plan), run_(run), ctx_(ctx), k_(run.kernels) {}

  void body(int f) {
    const CpuFrame& c = plan_.frames[f];
    bind(f);
    for (const Step& s : c.steps) step(f, s);
  }

  void walk(int f) {
    switch (frame(f).space->kind) {
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

 private:
  const Frame& frame(int f) const { return plan_.nest->frames()[f]; }
  FrameState& state(int f) { return ctx_.states[f]; }
  template <class T> T* at(int slot) { return static_cast<T*>(ctx_.slots[slot]); }

  // -- one block --------------------------------------------------------------------------------------------------------
  void bind(int f) {
    const FrameState& s = state(f);
    for (int id : plan_.frames[f].bound) {
      const Slot& slot = plan_.slots[id];
      void*& p = ctx_.slots[id];
      switch (slot.kind) {
        case Slot::direct:
          p = const_cast<std::byte*>(slot.data) + s.first * itemsize(slot.dtype);
          break;
        case Slot::vector:
          p = ctx_.scratch.bytes(static_cast<size_t>(s.n * itemsize(slot.dtype)));
          break;
        case Slot::accum: {
          p = ctx_.scratch.bytes(static_cast<size_t>(s.n * itemsize(slot.dtype)));
          const Accum& a = plan_.accums[slot.index];
          const bool last = a.index_slot < 0 || id == a.index_slot;  // the index slot is made after the value's
          if (last)
            fill_identity(a.reducer, a.dtype, ctx_.slots[a.slot],
                          a.index_slot < 0 ? nullptr : at<int64_t>(a.index_slot), s.n);
          break;
        }
        case Slot::output:
          p = ctx_.outputs[slot.index]->place(s.first, s.n);
          break;
        case Slot::offsets:
          p = const_cast<int32_t*>(s.off);
          break;
        default:
          break;
      }
    }
  }

  void step(int f, const Step& s) {
    FrameState& st = state(f);
    switch (s.kind) {
      case Step::program:
        if (st.n > 0) plan_.programs[s.a].run(ctx_.slots.data(), st.n);
        break;
      case Step::expand: {
        const int size = itemsize(plan_.slots[s.b].dtype);
        k_.expand(size, at<std::byte>(s.a) + st.list0 * size, st.off, st.lists, ctx_.slots[s.b]);
        break;
      }
      case Step::positions:
        k_.positions(IndexType::i64, at<int64_t>(plan_.frames[f].starts) + st.list0, st.off, st.lists, st.list_start, 0,
                     at<int64_t>(s.b));
        break;
      case Step::local:
        k_.local_index(st.off, st.lists, st.list_start, at<int64_t>(s.b));
        break;
      case Step::check:
        check_block(f, s);
        break;
      case Step::child:
        walk(s.a);
        break;
      case Step::fold:
        fold(f, plan_.accums[s.a]);
        break;
      case Step::histogram:
        fill(f, s.a);
        break;
      case Step::filter:
        if (frame(s.a).space->kind == SpaceKind::select) {
          walk_select(s.a);
        } else {
          walk_flat(s.a);
        }
        break;
    }
  }

  void check_block(int f, const Step& s) {
    const auto* bad = at<uint8_t>(s.a);
    const int64_t n = state(f).n;
    const auto* found = static_cast<const uint8_t*>(n > 0 ? std::memchr(bad, 1, static_cast<size_t>(n)) : nullptr);
    if (found == nullptr) return;
    const Check& c = plan_.checks[s.b];
    const int64_t i = found - bad;
    raise_check(*c.info, row_of(f, i), c.index_slot >= 0 ? at<int64_t>(c.index_slot)[i] : 0);
  }

  /// The index along axis 0 that item i of frame f's block belongs to.
  int64_t row_of(int f, int64_t i) {
    while (frame(f).space->depth > 1) {
      const FrameState& s = state(f);
      if (s.off != nullptr) i = std::upper_bound(s.off + 1, s.off + s.lists + 1, static_cast<int32_t>(i)) - (s.off + 1);
      i = std::min(i, s.lists - 1) + s.list0;
      f = frame(f).parent;
    }
    return i + (plan_.frames[f].consecutive ? state(f).first : state(f).list_start);
  }

  void fold(int f, const Accum& a) {
    const FrameState& s = state(f);
    const int64_t size = itemsize(accumulator_dtype(a.reducer, a.dtype));
    if (a.value < 0 && a.valid < 0) {
      auto* acc = at<int64_t>(a.slot) + s.list0;
      for (int64_t p = 0; p < s.lists; p++) acc[p] += s.off[p + 1] - s.off[p];
      return;
    }
    FoldArgs x;
    x.values = a.value < 0 ? nullptr : ctx_.slots[a.value];
    x.valid = a.valid < 0 ? nullptr : at<uint8_t>(a.valid);
    x.off = s.off;
    x.lists = s.lists;
    x.acc = at<std::byte>(a.slot) + s.list0 * size;
    if (a.index_slot >= 0) {
      x.index = at<int64_t>(a.index_slot) + s.list0;
      x.first_index = s.list_start;
      x.first_started = ctx_.part && s.list_start > 0;
    }
    k_.fold(a.reducer, a.dtype)(x);
  }

  void fill(int f, int number) {
    const HistogramSink& h = plan_.histograms[number];
    HistogramArgs x;
    x.values = ctx_.slots[h.value];
    x.values_dtype = h.value_dtype;
    x.n = state(f).n;
    x.axis = h.axis;
    if (h.weight >= 0) {
      x.weights = ctx_.slots[h.weight];
      x.weights_dtype = h.weight_dtype;
      x.sums = reinterpret_cast<double*>(ctx_.histograms[number]);
    } else {
      x.counts = ctx_.histograms[number];
    }
    if (x.n > 0) k_.histogram(x);
  }

  // -- walks --------------------------------------------------------------------------------------------------------------
  void walk_rows(int f) {
    const int64_t n = frame(f).space->size;
    if (frame(f).whole || run_.is_ordered[f]) {
      if (frame(f).whole) return rows_block(f, 0, n);
      for (int64_t r = 0; r == 0 || r < n; r += run_.block_rows[f]) rows_block(f, r, std::min(n, r + run_.block_rows[f]));
      return;
    }
    const int collapsed = run_.collapse[f];
    const int target = collapsed >= 0 ? collapsed : f;
    int64_t first = 0, items = n, block = run_.block_rows[f];
    if (collapsed >= 0) {
      const auto e = graph::stored_extent(frame(collapsed).space);
      first = e.first;
      items = e.size;
      block = kBlock;
    }
    // Tasks depend on the data only, so that results are the same for any number of threads.
    const int64_t per_task = run_.task_rows(target, items, block);
    const int64_t tasks = std::max<int64_t>(1, (items + per_task - 1) / per_task);
    auto range = [&](Walker& w, int64_t task) {
      const int64_t end = std::min(items, (task + 1) * per_task);
      for (int64_t r = task * per_task; r < end || (r == 0 && end == 0); r += block) {
        if (collapsed >= 0) {
          w.items_block(target, first + r, std::min(block, end - r));
        } else {
          w.rows_block(target, r, std::min(end, r + block));
        }
      }
    };
    run_parts(target, tasks, range, collapsed < 0);
  }

  /// Runs parts of one walk, each with accumulators of its own, merged in order afterwards.
  template <class F>
  void run_parts(int f, int64_t tasks, const F& part, bool may_defer) {
    if (tasks == 1) {
      part(*this, 0);
      return;
    }
    const CpuFrame& c = plan_.frames[f];
    PartAccums accums(plan_, c.outward, *this, tasks);
    const bool inline_only = num_threads() == 1 || in_parallel() || run_.histogram_bytes * tasks > (int64_t{1} << 28);
    std::vector<std::vector<Grow>> grown;
    std::vector<std::vector<uint64_t>> filled;
    if (!inline_only) {
      grown.resize(static_cast<size_t>(tasks));
      filled.resize(static_cast<size_t>(tasks));
    }
    auto one = [&](int64_t task, Context& mine) {
      ScratchScope scope(mine.scratch);
      Walker w(plan_, run_, mine);
      accums.use(task, mine);
      part(w, task);
    };
    if (inline_only) {
      Context mine(ctx_, ctx_.scratch);
      mine.part = true;
      for (int64_t t = 0; t < tasks; t++) one(t, mine);
    } else {
      std::mutex lock;
      std::vector<int64_t> deferred;
      auto task_on = [&](int64_t task, bool alone) {
        Context mine(ctx_, thread_scratch());
        mine.part = true;
        mine.alone = alone;
        run_.own_sinks(mine, grown[task], filled[task]);
        one(task, mine);
      };
      parallel_for(tasks, [&](int64_t task, int) {
        if (may_defer && run_.is_giant(f, task, tasks)) {
          std::lock_guard<std::mutex> hold(lock);
          deferred.push_back(task);
          return;
        }
        task_on(task, false);
      });
      std::sort(deferred.begin(), deferred.end());
      for (int64_t task : deferred) task_on(task, true);
      run_.join_sinks(ctx_, grown, filled);
    }
    accums.merge(*this);
  }

  void rows_block(int f, int64_t begin, int64_t end) {
    check<ValueError>(end - begin <= kInt32, "more than {} rows in one block", kInt32);
    auto mark = ctx_.scratch.mark();
    auto* off = ctx_.scratch.get<int32_t>(2);
    off[0] = 0;
    off[1] = static_cast<int32_t>(end - begin);
    state(f) = {end - begin, 1, off, begin, begin, 0};
    body(f);
    // Others look at a whole block afterwards: its scratch stays until the owner's block ends.
    if (!frame(f).whole) ctx_.scratch.release(mark);
  }

  /// A block of a stored list space walked directly, without its lists.
  void items_block(int f, int64_t first, int64_t n) {
    ScratchScope scope(ctx_.scratch);
    state(f) = {n, 0, nullptr, first, 0, 0};
    body(f);
  }

  void walk_lists(int f) {
    const CpuFrame& c = plan_.frames[f];
    const Space& s = *frame(f).space;
    const FrameState& p = state(frame(f).parent);
    const int64_t lists = p.n;
    Lists l;
    if (s.kind == SpaceKind::fixed) {
      l.total = lists * s.size;
      l.first = c.starts >= 0 ? (lists > 0 ? at<int64_t>(c.starts)[0] : 0) : p.first * s.size;
      l.size = s.size;
    } else if (c.starts < 0) {
      const int size = c.offsets_type == IndexType::i64 ? 8 : 4;
      l.offsets = s.starts->buffer.data() + p.first * size;
      l.type = c.offsets_type;
      l.first = lists > 0 ? offset_at(l.type, l.offsets, 0) : 0;
      l.total = lists > 0 ? offset_at(l.type, l.offsets, lists) - l.first : 0;
    } else {
      l.first = lists > 0 ? at<int64_t>(c.starts)[0] : 0;
      l.pairs = true;
    }
    auto mark = ctx_.scratch.mark();
    const bool whole = frame(f).whole;
    int32_t* off = nullptr;
    if (l.pairs || c.needs_offsets || whole) {
      off = ctx_.scratch.get<int32_t>(static_cast<size_t>(lists) + 1);
      if (l.pairs) {
        l.total = k_.local_offsets_pairs(IndexType::i64, at<int64_t>(c.starts), at<int64_t>(c.stops), nullptr, lists, 0,
                                         kInt32, off);
      } else if (s.kind == SpaceKind::fixed) {
        for (int64_t i = 0; i <= lists; i++) off[i] = static_cast<int32_t>(std::min(i * s.size, kInt32));
      } else if (lists > 0) {
        k_.local_offsets(l.type, l.offsets, lists, 0, kInt32, off);
      } else {
        off[0] = 0;
      }
    }
    if (whole || l.total <= kBlock) {
      check<ValueError>(l.total <= kInt32, "more than {} items in one block of lists", kInt32);
      state(f) = {l.total, lists, off, l.first, 0, 0};
      body(f);
    } else if (ctx_.alone && l.total > kGiant && run_.can_split[f] && !in_parallel()) {
      const int64_t per_part = 16 * kBlock, parts = (l.total + per_part - 1) / per_part;
      run_parts(
          f, parts,
          [&](Walker& w, int64_t part) {
            w.stream(f, l, off, part * per_part, std::min(l.total, (part + 1) * per_part), lists);
          },
          false);
    } else {
      stream(f, l, off, 0, l.total, lists);
    }
    if (!whole) ctx_.scratch.release(mark);
  }

  struct Lists {
    const std::byte* offsets = nullptr;
    IndexType type{};
    bool pairs = false;
    int64_t first = 0, total = 0, size = -1;
  };

  /// Items [from, to) of the lists of one block, in blocks of about kBlock.
  void stream(int f, const Lists& l, const int32_t* off, int64_t from, int64_t to, int64_t lists) {
    const CpuFrame& c = plan_.frames[f];
    if (!c.needs_offsets && !l.pairs) {
      for (int64_t s = from; s < to; s += kBlock) items_block(f, l.first + s, std::min(kBlock, to - s));
      return;
    }
    // Offsets that don't fit int32 are clamped in `off`: then read the wide ones.
    const bool wide = l.total > kInt32;
    check<ValueError>(!(wide && l.pairs), "more than {} items in one block of lists", kInt32);
    auto begin_of = [&](int64_t p) -> int64_t {
      if (!wide) return off[p];
      return l.size >= 0 ? p * l.size : offset_at(l.type, l.offsets, p) - l.first;
    };
    int64_t p = 0;
    if (from > 0) {
      int64_t lo = 0, hi = lists - 1;  // the last list that begins at or before `from`
      while (lo < hi) {
        const int64_t mid = (lo + hi + 1) / 2;
        if (begin_of(mid) <= from) lo = mid; else hi = mid - 1;
      }
      p = lo;
    }
    for (int64_t s = from; s < to;) {
      while (begin_of(p + 1) <= s) p++;
      int64_t e = std::min(s + kBlock, to), q = p;
      while (q < lists && begin_of(q + 1) <= e) q++;  // lists [p, q) end inside
      if (q > p && begin_of(q) - s >= kBlock / 2) e = begin_of(q);  // don't cut a list for little
      const int64_t last = q < lists && begin_of(q) < e ? q + 1 : q;
      ScratchScope scope(ctx_.scratch);
      auto* sub = scope.get<int32_t>(static_cast<size_t>(last - p) + 1);
      for (int64_t i = p; i <= last; i++) sub[i - p] = static_cast<int32_t>(std::clamp<int64_t>(begin_of(i) - s, 0, e - s));
      state(f) = {e - s, last - p, sub, l.first + s, s - begin_of(p), p};
      body(f);
      s = e;
    }
  }

  void walk_tuples(int f) {
    const Frame& fr = frame(f);
    const Space& s = *fr.space;
    const int64_t lists = state(fr.bases[0]).lists;
    const bool whole = fr.whole, pairs = s.kind == SpaceKind::combinations;
    auto mark = ctx_.scratch.mark();
    const int32_t* offs[kMaxTuple];
    check<ValueError>(s.k <= kMaxTuple, "combinations and cartesian: at most {} at a time, got {}", kMaxTuple, s.k);
    for (size_t b = 0; b < fr.bases.size(); b++) offs[b] = state(fr.bases[b]).off;
    const int64_t total = pairs ? k_.count_combinations(s.k, s.replacement, offs[0], lists, nullptr)
                                : k_.count_cartesian(s.k, offs, lists, nullptr);
    check<ValueError>(!whole || total <= kInt32, "more than {} tuples in one block of lists", kInt32);
    const int64_t cap = whole ? std::max<int64_t>(total, 1) : std::clamp<int64_t>(total, 1, kBlock);
    int32_t* links[kMaxTuple];
    for (int k = 0; k < s.k; k++) {
      links[k] = ctx_.scratch.get<int32_t>(static_cast<size_t>(cap));
      ctx_.slots[plan_.frames[f].links[k]] = links[k];
    }
    auto* off = ctx_.scratch.get<int32_t>(static_cast<size_t>(lists) + 1);
    TupleCursor cursor;
    do {
      const int64_t rank = cursor.rank;
      const TupleChunk t = pairs ? k_.combinations(s.k, s.replacement, offs[0], lists, cursor, cap, links, off)
                                 : k_.cartesian(s.k, offs, lists, cursor, cap, links, off);
      if (t.tuples == 0 && !whole) continue;
      auto inner = ctx_.scratch.mark();
      state(f) = {t.tuples, t.last - t.first, off, 0, rank, t.first};
      body(f);
      if (!whole) ctx_.scratch.release(inner);
    } while (cursor.list < lists);
    if (!whole) ctx_.scratch.release(mark);
  }

  void walk_aligned(int f) {
    const Frame& fr = frame(f);
    const FrameState& a = state(fr.bases[0]);
    for (size_t b = 1; b < fr.bases.size(); b++) {
      const FrameState& o = state(fr.bases[b]);
      const int64_t p = k_.lengths_equal(a.off, o.off, a.lists);
      if (p >= 0)
        throw ValueError(fmt::format("{}: cannot broadcast nested list: lengths {} and {} at position {}", fr.space->where,
                                     a.off[p + 1] - a.off[p], o.off[p + 1] - o.off[p], row_of(fr.parent, p)));
    }
    auto mark = ctx_.scratch.mark();
    state(f) = {a.n, a.lists, a.off, 0, 0, 0};
    body(f);
    if (!fr.whole) ctx_.scratch.release(mark);
  }

  void walk_select(int f) {
    const Frame& fr = frame(f);
    const FrameState b = state(fr.inside);
    const CpuFrame& c = plan_.frames[f];
    auto mark = ctx_.scratch.mark();
    const auto* mask = at<uint8_t>(c.predicate);
    auto* link = ctx_.scratch.get<int32_t>(static_cast<size_t>(b.n));
    const int64_t n = k_.select(mask, b.n, link);
    ctx_.slots[c.links[0]] = link;
    int32_t* off = nullptr;
    int64_t start = 0;
    if (b.off != nullptr) {
      off = ctx_.scratch.get<int32_t>(static_cast<size_t>(b.lists) + 1);
      k_.select_offsets(mask, b.off, b.lists, off);
      if (c.needs_local) {
        int64_t& carry = ctx_.carry[f];
        if (b.list_start > 0) start = carry;
        const int64_t tail = b.lists > 0 ? off[b.lists] - off[b.lists - 1] : 0;
        carry = (b.lists == 1 ? start : 0) + tail;
      }
    }
    if (n > 0 || fr.whole) {
      state(f) = {n, b.lists, off, 0, start, b.list0};
      body(f);
    }
    if (!fr.whole) ctx_.scratch.release(mark);
  }

  void walk_flat(int f) {
    const Frame& fr = frame(f);
    const FrameState b = state(fr.inside);
    const FrameState& p = state(frame(fr.inside).parent);  // the lists that are joined
    auto mark = ctx_.scratch.mark();
    int32_t* off = nullptr;
    int64_t start = 0;
    if (fr.parent == 0) {  // unit owns one list
      off = ctx_.scratch.get<int32_t>(2);
      off[0] = 0;
      off[1] = static_cast<int32_t>(b.n);
      start = ctx_.carry[f];
      ctx_.carry[f] += b.n;
      state(f) = {b.n, 1, off, b.first, start, 0};
      body(f);
      if (!fr.whole) ctx_.scratch.release(mark);
      return;
    }
    if (b.off != nullptr && p.off != nullptr) {
      off = ctx_.scratch.get<int32_t>(static_cast<size_t>(p.lists) + 1);
      for (int64_t g = 0; g <= p.lists; g++) off[g] = b.off[std::clamp<int64_t>(p.off[g] - b.list0, 0, b.lists)];
      if (plan_.frames[f].needs_local) {
        // Items of the first joined list seen in earlier blocks.
        auto& carry = ctx_.carry[f];
        const bool fresh = b.list0 == 0 && b.list_start == 0 && p.list_start == 0;
        start = fresh ? 0 : carry;
        carry = off[p.lists] - off[p.lists - 1] + (p.lists == 1 ? start : 0);
      }
    }
    state(f) = {b.n, p.lists, off, b.first, start, p.list0};
    body(f);
    if (!fr.whole) ctx_.scratch.release(mark);
  }

  // -- accumulators of parts --------------------------------------------------------------------------------------------
  class PartAccums {
   public:
    PartAccums(const CpuPlan& plan, const std::vector<int>& accums, Walker& owner, int64_t parts)
        : plan_(plan), accums_(accums) {
      for (int a : accums) {
        const Accum& x = plan.accums[a];
        const int64_t n = owner.state(x.into).n;
        const int64_t size = itemsize(accumulator_dtype(x.reducer, x.dtype));
        sizes_.push_back(n);
        values_.emplace_back(static_cast<size_t>(parts * n * size + kScratchPaddingBytes));
        indexes_.emplace_back(x.index_slot < 0 ? 0 : static_cast<size_t>(parts * n));
        for (int64_t t = 0; t < parts; t++)
          fill_identity(x.reducer, x.dtype, values_.back().data() + t * n * size,
                        x.index_slot < 0 ? nullptr : indexes_.back().data() + t * n, n);
      }
    }
    void use(int64_t part, Context& ctx) {
      for (size_t i = 0; i < accums_.size(); i++) {
        const Accum& x = plan_.accums[accums_[i]];
        const int64_t size = itemsize(accumulator_dtype(x.reducer, x.dtype));
        ctx.slots[x.slot] = values_[i].data() + part * sizes_[i] * size;
        if (x.index_slot >= 0) ctx.slots[x.index_slot] = indexes_[i].data() + part * sizes_[i];
      }
    }
    void merge(Walker& owner) {
      for (size_t i = 0; i < accums_.size(); i++) {
        const Accum& x = plan_.accums[accums_[i]];
        const int64_t n = sizes_[i], size = itemsize(accumulator_dtype(x.reducer, x.dtype));
        const int64_t parts = n == 0 ? 0 : static_cast<int64_t>(values_[i].size() - kScratchPaddingBytes) / (n * size);
        for (int64_t t = 0; t < parts; t++)
          owner.k_.merge(x.reducer, x.dtype, owner.ctx_.slots[x.slot],
                         x.index_slot < 0 ? nullptr : owner.at<int64_t>(x.index_slot), values_[i].data() + t * n * size,
                         x.index_slot < 0 ? nullptr : indexes_[i].data() + t * n, n);
      }
    }

   private:
    static constexpr int64_t kScratchPaddingBytes = 256;
    const CpuPlan& plan_;
    const std::vector<int>& accums_;
    std::vector<int64_t> sizes_;
    std::vector<std::vector<std::byte>> values_;
    std::vector<std::vector<int64_t>> indexes_;
  };

  const CpuPlan& plan_;
  RunState& run_;
  Context& ctx_;
  const RaggedKernels& k_;
};

}  // namespace

std::vector<Result> run(const CpuPlan& plan) {
  RunState run(plan, kBlock, kTaskItems, kMaxTasks, kGiant);
  Scratch& scratch = thread_scratch();
  ScratchScope scope(scratch);
  Context ctx(plan, scratch);
  run.own_first_sinks(ctx);
  ctx.states[0] = {1, 1, nullptr, 0, 0, 0};
  ctx.alone = true;
  Walker(plan, run, ctx).body(0);
  return run.results(ctx);
}

}  // namespace serrate::cpu
