// A block's lists folded in shared memory: see generate_binned.cpp.
//
// Reads by the threads that fold wait for memory several times one after the other: there are not
// registers enough to have more of them on their way. One copy of all items of the block's lists
// waits once, and needs none. Long lists are cut into segments for the second kernel.
#include <algorithm>

#include "core/seams.h"
#include "cuda/codegen/binned.h"
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace binned;

namespace {

/// Lists a block: their items fit, in two turns if some are long; blocks for all of the GPU.
int lists_per_block(const Facts& lists, const Facts& items, int room) {
  int n = kStagedLists;
  while (n > 32 && (n * items.average > 2.0 * room || lists.items < 528.0 * n)) n /= 2;
  return n;
}

std::string text_of(int64_t n) { return std::to_string(n); }

}  // namespace

/// How the lists of a block come to shared memory.
struct Generator::Staging {
  const Bins& b;
  const Space& space;  // of the items
  std::string from;    // text: the first list of all
  int lists = 0;       // of a block
  int room = 0;        // for so many items at once

  bool cuts() const { return !b.number.empty(); }
  std::string list(const char* l) const { return from + " + list0 + " + l; }
  /// What threads do with the lists of their block, `u` of them each.
  int each() const { return (lists + kStagedThreads - 1) / kStagedThreads; }
};

/// Folds list `r`, whose items are at `at` in shared memory; `head` is the loop over k, the index
/// in the list. How many lines an item asks for.
size_t Generator::fold_staged(const Bins& b, const std::string& head,
                              const std::vector<Accumulator>& accs, Scope& s) {
  Scope in = Emitter::inside(s), item = Emitter::inside(in);
  std::vector<Asked> asked;
  Cursor& owner = begin_fold(b, "r", accs, in, asked);
  Cursor& k = e_.at_index(nest_.frames()[b.frame].space, owner, item, "k", true);
  k.staged = "at + k";
  body(b.frame, k, item);
  add_asked(asked, in);
  const size_t lines = item.code.lines();
  Emitter::line(in, "#pragma unroll 4");
  Emitter::close(in, head, item);
  Emitter::call(s, in);
  return lines;
}

/// Names of list l of a turn, of which `n` items are in shared memory.
void Generator::name_staged(const std::string& from, Scope& s) {
  Emitter::line(s, "const int at = starts[l] - sr_forward(starts, longs, cuts, lo, l);");
  Emitter::line(s, "const long long r = " + from + " + list0 + l;");
  Emitter::line(s, "const long long start = base + starts[l], stop = start + n;");
}

/// Where the lists begin goes to shared memory, as ints, and which of them are cut.
void Generator::read_staged_bounds(const Staging& g, const std::string& number, Scope& s) {
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  const std::string lists = text_of(g.lists), rows = "[" + text_of(g.each()) + "]";
  const auto each = [&](Scope& in) {
    put("#pragma unroll");
    Emitter::close(s, "for (int u = 0; u < " + text_of(g.each()) + "; u++)", in);
  };
  const std::string which = "const int l = u * " + text_of(kStagedThreads) + " + (int)threadIdx.x;";
  put("__shared__ __align__(8) unsigned long long arrival;");
  put("__shared__ int starts[" + text_of(g.lists + 1) + "], queued[2];");
  put("__shared__ unsigned short queue[" + lists + "];  // 8 threads each; a warp each");
  if (g.cuts()) {
    put("__shared__ int cuts;");
    put("__shared__ unsigned short longs[" + lists + "];");
  } else {
    put("const int cuts = 0;");
    put("const unsigned short* const longs = nullptr;");
  }
  put("const long long list0 = (long long)blockIdx.x * " + lists + ";");
  put("const int lists = (int)min(" + lists + "ll, " + number + " - list0);");
  put("const long long base = " + bound(g.space.starts, g.from + " + list0") + ";");
  put("int from" + rows + ", length" + rows + ";");
  Scope read = Emitter::inside(s);
  Emitter::line(read, which);
  Emitter::line(read, "const bool mine = l < lists;");
  for (const auto& [name, c] : {std::pair("start", &g.space.starts), {"stop", &g.space.stops}})
    Emitter::line(read, std::string("const long long ") + name + " = mine ? " +
                            bound(*c, g.list("l")) + " : base;");
  Emitter::line(read, "from[u] = (int)(start - base);");
  Emitter::line(read, "length[u] = (int)(stop - start);");
  each(read);
  put("sr_begin_arrival(&arrival);");
  put("if (threadIdx.x < 2) queued[threadIdx.x] = 0;");
  if (g.cuts()) put("if (threadIdx.x == 0) cuts = 0;");
  put("__syncthreads();");
  Scope keep = Emitter::inside(s);
  Emitter::line(keep, which);
  Emitter::line(keep, "if (l < lists) starts[l] = from[u];");
  Emitter::line(keep, "if (l == lists - 1) starts[lists] = from[u] + length[u];");
  if (g.cuts())
    Emitter::line(keep, "if (length[u] > " + text_of(seams().staged_long) +
                            ") longs[atomicAdd(&cuts, 1)] = (unsigned short)l;");
  each(keep);
  put("__syncthreads();");
  if (g.cuts()) put("if (cuts > 1) sr_order(longs, cuts);");
}

