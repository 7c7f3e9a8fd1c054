// The walk over rows: tasks, their own accumulators and sinks, and the direct walk over items.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "core/seams.h"
#include "cpu/plan/in_order.h"
#include "cpu/plan/walker.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cpu {

class Walker::PartAccums {
 public:
  PartAccums(const CpuPlan& plan, const std::vector<int>& accums, Walker& owner, int64_t parts)
      : plan_(plan), accums_(accums) {
    for (int a : accums) {
      const Accum& x = plan.accums[a];
      const int64_t n = owner.state(x.into).n;
      const int64_t size = itemsize(state_type(x.reducer, x.dtype));
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
      const int64_t size = itemsize(state_type(x.reducer, x.dtype));
      ctx.slots[x.slot] = values_[i].data() + part * sizes_[i] * size;
      if (x.index_slot >= 0) ctx.slots[x.index_slot] = indexes_[i].data() + part * sizes_[i];
    }
  }
  void merge(Walker& owner) {
    for (size_t i = 0; i < accums_.size(); i++) {
      const Accum& x = plan_.accums[accums_[i]];
      const int64_t n = sizes_[i], size = itemsize(state_type(x.reducer, x.dtype));
      const int64_t parts =
          n == 0 ? 0 : static_cast<int64_t>(values_[i].size() - kScratchPaddingBytes) / (n * size);
      for (int64_t t = 0; t < parts; t++)
        owner.k_.merge(x.reducer, x.dtype, owner.ctx_.slots[x.slot],
                       x.index_slot < 0 ? nullptr : owner.at<int64_t>(x.index_slot),
                       values_[i].data() + t * n * size,
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

void Walker::walk_rows(int f) {
  const int64_t n = space(f).size;
  if (frame(f).whole || frame(f).is_ordered || run_.counts_rows) {
    if (frame(f).whole) return rows_block(f, 0, n);
    for (int64_t r = 0; r == 0 || r < n; r += run_.block_rows(f)) {
      rows_block(f, r, std::min(n, r + run_.block_rows(f)));
      if (r == 0) expect(run_.block_rows(f), n);
    }
    return;
  }
  const int collapsed = frame(f).collapse;
  const int target = collapsed >= 0 ? collapsed : f;
  int64_t first = 0, items = n, block = run_.block_rows(f);
  if (collapsed >= 0) {
    const auto e = graph::stored_extent(&space(collapsed));
    first = e.first;
    items = e.size;
    block = plan_.block();
  }
  // Tasks depend on the data only, so that results are the same for any number of threads.
  const int64_t per_task = run_.task_rows(target, items, block);
  // A loop from memory to memory has nothing that waits in the cache from block to block, nor has
  // a fold whose blocks don't show in the result.
  if (only_loops(target) || (folds_in_any_order(target) && !only_tests(target)))
    block = std::min(per_task, std::max(block, seams().task / block * block));
  const int64_t tasks = std::max<int64_t>(1, (items + per_task - 1) / per_task);
  const bool may_stop = only_tests(target);
  std::atomic<bool> stop = false;
  auto range = [&](Walker& w, int64_t task) {
    if (stop.load(std::memory_order_relaxed)) return;
    const int64_t end = std::min(items, (task + 1) * per_task);
    for (int64_t r = task * per_task; r < end || (r == 0 && end == 0); r += block) {
      if (collapsed >= 0) {
        w.items_block(target, first + r, first + r, std::min(block, end - r));
      } else {
        w.rows_block(target, r, std::min(end, r + block));
      }
      if (r == task * per_task) {
        // One task after the other appends to the same outputs, or each to its own.
        const bool is_own = !std::ranges::equal(w.ctx_.outputs, ctx_.outputs);
        w.expect(is_own ? block : r + block, is_own ? end - r : items);
      }
      if (may_stop && w.is_decided(target)) {
        stop.store(true, std::memory_order_relaxed);
        return;
      }
    }
  };
  run_parts(target, tasks, range, collapsed < 0);
}

void Walker::expect(int64_t done, int64_t of) {
  if (done >= of) return;
  const double times = static_cast<double>(of) / static_cast<double>(done);
  for (size_t o = 0; o < plan_.outputs.size(); o++) {
    Grow& to = *ctx_.outputs[o];
    if (plan_.outputs[o].appends)
      to.expect(static_cast<int64_t>(1.125 * times * static_cast<double>(to.size())));
  }
}

bool Walker::only_loops(int f) const {
  const auto& ops = plan_.frames[f].ops;
  return ops.size() == 1 && ops[0].kind == BlockOp::program &&
         plan_.loops[ops[0].a].do_best(run_.reads_much) && plan_.frames[f].outward.empty();
}

bool Walker::only_folds(int f) const {
  for (const BlockOp& s : plan_.frames[f].ops) {
    switch (s.kind) {
      case BlockOp::program:
      case BlockOp::expand:
      case BlockOp::strided:
      case BlockOp::lines:
      case BlockOp::gathered:
      case BlockOp::positions:
      case BlockOp::local:
      case BlockOp::cycle:
      case BlockOp::bounds:
      case BlockOp::fold:
        break;
      case BlockOp::child:
      case BlockOp::filter:
        if (!only_folds(s.a)) return false;
        break;
      default:
        return false;
    }
  }
  return std::ranges::none_of(plan_.outputs, [f](const Output& o) { return o.frame == f; });
}

bool Walker::folds_in_any_order(int f) const {
  const CpuFrame& c = plan_.frames[f];
  return c.only_folds && !c.ops.empty() && std::ranges::all_of(c.ops, [this](const BlockOp& s) {
           if (s.kind != BlockOp::fold) return false;
           const Accum& a = plan_.accums[s.a];
           return info(a.reducer).is_extreme() || is_integer(a.dtype) || a.dtype == DType::boolean;
         });
}

bool Walker::only_tests(int f) const {
  const std::vector<int>& accums = plan_.frames[f].outward;
  const auto tests = [&](int i) {
    const Accum& a = plan_.accums[i];
    return a.into == 0 && (a.reducer == Reducer::any || a.reducer == Reducer::all);
  };
  return !accums.empty() && std::ranges::all_of(accums, tests) && only_folds(f);
}

bool Walker::is_decided(int f) {
  return std::ranges::all_of(plan_.frames[f].outward, [&](int i) {
    const Accum& a = plan_.accums[i];
    return *at<uint8_t>(a.slot) == (a.reducer == Reducer::any);
  });
}

void Walker::run_parts(int f, int64_t tasks, FunctionRef<void(Walker&, int64_t)> part,
                       bool may_defer) {
  if (tasks == 1) {
    part(*this, 0);
    return;
  }
  const CpuFrame& c = plan_.frames[f];
  PartAccums accums(plan_, c.outward, *this, tasks);
  // Many cells are not kept for each task, as joining them would take longer than adding its items:
  // one task after the other adds to the same ones.
  const bool large_fills = run_.histogram_bytes > 8 * std::max<int64_t>(seams().task, 1 << 10);
  const bool inline_only = num_threads() == 1 || in_parallel() || large_fills ||
                           run_.histogram_bytes * tasks > (int64_t{1} << 28);
  auto one = [&](int64_t task, Context& mine) {
    ScratchScope scope(mine.scratch);
    Walker w(plan_, run_, mine);
    accums.use(task, mine);
    part(w, task);
  };
  if (inline_only) {
    const ScratchScope tables(ctx_.scratch);
    Context mine(ctx_, ctx_.scratch);
    mine.part = true;
    for (int64_t t = 0; t < tasks; t++) {
      std::vector<uint64_t> fill;
      if (!large_fills) run_.own_fills(mine, fill);
      one(t, mine);
      if (!large_fills) run_.join_fills(ctx_, fill);
    }
  } else {
    std::mutex lock;
    std::vector<int64_t> deferred;
    std::vector<std::vector<uint64_t>> filled(static_cast<size_t>(tasks));
    InOrder appended(run_.growing(ctx_), tasks);
    auto task_on = [&](int64_t task, int worker) {
      const ScratchScope tables;
      Context mine(ctx_, thread_scratch());
      mine.part = true;
      run_.own_growing(mine, appended.parts_of(task));
      run_.own_fills(mine, filled[task]);
      one(task, mine);
      appended.ended(task, worker);
    };
    parallel_for(tasks, [&](int64_t task, int worker) {
      if (may_defer && run_.is_giant(f, task, tasks)) {
        std::lock_guard<std::mutex> hold(lock);
        deferred.push_back(task);
        return;
      }
      task_on(task, worker);
    });
    std::sort(deferred.begin(), deferred.end());
    for (int64_t task : deferred) task_on(task, 0);
    appended.finish();
    for (const auto& of_task : filled) run_.join_fills(ctx_, of_task);
  }
  accums.merge(*this);
}

void Walker::rows_block(int f, int64_t begin, int64_t end) {
  check<ValueError>(end - begin <= kInt32, "more than {} rows in one block", kInt32);
  auto mark = ctx_.scratch.mark();
  auto* off = ctx_.scratch.get<int32_t>(2);
  off[0] = 0;
  off[1] = static_cast<int32_t>(end - begin);
  state(f) = {end - begin, 1, off, begin, begin, 0, begin, 0};
  body(f);
  // Others look at a whole block afterwards: its scratch stays until the owner's block ends.
  if (!frame(f).whole) ctx_.scratch.release(mark);
}

void Walker::items_block(int f, int64_t first, int64_t place, int64_t n) {
  ScratchScope scope(ctx_.scratch);
  state(f) = {n, 0, nullptr, first, 0, 0, place, 0};
  body(f);
}

}  // namespace serrate::cpu
