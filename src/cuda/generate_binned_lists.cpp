// A block's lists, shared out by their lengths: see generate_binned.cpp.
#include <algorithm>

#include "cuda/binned.h"
#include "cuda/facts.h"
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace binned;

/// Where a list begins and ends, as names `start` and `stop`.
void Generator::put_bounds(const Bins& b, const std::string& r, Scope& s) {
  const Space& space = *nest_.frames()[b.frame].space;
  const auto bound = [&](const ColumnRef& c) {
    return "(long long)" + a_.input(type_text(c->dtype), *c) + "[" + r + "]";
  };
  Emitter::line(s, "const long long start = " + bound(space.starts) + ";");
  Emitter::line(s, "const long long stop = " + bound(space.stops) + ";");
}

/// Leaves a list to more threads.
void Generator::queue_list(const std::string& length, bool giants, Scope& s) {
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  put("if (" + length + " <= " + std::to_string(kMedium) +
      ") queue[atomicAdd(&queued[0], 1)] = (unsigned short)l;");
  put(std::string("else ") + (giants ? "if (" + length + " <= longest) " : "") + "queue[" +
      std::to_string(kBlockLists - 1) + " - atomicAdd(&queued[1], 1)] = (unsigned short)l;");
  if (giants) put("else giant[atomicAdd(&giants, 1)] = (unsigned short)l;");
}

/// Short lists whose items ask for little work: a thread folds all its lists at once, one item of
/// each in a step, so that many reads are on their way. Writes nothing if there is more work.
bool Generator::fold_together(
    const Bins& b, const std::function<std::string(const ColumnRef&, const std::string&)>& bound,
    const std::string& type, Scope& s) {
  const SpaceRef& space = nest_.frames()[b.frame].space;
  const Space& owners = *nest_.frames()[walk_->group.root].space;
  const std::string rows = "[" + std::to_string(kRows) + "]";
  Scope all = Emitter::inside(s), begin = Emitter::inside(all);
  Scope row = Emitter::inside(all), longer = Emitter::inside(row);
  Scope step = Emitter::inside(all), list = Emitter::inside(step), end = Emitter::inside(all);
  const auto each = [](Scope& outer, Scope& in) {
    Emitter::line(outer, "#pragma unroll");
    Emitter::close(outer, "for (int u = 0; u < " + std::to_string(kRows) + "; u++)", in);
  };
  const auto put = [&](const std::string& t) { Emitter::line(begin, t); };
  const std::string number =
      "const int l = u * " + std::to_string(kThreads) + " + (int)threadIdx.x;";
  put(number);
  put("const bool mine = l < lists;");
  put("const long long start = mine ? " + bound(space->starts, " + l") + " : base;");
  put("const long long stop = mine ? " + bound(space->stops, " + l") + " : base - 1;");
  put("from[u] = (" + type + ")(start - base);");
  put("length[u] = (" + type + ")(stop - start);");
  std::vector<Accumulator> accs;
  for (Accumulator& acc : declare_folds(b, begin, true)) {
    const auto several = [&](const std::string& type_of, std::string& value) {
      const std::string name = e_.fresh("s");
      Emitter::line(all, type_of + " " + name + rows + ";");
      put(name + "[u] = " + value + ";");
      value = name + "[u]";
    };
    several(std::string(Emitter::value_type(acc.column)), acc.name);
    if (!acc.index.empty()) several(acc.narrow ? "int" : "long long", acc.index);
    accs.push_back(acc);
  }
  Emitter::line(all, type + " from" + rows + ", length" + rows + ", most = 0;");
  each(all, begin);
  Emitter::line(longer, number);
  Emitter::line(longer, "starts[l] = from[u];");
  Emitter::line(longer, "lengths[l] = length[u];");
  queue_list("length[u]", !b.number.empty(), longer);
  Emitter::line(longer, "length[u] = -1;");
  Emitter::close(row, "if (length[u] > " + std::to_string(kShort) + ")", longer);
  Emitter::line(row, "most = max(most, length[u]);");
  each(all, row);
  const auto bounds = [&](Scope& in) {
    Emitter::line(in, "const long long r = " + first_item(owners) + " + list0 + u * " +
                          std::to_string(kThreads) + " + threadIdx.x;");
    Emitter::line(in, "const long long start = base + from[u], stop = start + length[u];");
  };
  bounds(list);
  Scope in = Emitter::inside(list);
  Cursor& unit = e_.unit_cursor(in);
  std::vector<Asked> asked;
  Cursor& owner = owner_cursor("r", unit, in, asked);
  folds_.clear();
  positions_.clear();
  counters_.clear();
  for (const Accumulator& acc : accs) folds_.push_back({walk_->group.root, acc});
  e_.remember(space->starts.get(), owner, in, "start");
  e_.remember(space->stops.get(), owner, in, "stop");
  e_.begins_lists = true;
  body(b.frame, e_.at_index(space, owner, in, "k", true), in);
  e_.begins_lists = false;
  if (std::count(in.code.begin(), in.code.end(), '\n') > kLight) return false;
  add_asked(asked, in);
  Emitter::call(list, in, "k < length[u]");
  Emitter::line(step, "if (k % 4 == 0 && most <= k) break;");
  each(step, list);
  Emitter::line(all, "#pragma unroll");
  Emitter::close(all, "for (int k = 0; k < " + std::to_string(kShort) + "; k++)", step);
  bounds(end);
  Emitter::line(end, "if (length[u] >= 0) " + leave_call("r", accs));
  each(all, end);
  Emitter::close(s, "", all);
  return true;
}