/// A turn has lists lo ... hi - 1, whose items fit. The cut ones are left to the second kernel.
void Generator::bring_staged(const Staging& g, Scope& turn) {
  const auto put = [&](const std::string& t) { Emitter::line(turn, t); };
  put("int hi = lists;");
  put("while (starts[hi] - sr_forward(starts, longs, cuts, lo, hi) > " + text_of(g.room) +
      ") hi = lo + (hi - lo + 1) / 2;");
  put("sr_each_run(starts, longs, cuts, lo, hi, [&](int first, int n, int to) {");
  for (const auto& x : e_.staged)
    put("  sr_bring(" + x.name + " + to, " + x.input + " + base + first, n, &arrival);");
  put("});");
  if (g.cuts()) {
    put("for (int c = 0; c < cuts; c++) {");
    put("  const int l = longs[c];");
    put("  if (l >= lo && l < hi) " + cut_call(g.b, g.list("l"), "starts[l + 1] - starts[l]"));
    put("}");
  }
  put("sr_wait_arrival(&arrival, turn);");
}

/// Lists that ask for more than a thread: those for 8 stand first in the queue, those for a warp
/// last.
void Generator::fold_queued(const Staging& g, Scope& turn) {
  Scope bin = Emitter::inside(turn), queued = Emitter::inside(bin);
  Emitter::line(bin, "const int log = bin == 0 ? 3 : 5, size = 1 << log;");
  Emitter::line(bin, "const int lane = threadIdx.x & (size - 1);");
  const auto put = [&](const Text& t) { Emitter::line(queued, t); };
  put("const int q = q0 + ((threadIdx.x & 31) >> log);");
  put("const bool mine = q < queued[bin];");
  put("const int l = mine ? queue[bin == 0 ? q : " + text_of(g.lists - 1) + " - q] : lo;");
  put("const int n = mine ? starts[l + 1] - starts[l] : 0;");
  name_staged(g.from, queued);
  std::vector<Accumulator> accs = declare_folds(g.b, queued, true);
  fold_staged(g.b, "for (int k = lane; k < n; k += size)", accs, queued);
  for (Accumulator& acc : accs) {
    e_.settle(acc, queued);
    join_shuffled(acc, "~0u", "(threadIdx.x & 31) ^ d", "size", "32", queued);
  }
  put("if (mine && lane == 0) " + leave_call("r", accs));
  Emitter::close(bin,
                 "for (int q0 = (threadIdx.x & ~31) >> log; q0 < queued[bin]; q0 += " +
                     text_of(kStagedThreads) + " >> log)",
                 queued);
  Emitter::close(turn, "for (int bin = 0; bin < 2; bin++)", bin);
}

bool Generator::staged_lists(const Bins& b, Walk::Step& step) {
  const SpaceRef& items = nest_.frames()[b.frame].space;
  const SpaceRef& owners = nest_.frames()[walk_->group.root].space;
  const Facts facts = facts_of(items);
  if (!facts.fits_int) return false;
  e_.staged.clear();
  Staging g{b, *items, first_item(*owners)};
  const std::string number = a_.number(Source::items, *owners);
  Scope s;
  leave_function(b, s);
  Scope turn = Emitter::inside(s);
  // The text of a short list tells how much memory a block needs, and whether it is to be had.
  Scope short_list = Emitter::inside(turn);
  name_staged(g.from, short_list);
  const std::vector<Accumulator> accs = declare_folds(b, short_list, true);
  e_.begins_lists = true;
  const size_t lines = fold_staged(b, "for (int k = 0; k < n; k++)", accs, short_list);
  e_.begins_lists = false;
  Emitter::line(short_list, leave_call("r", accs));
  int bytes = 0;
  for (const auto& x : e_.staged) bytes += x.size;
  g.room = bytes == 0 ? 0 : std::min(kStagedItems, kStagedBytes / bytes) & ~15;
  if (lines > kStagedLines || g.room < seams().staged_long + 64) return false;
  g.lists = lists_per_block(facts_of(owners), facts, g.room);
  step = {b.name, {a_.source(Source::items, owners.get()), 1, g.lists}, kStagedThreads};

  read_staged_bounds(g, number, s);
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  for (const auto& x : e_.staged) {
    put("__shared__ __align__(16) unsigned char " + x.name + "_room[" +
        text_of((g.room + 16) * x.size) + "];");
    put(x.type + "* const " + x.name + " = (" + x.type + "*)" + x.name + "_room + sr_behind(" +
        x.input + " + base);");
  }
  bring_staged(g, turn);
  Scope list = Emitter::inside(turn);
  const auto one = [&](const std::string& t) { Emitter::line(list, t); };
  one("const int n = starts[l + 1] - starts[l];");
  one("if (n > " + text_of(seams().staged_alone) + ") {");
  one("  if (n <= " + text_of(seams().lists_medium) +
      ") queue[atomicAdd(&queued[0], 1)] = (unsigned short)l;");
  one("  else if (n <= " + text_of(seams().staged_long) + ") queue[" + text_of(g.lists - 1) +
      " - atomicAdd(&queued[1], 1)] = (unsigned short)l;");
  one("  continue;");
  one("}");
  list.code.append(short_list.code);
  const std::string threads = text_of(kStagedThreads);
  Emitter::close(turn, "for (int l = lo + (int)threadIdx.x; l < hi; l += " + threads + ")", list);
  Emitter::line(turn, "__syncthreads();");
  fold_queued(g, turn);
  for (const char* t : {"lo = hi;", "if (lo == lists) break;", "sr_end_arrival();",
                        "if (threadIdx.x < 2) queued[threadIdx.x] = 0;"})
    Emitter::line(turn, t);
  Emitter::close(s, "for (int lo = 0, turn = 0;; turn++)", turn);
  add_kernel(b.name, s, kStagedThreads, lines > kLight ? kStagedBlocks / 2 : kStagedBlocks);
  return true;
}

}  // namespace serrate::cuda
