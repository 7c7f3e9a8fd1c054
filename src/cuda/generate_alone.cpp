// Few items of unknown number: one kernel counts them and writes them.
//
// Each of its blocks has all items of the outermost loop, one a thread, so it knows by itself where
// those of each thread go: nothing is launched before to count and to add up. Where lists are
// balanced (see generate_balanced.cpp), blocks share out what they write; else there is one block.
// The lists' offsets are written on the way, whether all lists have an owner or those that a filter
// leaves. If the host must know how much room is needed, the kernel runs twice, and ends the first
// time once it has told.
#include <algorithm>

#include "cuda/generator.h"

namespace serrate::cuda {

/// Lists of appended items whose owners are the walk's own items, or appended ones themselves.
void Generator::use_own_offsets(Walk& w) {
  for (Append& x : w.appends) {
    const Frame& f = nest_.frames()[static_cast<size_t>(x.frame)];
    const bool at_root = f.parent == w.group.root;
    // Another walk may have written those of the root already.
    if (at_root ? w.group.sinks == Sinks::appended || !is_plain(*root_of(w).space)
                : append_of(f.parent) == nullptr)
      continue;
    if (!is_ours(f.parent)) continue;
    int others = 0, which = -1;
    for (size_t i = 0; i < out_->places.size(); i++) {
      const auto& o = nest_.outputs()[i];
      if (o.frame != f.parent) continue;
      const bool is_it = !out_->places[i].is_offsets && are_lengths(o, f);
      is_it ? which = static_cast<int>(i) : others++;
    }
    // Others may ask for what is not folded then.
    const bool is_folded = !Emitter::is_ranked(*f.space);
    if (which < 0 || (is_folded && others > 0)) continue;
    // Nobody counts lists whose number is known.
    if (!at_root && out_->places[static_cast<size_t>(which)].is_known) continue;
    x.lengths = which;
    x.owner = at_root ? -1 : f.parent;
    out_->places[static_cast<size_t>(which)].is_offsets = true;
    if (is_folded) unfolded_.push_back(nest_.outputs()[static_cast<size_t>(which)].column.get());
  }
}

std::string Generator::alone_kernel(Walk& w) {
  w.per_item = false;
  w.only_counts = a_.fresh_integer();
  w.totals = a_.output("long long");
  w.levels = 1;
  for (Append& x : w.appends) x.level = 0;
  if (kernel(w, w.name, 0).find("unknown_") != std::string::npos) {
    find_levels(w);
    for (const Append& x : w.appends) w.levels = std::max(w.levels, x.level + 1);
  }
  return w.balanced ? balanced_kernel(w) : kernel(w, w.name, -1);
}

void Generator::begin_alone(int level, Scope& s) {
  for (size_t i = 0; i < positions_.size(); i++) {
    const int counted = walk_->appends[i].level;
    const std::string& q = positions_[i].second;
    if (counted == level) {
      Emitter::line(s, "long long " + q + "_total;");
      Emitter::line(
          s, "const long long " + q + "_begin = sr_block_before(" + q + ", " + q + "_total);");
    }
    if (counted <= level) Emitter::line(s, q + " = " + q + "_begin;");
  }
}

void Generator::say_totals(const Walk& w, Scope& s) {
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

void Generator::begin_lists(int f, Cursor& k, Scope& s) {
  for (size_t i = 0; i < positions_.size(); i++) {
    const Append& x = walk_->appends[i];
    if (x.lengths < 0 || (x.owner < 0 ? walk_->group.root : x.owner) != f) continue;
    const std::string& q = positions_[i].second;
    const std::string at = x.owner < 0 ? ordinal(k) : *position_of(f);
    Emitter::line(s, x.begins + "[" + at + "] = " + q + ";");
    Emitter::line(s, "const long long " + q + "_list = " + q + ";");
  }
}

void Generator::end_lists(int f, Scope& s) {
  for (size_t i = 0; i < positions_.size(); i++) {
    const Append& x = walk_->appends[i];
    if (x.lengths < 0 || (x.owner < 0 ? walk_->group.root : x.owner) != f) continue;
    const std::string& q = positions_[i].second;
    Emitter::line(s, q + "_longest = max(" + q + "_longest, " + q + " - " + q + "_list);");
  }
}

void Generator::finish_lists(const Walk& w, Scope& s) {
  for (size_t i = 0; i < positions_.size(); i++) {
    const Append& x = w.appends[i];
    if (x.lengths < 0) continue;
    const std::string& q = positions_[i].second;
    const std::string lists =
        x.owner < 0 ? a_.number("long long", w.items) : *position_of(x.owner) + "_total";
    Emitter::line(s, "sr_end_lists(" + q + "_total, " + lists + ", " + q + "_longest, " + x.begins +
                         ", " + x.seen + ");");
  }
}

}  // namespace serrate::cuda
