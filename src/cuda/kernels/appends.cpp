// Items of unknown number, counted and then written: see appends.h.
#include "cuda/kernels/appends.h"

#include <algorithm>

#include "cuda/codegen/functions.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

void Appends::write(const std::vector<Counted>& counted) {
  const Walk& w = *walk_;
  append_all(counted);
  if (w.in_one_block()) return add_main();
  if (w.by_warps() && w.appends[0].lengths >= 0) keep_bits();
  count_kernels();
  add_main();
}

void Appends::append_all(const std::vector<Counted>& counted) {
  for (const Counted& x : counted) append(x);
  if (!walk_->in_one_block()) return;
  walk_->only_counts = a_.fresh_integer();
  walk_->totals = a_.output("long long");
}

void Appends::append(const Counted& counted) {
  Walk& w = *walk_;
  Append& x = w.appends.emplace_back();
  x.frame = counted.frame;
  x.level = counted.level;
  x.lengths = counted.lengths;
  x.owner = counted.owner;
  if (!w.in_one_block()) x.counts = a_.output("long long");
  x.begins = a_.output("long long");
  if (w.by_warps() || w.in_one_block()) x.seen = a_.output("long long");
  for (const Place& p : out_->places)
    x.needs_room |= p.frame == x.frame && !p.is_known && w.group.sinks != Sinks::but_appended &&
                    is_ours(x.frame);
  const SpaceRef& space = frame(x.frame).space;
  x.most = a_.source(Source::most, space.get());
  if (x.lengths < 0) return;
  const auto which = static_cast<size_t>(x.lengths);
  out_->places[which].is_offsets = true;
  const Column* const lengths = nest_.outputs()[which].column.get();
  // In one block others may ask for what is counted.
  if (w.per_item()) unfolded_.push_back(e_.first_like(lengths));
  if (w.in_one_block() && !is_ranked(*space)) unfolded_.push_back(lengths);
}

void Appends::count_kernels() {
  for (int level = 0; level < levels(); level++) {
    const std::string name = walk_->name + "_count" + (level == 0 ? "" : std::to_string(level));
    writing_.code.push_back(kernel(name, level));
    walk_->counts.push_back(name);
  }
}

int Appends::levels() const {
  int n = 1;
  for (const Append& x : walk_->appends) n = std::max(n, x.level + 1);
  return n;
}

void Appends::begin(int counting, Cursor& unit, Scope& s) {
  Walk& w = *walk_;
  if (counting < 0 && !w.kept.bits.empty()) kept_lists(s);
  for (const Append& x : w.appends) {
    positions_.emplace_back(x.frame, e_.fresh("q"));
    if (!w.by_warps()) Emitter::line(s, "long long " + positions_.back().second + " = 0;");
  }
  if (w.per_item() || w.by_warps()) return;
  const int before = static_cast<int>(std::ssize(w.counts));
  find_begins(unit, s, counting >= 0 ? counting : w.in_one_block() ? levels() : before);
  counting_ = counting;
  if (w.in_one_block() && !counts()) say_totals(s);
}

void Appends::find_begins(Cursor& unit, Scope& s, int levels) {
  for (int level = 0; level < levels; level++) {
    // The same walk once more.
    counting_ = level;
    Scope dry = Emitter::inside(s);
    threads_walk(unit, dry);
    Emitter::close(s, "", dry);
    if (walk_->in_one_block()) {
      begin_alone(level, s);
      continue;
    }
    for (size_t i = 0; i < walk_->appends.size(); i++) {
      const Append& x = walk_->appends[i];
      const std::string& q = positions_[i].second;
      if (x.level == level) {
        Emitter::line(s, "{ long long total; " + q + " = " + x.begins + "[blockIdx.x] + " +
                             prelude_call("sr_block_before", {q, "total"}) + "; }");
        Emitter::line(s, "const long long " + q + "_begin = " + q + ";");
      } else if (x.level < level) {
        Emitter::line(s, q + " = " + q + "_begin;");
      }
    }
  }
}

void Appends::end(Scope& s) {
  const Walk& w = *walk_;
  if (w.in_one_block() && !counts()) finish_lists(s);
  if (!counts() || w.per_item()) return;
  if (w.by_warps()) return add_up_counts(s);
  for (size_t i = 0; i < w.appends.size(); i++) {
    if (w.appends[i].level != counting_) continue;
    const Text sum = prelude_call("sr_block_before", {positions_[i].second, "total"});
    Emitter::line(s, "{ long long total; " + sum + "; if (threadIdx.x == 0) " +
                         w.appends[i].counts + "[blockIdx.x] = total; }");
  }
}

void Appends::walk_items(Cursor& unit, Scope& s) {
  walk_->by_warps() ? warp_items(unit, s) : Threads::walk_items(unit, s);
}

}  // namespace serrate::cuda
