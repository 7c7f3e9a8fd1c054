// Items of unknown number are counted before they are written, so that each thread knows where its
// own begin.
//
// What is counted may depend on positions among items that are counted too (lists whose bounds are
// looked up by the number of a chosen row). Those are counted in a kernel before.
#include <algorithm>

#include "cuda/generator.h"
#include "serrate/error.h"

namespace serrate::cuda {

std::string Generator::count_name(const Walk& w, int level) const {
  return w.name + "_count" + (level == 0 ? "" : std::to_string(level));
}

std::string Generator::count_kernels(Walk& w) {
  for (Append& x : w.appends) x.level = 0;
  std::string text = kernel(w, count_name(w, 0), 0);
  w.counts = {count_name(w, 0)};
  if (text.find("unknown_") == std::string::npos) return text;
  find_levels(w);
  int levels = 0;
  for (const Append& x : w.appends) levels = std::max(levels, x.level + 1);
  text.clear();
  w.counts.clear();
  for (int level = 0; level < levels; level++) {
    const std::string name = count_name(w, level);
    text += kernel(w, name, level);
    w.counts.push_back(name);
  }
  return text;
}

void Generator::find_levels(Walk& w) {
  const size_t n = w.appends.size();
  std::vector<std::vector<bool>> asks(n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) w.appends[j].level = i == j ? 0 : 1;
    const std::string alone = kernel(w, w.name, 0);
    for (const Append& x : w.appends)
      asks[i].push_back(alone.find(not_begun(x.frame)) != std::string::npos);
  }
  for (Append& x : w.appends) x.level = 0;
  for (size_t round = 0; round <= n; round++) {
    bool done = true;
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        if (!asks[i][j] || w.appends[i].level > w.appends[j].level) continue;
        w.appends[i].level = w.appends[j].level + 1;
        done = false;
      }
    }
    if (done) return;
  }
  throw ValueError("cuda: items are counted by their own positions in " + w.name);
}

void Generator::find_begins(Walk& w, Cursor& unit, Scope& s, int levels) {
  for (int level = 0; level < levels; level++) {
    // The same walk once more.
    counting_ = level;
    Scope dry = Emitter::inside(s);
    threads_walk(w, unit, dry);
    Emitter::close(s, "", dry);
    if (w.alone) {
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
