// A block's lists, shared out by their lengths: see generate_binned.cpp.
#include <algorithm>

#include "core/seams.h"
#include "cuda/codegen/binned.h"
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace binned;

/// Leaves a list to more threads.
void Generator::queue_list(const std::string& length, bool giants, Scope& s) {
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  put("if (" + length + " <= " + std::to_string(seams().lists_medium) +
      ") queue[atomicAdd(&queued[0], 1)] = (unsigned short)l;");
  put(std::string("else ") + (giants ? "if (" + length + " <= longest) " : "") + "queue[" +
      std::to_string(kBlockLists - 1) + " - atomicAdd(&queued[1], 1)] = (unsigned short)l;");
  if (giants) put("else giant[atomicAdd(&giants, 1)] = (unsigned short)l;");
}

void Generator::binned_lists(const Bins& b, int64_t per_block) {
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
    put("if (threadIdx.x == 0) giants = 0;");
  }
  put("if (threadIdx.x < 2) queued[threadIdx.x] = 0;");
  put("__syncthreads();");
  put("const long long list0 = blockIdx.x * " + per + ";");
  put("const int lists = (int)min(" + per + ", " + lists + " - list0);");
  // Where the lists begin, as ints, and their lengths: all reads are on their way at once.
  const SpaceRef& its = nest_.frames()[b.frame].space;
  const Space& space = *its;
  const std::string list0 = from + " + list0";
  const std::string type = facts_of(its).fits_int ? "int" : "long long";
  put("__shared__ " + type + " starts[" + std::to_string(kBlockLists) + "], lengths[" +
      std::to_string(kBlockLists) + "];");
  put("const long long base = " + bound(space.starts, list0 + "") + ";");
  if (giants)
    put("const int longest = " + bound(space.stops, list0 + " + lists - 1") + " - base > " +
        std::to_string(seams().lists_full) + " ? " + std::to_string(seams().lists_left) + " : " +
        std::to_string(seams().lists_long) + ";");
  put("#pragma unroll 4");
  put("for (int l = threadIdx.x; l < lists; l += " + std::to_string(kThreads) + ") {");
  put("  const long long start = " + bound(space.starts, list0 + " + l") + ";");
  put("  starts[l] = (" + type + ")(start - base);");
  put("  lengths[l] = (" + type + ")(" + bound(space.stops, list0 + " + l") + " - start);");
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
  Emitter::close(row, "if (lengths[l] <= " + std::to_string(seams().lists_short) + ")", one);
  queue_list("lengths[l]", giants, row);
  Emitter::close(s, "for (int l = threadIdx.x; l < lists; l += " + std::to_string(kThreads) + ")",
                 row);
  put("__syncthreads();");
  {
    Scope bin = Emitter::inside(s), step = Emitter::inside(bin);
    const auto more = [&](const Text& t) { Emitter::line(step, t); };
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
    put("for (int q = 0; q < giants; q++) {");
    put("  const int l = giant[q];");
    put("  " + cut_call(b, list0 + " + l", "lengths[l]"));
    put("}");
  }
  add_kernel(b.name, s);
}

}  // namespace serrate::cuda
