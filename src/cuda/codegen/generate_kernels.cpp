// Kernels and how their threads share items: see generator.h.
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

KernelCode Generator::kernel(Walk& w, const std::string& name, int counting) {
  Scope s;
  // Every block of few items has all of them.
  Emitter::line(s, std::string("const long long t = ") +
                       (w.in_one_block() ? "" : "(long long)blockIdx.x * blockDim.x + ") +
                       "threadIdx.x;");
  Emitter::line(s, std::string("const long long threads = ") +
                       (w.in_one_block() ? "" : "(long long)gridDim.x * ") + "blockDim.x;");
  if (counting < 0 && !w.kept.bits.empty()) kept_lists(w, s);
  folds_.clear();
  positions_.clear();
  counters_.clear();
  Cursor& unit = e_.unit_cursor(s);
  for (const Append& x : w.appends) {
    positions_.emplace_back(x.frame, e_.fresh("q"));
    Emitter::line(s, "long long " + positions_.back().second + " = 0;");
  }
  if (!w.per_item() && !w.by_warps())
    find_begins(w, unit, s,
                counting >= 0      ? counting
                : w.in_one_block() ? levels_of(w)
                                   : static_cast<int>(std::ssize(w.counts)));
  counting_ = counting;
  if (w.in_one_block() && !counts()) say_totals(w, s);
  if (!counts()) {
    for (const Fold& x : w.group.unit_folds) {
      const Column* const column = e_.first_like(x.column);
      if (find_fold(column, 0) != nullptr) continue;
      folds_.push_back({0, e_.declare(column, s)});
    }
  }
  if (!counts()) declare_bins(w, s);
  threads_walk(w, unit, s);
  if (!counts()) add_up_bins(s);
  if (w.in_one_block() && !counts()) finish_lists(w, s);
  if (counts() && !w.per_item() && !w.by_warps()) {
    for (size_t i = 0; i < w.appends.size(); i++) {
      if (w.appends[i].level != counting_) continue;
      const std::string& q = positions_[i].second;
      Emitter::line(s, "{ long long total; sr_block_before(" + q +
                           ", total); if (threadIdx.x == 0) " + w.appends[i].counts +
                           "[blockIdx.x] = total; }");
    }
  } else if (counts() && w.by_warps()) {
    add_up_counts(w, s);
  } else if (!counts()) {
    block_parts(w, s);
    if (!w.unit_folds.empty()) last_block(w, s);
  }
  // Of the warps that tuples keep busy, more hide the wait for memory.
  return {name, kThreads, w.is<TuplesPerWarp>() ? 5 : 1, std::move(s.code)};
}

void Generator::threads_walk(Walk& w, Cursor& unit, Scope& s) {
  const Frame& root = nest_.frames()[w.group.root];
  Scope in = Emitter::inside(s);
  unit.scope = &in;
  if (w.group.items) {
    items_walk(root, unit, in);
  } else if (w.is<TuplesPerWarp>()) {
    warps_walk(w, unit, in);
  } else {
    Share share{"t", "threads"};
    if (w.lanes() > 1) {
      const std::string n = std::to_string(w.lanes());
      Emitter::line(in, "const int lane = threadIdx.x & " + std::to_string(w.lanes() - 1) + ";");
      share = {"t / " + n, "threads / " + n};
    }
    share.in_order = !w.appends.empty() && !w.per_item();
    // Few threads with many items each.
    if (w.resident() && w.unroll() > 1 && !share.in_order)
      share.divide = "/ (" + share.step + ")";
    else if (w.unroll() > 1 && is_plain(*root.space))
      Emitter::line(in, "#pragma unroll " + std::to_string(w.unroll()));
    e_.each(root.space, unit, in, share,
            [&](Cursor& k, Scope& inner) { body(w.group.root, k, inner); });
  }
  unit.scope = &s;
  Emitter::call(s, in);
}

Cursor& Generator::stored_cursor(const SpaceRef& space, const Text& domain, Cursor& unit, Scope& s,
                                 std::vector<Asked>& asked) {
  Cursor& k = e_.cursor(space, nullptr, &s);
  k.domain = domain;
  if (space->depth == 1) {
    k.owner = &unit;
    k.local = domain;
    return k;
  }
  const Symbol symbol = symbols_++;
  const Text o(e_.fresh("r"), symbol);
  k.owner = &stored_cursor(space->parent, o, unit, s, asked);
  Text line = "const long long " + o + " = ";
  bool near = false;
  if (space->kind == SpaceKind::fixed) {
    const Text n = e_.length(space, *k.owner);
    line += domain + " / " + n + ";";
    k.local = "(" + domain + " % " + n + ")";
  } else {
    const Column& c = *space->starts;
    const std::string b = a_.input(type_text(c.dtype), c);
    // Items of one warp have owners that are close to each other.
    near = walk_->by_warps() && space == root_of(*walk_).space;
    line += "sr_search(" + b + ", " + (near ? Text("owner0, owner1") : owners_of(*space)) + ", " +
            domain + ");";
    k.local = "(" + domain + " - (long long)" + b + "[" + o + "])";
  }
  asked.push_back({symbol, line, near});
  return k;
}

/// The first one, and the one behind the last.
std::string Generator::owners_of(const Space& s) {
  const std::string from = first_item(*s.parent);
  return from + ", " + from + " + " + a_.number(Source::items, *s.parent);
}

bool Generator::add_asked(const std::vector<Asked>& asked, Scope& s) {
  bool by_warp = false;
  for (const Asked& o : asked) {  // the outermost first: it names the one inside
    if (!s.code.uses(o.name)) continue;
    Block definition;
    definition.add(o.line);
    s.code.prepend(definition);
    by_warp |= o.by_warp;
  }
  return by_warp;
}

void Generator::items_walk(const Frame& root, Cursor& unit, Scope& s) {
  if (walk_->by_warps()) return appending_walk(root, unit, s);
  const std::string first = first_item(*root.space), end = a_.number(Source::end, *root.space);
  Scope in = Emitter::inside(s);
  const std::string i = e_.fresh("i");
  std::vector<Asked> asked;
  Cursor& k = stored_cursor(root.space, i, unit, in, asked);
  body(root.id, k, in);
  add_asked(asked, in);
  if (const auto* ranges = std::get_if<AppendPerBlock>(&walk_->schedule)) {
    const std::string n = std::to_string(ranges->chunk);
    Emitter::close(s,
                   "for (long long " + i + " = " + first + " + t * " + n + "; " + i + " < min(" +
                       end + ", " + first + " + t * " + n + " + " + n + "); ++" + i + ")",
                   in);
    return;
  }
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
                 "for (long long " + i + " = " + first + " + t; " + i + " < " + end + "; " + i +
                     " += threads)",
                 in);
}

}  // namespace serrate::cuda