std::string Generator::binned_lists(const Bins& b, int64_t per_block) {
  const Space& owners = *nest_.frames()[walk_->group.root].space;
  const std::string from = first_item(owners), lists = a_.number(Source::items, owners);
  const std::string per = a_.structural("long long", static_cast<uint64_t>(per_block));
  const bool giants = !b.number.empty();
  Scope s;
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  leave_function(b, s);
  put("__shared__ unsigned short queue[" + std::to_string(kBlockLists) +
      "];  // 8 threads each; a warp each");
  put("__shared__ int queued[2];");
  if (giants) {
    put("__shared__ unsigned short giant[" + std::to_string(kBlockLists) + "];");
    put("__shared__ int giants;");
    put("__shared__ long long first;");
    put("if (threadIdx.x == 0) giants = 0;");
  }
  put("if (threadIdx.x < 2) queued[threadIdx.x] = 0;");
  put("__syncthreads();");
  put("const long long list0 = blockIdx.x * " + per + ";");
  put("const int lists = (int)min(" + per + ", " + lists + " - list0);");
  // Where the lists begin, as ints, and their lengths: all reads are on their way at once.
  const SpaceRef& its = nest_.frames()[b.frame].space;
  const Space& space = *its;
  const std::string type = facts_of(its).fits_int ? "int" : "long long";
  put("__shared__ " + type + " starts[" + std::to_string(kBlockLists) + "], lengths[" +
      std::to_string(kBlockLists) + "];");
  const auto bound = [&](const ColumnRef& c, const std::string& l) {
    return "(long long)" + a_.input(type_text(c->dtype), *c) + "[" + from + " + list0" + l + "]";
  };
  put("const long long base = " + bound(space.starts, "") + ";");
  if (giants)
    put("const int longest = " + bound(space.stops, " + lists - 1") + " - base > " +
        std::to_string(kBlockItems) + " ? " + std::to_string(kLongInFullBlock) + " : " +
        std::to_string(kLong) + ";");
  const bool light = fold_together(b, bound, type, s);
  if (!light) {
    put("#pragma unroll 4");
    put("for (int l = threadIdx.x; l < lists; l += " + std::to_string(kThreads) + ") {");
    put("  const long long start = " + bound(space.starts, " + l") + ";");
    put("  starts[l] = (" + type + ")(start - base);");
    put("  lengths[l] = (" + type + ")(" + bound(space.stops, " + l") + " - start);");
    put("}");
    put("__syncthreads();");
    Scope row = Emitter::inside(s);
    Emitter::line(row, "const long long r = " + from + " + list0 + l;");
    Emitter::line(row, kBounds);
    Scope one = Emitter::inside(row);
    const std::vector<Accumulator> accs = declare_folds(b, one);
    fold_list(b, "r", {}, {}, accs, one);
    Emitter::line(one, leave_call("r", accs));
    Emitter::line(one, "continue;");
    Emitter::close(row, "if (lengths[l] <= " + std::to_string(kShort) + ")", one);
    queue_list("lengths[l]", giants, row);
    Emitter::close(s, "for (int l = threadIdx.x; l < lists; l += " + std::to_string(kThreads) + ")",
                   row);
  }
  put("__syncthreads();");
  {
    Scope bin = Emitter::inside(s), step = Emitter::inside(bin);
    const auto more = [&](const std::string& t) { Emitter::line(step, t); };
    Emitter::line(bin, "const int log = bin == 0 ? 3 : 5, size = 1 << log;");
    Emitter::line(bin, "const int lane = threadIdx.x & (size - 1);");
    more("const int q = q0 + ((threadIdx.x & 31) >> log);");
    more("const bool mine = q < queued[bin];");
    more("const int l = mine ? queue[bin == 0 ? q : " + std::to_string(kBlockLists - 1) +
         " - q] : 0;");
    more("const long long r = " + from + " + list0 + l;");
    more(kBounds);
    std::vector<Accumulator> accs = declare_folds(b, step, true);
    fold_list(b, "r", Share{"lane", "size", {}, {}, ">> log", false, 4, true}, "mine", accs, step);
    for (Accumulator& acc : accs) {
      e_.settle(acc, step);
      join_shuffled(acc, "~0u", "(threadIdx.x & 31) ^ d", "size", "32", step);
    }
    more("if (mine && lane == 0) " + leave_call("r", accs));
    Emitter::close(bin,
                   "for (int q0 = (threadIdx.x & ~31) >> log; q0 < queued[bin]; q0 += " +
                       std::to_string(kThreads) + " >> log)",
                   step);
    Emitter::close(s, "for (int bin = 0; bin < 2; bin++)", bin);
  }
  if (giants) {
    // Room for the segments of a list: their numbers follow each other.
    Scope g = Emitter::inside(s);
    Emitter::line(g, "const long long r = " + from + " + list0 + giant[q];");
    Emitter::line(g, "const int segments = (int)((lengths[giant[q]] + " +
                         std::to_string(kSegment - 1) + ") / " + std::to_string(kSegment) + ");");
    Emitter::line(g, "if (threadIdx.x == 0) {");
    Emitter::line(
        g, "  first = (long long)atomicAdd(" + b.number + ", (unsigned long long)segments);");
    Emitter::line(g, "  " + b.arrived + "[first] = 0;");
    Emitter::line(g, "}");
    Emitter::line(g, "__syncthreads();");
    Emitter::line(
        g, "for (int k = threadIdx.x; k < segments; k += " + std::to_string(kThreads) + ") {");
    Emitter::line(g, "  " + b.lists + "[first + k] = r;");
    Emitter::line(g, "  " + b.firsts + "[first + k] = first;");
    Emitter::line(g, "  " + b.froms + "[first + k] = base + starts[giant[q]] + k * " +
                         std::to_string(kSegment) + "ll;");
    Emitter::line(g, "}");
    Emitter::line(g, "__syncthreads();");
    Emitter::close(s, "for (int q = 0; q < giants; q++)", g);
  }
  return header(b.name, kThreads, light ? kLightBlocks : 1) + s.code + "}\n";
}

}  // namespace serrate::cuda
