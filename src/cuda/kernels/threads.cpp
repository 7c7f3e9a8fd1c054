// Kernels whose threads share the items of the outermost loop: see threads.h.
#include "cuda/kernels/threads.h"

#include <algorithm>

#include "cuda/codegen/functions.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

KernelCode Threads::kernel(const std::string& name, int counting) {
  Walk& w = *walk_;
  Scope s;
  // Every block of few items has all of them.
  const auto all = [&](const char* many) { return w.in_one_block() ? "" : many; };
  Emitter::line(s, "const long long t = " + Text(all("(long long)blockIdx.x * blockDim.x + ")) +
                       "threadIdx.x;");
  Emitter::line(
      s, "const long long threads = " + Text(all("(long long)gridDim.x * ")) + "blockDim.x;");
  begin_kernel(counting);
  Cursor& unit = e_.unit_cursor(s);
  begin(counting, unit, s);
  const FoldStruct* const fold = counts() ? nullptr : unit_fold();
  const std::string seen = fold == nullptr ? "" : e_.fresh("f");  // by this thread
  if (fold != nullptr) {
    for (const Accumulator& acc : declare_fold(*fold, seen, s)) folds_.push_back({0, acc});
  }
  if (!counts()) histograms_.declare(w, s);
  threads_walk(unit, s);
  if (!counts()) histograms_.add_up(s);
  end(s);
  if (fold != nullptr) join_unit_folds(*fold, seen, s);
  return {name, kThreads, blocks_that_fit(), std::move(s.code)};
}

/// Of the reductions of everything, if there are some.
const FoldStruct* Threads::unit_fold() {
  std::vector<Folded> folded;
  for (const Fold& x : walk_->group.unit_folds) {
    const Column* const column = e_.first_like(x.column);
    const auto is_it = [&](const Folded& f) { return f.column == column; };
    if (std::ranges::none_of(folded, is_it)) folded.push_back({column});
  }
  return folded.empty() ? nullptr : &fold_of(folded);
}

void Threads::threads_walk(Cursor& unit, Scope& s) {
  Scope in = Emitter::inside(s);
  unit.scope = &in;
  walk_items(unit, in);
  unit.scope = &s;
  Emitter::call(s, in);
}

void Threads::walk_items(Cursor& unit, Scope& s) {
  walk_->group.items ? stored_items(unit, s) : share_items(unit, s);
}

/// What a thread has of the items; lanes share each.
Share Threads::share_of_thread(Scope& s) {
  const int lanes = walk_->lanes();
  if (lanes == 1) return {"t", "threads"};
  const std::string n = std::to_string(lanes);
  Emitter::line(s, "const int lane = threadIdx.x & " + std::to_string(lanes - 1) + ";");
  return {"t / " + n, "threads / " + n};
}

void Threads::share_items(Cursor& unit, Scope& s) {
  const Walk& w = *walk_;
  const Frame& root = root_of(w);
  Share share = share_of_thread(s);
  share.in_order = !w.appends.empty() && !w.per_item();
  // Few threads with many items each.
  if (w.resident() && w.unroll() > 1 && !share.in_order)
    share.divide = "/ (" + share.step + ")";
  else if (w.unroll() > 1 && is_plain(*root.space))
    Emitter::line(s, "#pragma unroll " + std::to_string(w.unroll()));
  e_.each(root.space, unit, s, share,
          [&](Cursor& k, Scope& inner) { body(w.group.root, k, inner); });
}

void Threads::stored_items(Cursor& unit, Scope& s) {
  const Frame& root = root_of(*walk_);
  const std::string first = first_item(*root.space), end = a_.number(Source::end, *root.space);
  Scope in = Emitter::inside(s);
  const std::string i = e_.fresh("i");
  std::vector<Asked> asked;
  Cursor& k = stored_cursor(root.space, i, unit, in, asked);
  body(root.id, k, in);
  add_asked(asked, in);
  if (const auto* ranges = std::get_if<AppendPerBlock>(&walk_->schedule)) {
    const std::string n = std::to_string(ranges->chunk), from = first + " + t * " + n;
    Emitter::close(s,
                   "for (long long " + i + " = " + from + "; " + i + " < min(" + end + ", " + from +
                       " + " + n + "); ++" + i + ")",
                   in);
    return;
  }
  const Share share = share_of_thread(s);
  if (walk_->unroll() > 1 && walk_->resident()) {
    Scope step = Emitter::inside(s);
    Emitter::line(step, "const long long " + i + " = " + first + " + t + j * threads;");
    step.code.append(in.code);
    Emitter::line(
        s, "const long long steps = (" + end + " - (" + first + " + t) + threads - 1) / threads;");
    Emitter::line(s, "#pragma unroll " + std::to_string(walk_->unroll()));
    Emitter::close(s, "for (long long j = 0; j < steps; ++j)", step);
    return;
  }
  if (walk_->unroll() > 1) Emitter::line(s, "#pragma unroll " + std::to_string(walk_->unroll()));
  Emitter::close(s,
                 "for (long long " + i + " = " + first + " + " + share.first + "; " + i + " < " +
                     end + "; " + i + " += " + share.step + ")",
                 in);
}

void Threads::join_unit_folds(const FoldStruct& fold, const std::string& seen, Scope& s) {
  UnitFold& u = walk_->unit_fold;
  u.bytes = fold.bytes();
  u.parts = a_.output(fold.name());
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  put(seen + ".settle();");
  put(prelude_call("sr_join_block", {seen}) + ";");
  put("if (threadIdx.x == 0) " + u.parts + "[blockIdx.x] = " + seen + ";");
  last_arrived("0", "gridDim.x", s);
  const std::string all = e_.fresh("f");
  put("const auto " + all + " = " + prelude_call("sr_join_parts", {u.parts, "gridDim.x"}) + ";");
  for (const Accumulator& acc : fold.of(all)) {
    const std::string result = a_.output(acc.column->dtype);
    put("if (threadIdx.x == 0) " + result + "[0] = " + Emitter::result(acc) + ";");
    u.results.push_back(result);
    e_.unit_results.emplace_back(acc.column, result + "[0]");
  }
}

}  // namespace serrate::cuda
