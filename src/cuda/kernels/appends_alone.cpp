// Few items of unknown number: one kernel counts them and writes them.
//
// Each of its blocks has all items of the outermost loop, one a thread, so it knows by itself where
// those of each thread go: nothing is launched before to count and to add up. Where lists are
// balanced (see balanced.cpp), blocks share out what they write; else there is one block. The
// lists' offsets are written on the way, whether all lists have an owner or those that a filter
// leaves. If the host must know how much room is needed, the kernel runs twice, and ends the first
// time once it has told.
#include "cuda/kernels/appends.h"

namespace serrate::cuda {

void Appends::begin_alone(int level, Scope& s) {
  for (size_t i = 0; i < positions_.size(); i++) {
    const int counted = walk_->appends[i].level;
    const std::string& q = positions_[i].second;
    if (counted == level) {
      Emitter::line(s, "long long " + q + "_total;");
      Emitter::line(s, "const long long " + q +
                           "_begin = " + prelude_call("sr_block_before", {q, q + "_total"}) + ";");
    }
    if (counted <= level) Emitter::line(s, q + " = " + q + "_begin;");
  }
}

void Appends::say_totals(Scope& s) {
  const Walk& w = *walk_;
  std::string all;
  int number = 0;
  for (size_t i = 0; i < w.appends.size(); i++) {
    const std::string& q = positions_[i].second;
    if (w.appends[i].needs_room)
      all += w.totals + "[" + std::to_string(number++) + "] = " + q + "_total; ";
    if (w.appends[i].lengths >= 0) Emitter::line(s, "long long " + q + "_longest = 0;");
  }
  Emitter::line(s, "if (" + w.only_counts + " != 0) {");
  Emitter::line(s, "  if (blockIdx.x == 0 && threadIdx.x == 0) { " + all + "}");
  Emitter::line(s, "  return;");
  Emitter::line(s, "}");
}

void Appends::finish_lists(Scope& s) {
  const Walk& w = *walk_;
  for (size_t i = 0; i < positions_.size(); i++) {
    const Append& x = w.appends[i];
    if (x.lengths < 0) continue;
    const std::string& q = positions_[i].second;
    const std::string lists =
        x.owner < 0 ? a_.number("long long", w.items) : *position_of(x.owner) + "_total";
    Emitter::line(
        s, prelude_call("sr_end_lists", {q + "_total", lists, q + "_longest", x.begins, x.seen}) +
               ";");
  }
}

}  // namespace serrate::cuda
