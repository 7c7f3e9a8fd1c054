// Items of unknown number are counted before they are written, so that each thread knows where its
// own begin.
//
// What is counted may depend on positions among items that are counted too: those are counted in a
// kernel before (find_levels in plan.cpp).
#include <algorithm>

#include "cuda/codegen/generator.h"
#include "serrate/error.h"

namespace serrate::cuda {

std::string Generator::count_name(const Walk& w, int level) const {
  return w.name + "_count" + (level == 0 ? "" : std::to_string(level));
}

void Generator::count_kernels(Walk& w) {
  for (int level = 0; level < levels_of(w); level++) {
    const std::string name = count_name(w, level);
    code_.push_back(kernel(w, name, level));
    w.counts.push_back(name);
  }
}

int Generator::levels_of(const Walk& w) {
  int levels = 1;
  for (const Append& x : w.appends) levels = std::max(levels, x.level + 1);
  return levels;
}

void Generator::find_begins(Walk& w, Cursor& unit, Scope& s, int levels) {
  for (int level = 0; level < levels; level++) {
    // The same walk once more.
    counting_ = level;
    Scope dry = Emitter::inside(s);
    threads_walk(w, unit, dry);
    Emitter::close(s, "", dry);
    if (w.in_one_block()) {
      begin_alone(level, s);
      continue;
    }
    for (size_t i = 0; i < w.appends.size(); i++) {
      const Append& x = w.appends[i];
      const std::string& q = positions_[i].second;
      if (x.level == level) {
        Emitter::line(s, "{ long long total; " + q + " = " + x.begins +
                             "[blockIdx.x] + sr_block_before(" + q + ", total); }");
        Emitter::line(s, "const long long " + q + "_begin = " + q + ";");
      } else if (x.level < level) {
        Emitter::line(s, q + " = " + q + "_begin;");
      }
    }
  }
}

}  // namespace serrate::cuda
