// Items of lists whose lengths need no walk, written where they belong.
//
// A first kernel has the lengths, which are added up as ever. In the second one each block has as
// many items as the others, whatever lists they are of: it marks in shared memory where lists
// begin, and a running maximum says of each item whose it is. So neighbours write side by side,
// and long lists are shared out.
#include <algorithm>

#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

bool Generator::can_place(const Walk& w) const {
  if (!w.per_item || w.group.items || w.appends.size() != 1 || w.keeps_order || forced_.lanes > 0)
    return false;
  const int f = w.appends[0].frame;
  const Frame& frame = nest_.frames()[f];
  if (!graph::is_stored(root_of(w).space)) return false;
  if (frame.parent != w.group.root || frame.inside >= 0 || !Emitter::is_ranked(*frame.space))
    return false;
  for (const Frame& other : nest_.frames()) {
    if (other.id != f && other.id != w.group.root && is_walked(other.id)) return false;
  }
  return std::none_of(w.group.frames.begin(), w.group.frames.end(), [&](int g) {
    const Frame& frame = nest_.frames()[g];
    return !frame.histograms.empty() ||
           std::any_of(frame.folds.begin(), frame.folds.end(),
                       [&](const Fold& x) { return !is_known(x.column); });
  });
}

/// What the kernel before does elsewhere.
void Generator::count_alone(Walk& w, const std::string& lists, Scope& s) {
  const Append& x = w.appends[0];
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  put("const long long t = threadIdx.x, threads = blockDim.x;");
  positions_.emplace_back(x.frame, e_.fresh("q"));
  const std::string q = positions_[0].second;
  put("long long " + q + " = 0;");
  find_begins(w, e_.unit_cursor(s), s, 1);
  counting_ = -1;
  say_totals(w, s);
  put("__shared__ long long begins[" + std::to_string(kThreads) + "];");
  put("begins[t] = " + q + ";");
  put("__syncthreads();");
  put("const auto begin = [&](long long l) { return begins[l]; };");
  if (x.lengths < 0) return;
  put("if (blockIdx.x == 0) {");
  put("  if (t < " + lists + ") " + x.begins + "[t] = " + q + ";");
  put("  if (t < " + lists + ") " + q + "_longest = begins[t + 1] - " + q + ";");
  finish_lists(w, s);
  put("}");
}

std::string Generator::placed_kernel(Walk& w) {
  const Append& x = w.appends[0];
  const Frame& root = root_of(w);
  const std::string size = std::to_string(kPlaced);
  counting_ = -1;
  folds_.clear();
  positions_.clear();
  counters_.clear();
  Scope s;
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  const std::string lists = a_.number(Source::items, *root.space);
  if (w.alone)
    count_alone(w, lists, s);
  else
    put("const auto begin = [&](long long l) { return __ldg(" + x.begins + " + l); };");
  put("const long long first = (long long)blockIdx.x * " + size + ", total = begin(" + lists +
      ");");
  put("if (first >= total) return;");
  put("const int items = (int)min(" + size + "ll, total - first);");
  put("__shared__ unsigned owners[" + size + "];");
  put("const long long list0 = sr_find_owners<" + std::to_string(kThreads) + ">(begin, " + lists +
      ", first, items, owners);");
  Scope one = Emitter::inside(s), in = Emitter::inside(one);
  const auto more = [&](const std::string& t) { Emitter::line(one, t); };
  // Threads without an item do the last one again: nothing is in the way of several reads at once.
  more("const int p = min(u * " + std::to_string(kThreads) + " + (int)threadIdx.x, items - 1);");
  more("const long long list = list0 + owners[p], i = " + first_item(*root.space) + " + list;");
  positions_.assign(1, {x.frame, e_.fresh("q")});
  const std::string& q = positions_[0].second;
  more("long long " + q + " = first + p;");
  more("const long long index = " + q + " - begin(list);");
  Cursor& unit = e_.unit_cursor(one);
  std::vector<Asked> asked;
  Cursor& owner = stored_cursor(root.space, "i", unit, in, asked);
  e_.ranked(nest_.frames()[x.frame].space, owner, in, "index", false,
            [&](Cursor& item, Scope& inner) { body(x.frame, item, inner); });
  add_asked(asked, in);
  Emitter::call(one, in);
  put("#pragma unroll 4");
  Emitter::close(s, "for (int u = 0; u < " + std::to_string(kPlaced / kThreads) + "; u++)", one);
  return header(w.name) + s.code + "}\n";
}

}  // namespace serrate::cuda
