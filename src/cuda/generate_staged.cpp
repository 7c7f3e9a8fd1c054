// A block's lists folded in shared memory: see generate_binned.cpp.
//
// Reads by the threads that fold wait for memory several times one after the other: there are not
// registers enough to have more of them on their way. One copy of all items of the block's lists
// waits once, and needs none. Long lists are cut into segments for the second kernel.
#include <algorithm>

#include "cuda/binned.h"
#include "cuda/facts.h"
#include "cuda/functions.h"
#include "cuda/generator.h"
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

/// Folds list `r`, whose items are at `at` in shared memory; `head` is the loop over k, the index
/// in the list. How many lines an item asks for.
int64_t Generator::fold_staged(const Bins& b, const std::string& head,
                               const std::vector<Accumulator>& accs, Scope& s) {
  Scope in = Emitter::inside(s), item = Emitter::inside(in);
  std::vector<Asked> asked;
  Cursor& owner = begin_fold(b, "r", accs, in, asked);
  Cursor& k = e_.at_index(nest_.frames()[b.frame].space, owner, item, "k", true);
  k.staged = "at + k";
  body(b.frame, k, item);
  add_asked(asked, in);
  Emitter::line(in, "#pragma unroll 4");
  Emitter::close(in, head, item);
  Emitter::call(s, in);
  return std::count(item.code.begin(), item.code.end(), '\n');
}

std::string Generator::staged_lists(const Bins& b, Walk::Step& step) {
  const SpaceRef& its = nest_.frames()[b.frame].space;
  const Space& owners = *nest_.frames()[walk_->group.root].space;
  const Facts facts = facts_of(its);
  if (!facts.fits_int) return {};
  e_.staged.clear();
  const std::string from = first_item(owners), number = a_.number(Source::items, owners);
  const std::string threads = text_of(kStagedThreads);
  Scope s;
  leave_function(b, s);
  Scope turn = Emitter::inside(s), short_list = Emitter::inside(turn);
  const auto list = [&](Scope& in) {
    Emitter::line(in, "const int at = starts[l] - sr_forward(starts, longs, cuts, lo, l);");
    Emitter::line(in, "const long long r = " + from + " + list0 + l;");
    Emitter::line(in, "const long long start = base + starts[l], stop = start + n;");
  };
  list(short_list);
  std::vector<Accumulator> accs = declare_folds(b, short_list, true);
  e_.begins_lists = true;
  const int64_t lines = fold_staged(b, "for (int k = 0; k < n; k++)", accs, short_list);
  e_.begins_lists = false;
  Emitter::line(short_list, leave_call("r", accs));
  int bytes = 0;
  for (const auto& x : e_.staged) bytes += x.size;
  const int room = bytes == 0 ? 0 : std::min(kStagedItems, kStagedBytes / bytes) & ~15;
  if (lines > kStagedLines || room < kStagedLong + 64) return {};
  const int lists = lists_per_block(facts_of(nest_.frames()[walk_->group.root].space), facts, room);
  step = {b.name, {a_.source(Source::items, &owners), 1, lists}, kStagedThreads};

  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  const auto each = [&](Scope& in) {
    put("#pragma unroll");
    Emitter::close(
        s,
        "for (int u = 0; u < " + text_of((lists + kStagedThreads - 1) / kStagedThreads) + "; u++)",
        in);
  };
  const std::string rows = "[" + text_of((lists + kStagedThreads - 1) / kStagedThreads) + "]";
  const std::string which = "const int l = u * " + threads + " + (int)threadIdx.x;";
  const std::string list0 = from + " + list0";
  put("__shared__ __align__(8) unsigned long long arrival;");
  put("__shared__ int starts[" + text_of(lists + 1) + "], queued[2];");
  put("__shared__ unsigned short queue[" + text_of(lists) + "];  // 8 threads each; a warp each");
  if (b.number.empty()) {
    put("const int cuts = 0;");
    put("const unsigned short* const longs = nullptr;");
  } else {
    put("__shared__ int cuts;");
    put("__shared__ unsigned short longs[" + text_of(lists) + "];");
  }
  put("const long long list0 = (long long)blockIdx.x * " + text_of(lists) + ";");
  put("const int lists = (int)min(" + text_of(lists) + "ll, " + number + " - list0);");
  put("const long long base = " + bound(its->starts, list0) + ";");
  put("int from" + rows + ", length" + rows + ";");
  Scope read = Emitter::inside(s);
  Emitter::line(read, which);
  Emitter::line(read, "const bool mine = l < lists;");
  Emitter::line(
      read, "const long long start = mine ? " + bound(its->starts, list0 + " + l") + " : base;");
  Emitter::line(read,
                "const long long stop = mine ? " + bound(its->stops, list0 + " + l") + " : base;");
  Emitter::line(read, "from[u] = (int)(start - base);");
  Emitter::line(read, "length[u] = (int)(stop - start);");
  each(read);
  put("sr_begin_arrival(&arrival);");
  put("if (threadIdx.x < 2) queued[threadIdx.x] = 0;");
  if (!b.number.empty()) put("if (threadIdx.x == 0) cuts = 0;");
  put("__syncthreads();");
  Scope keep = Emitter::inside(s);
  Emitter::line(keep, which);
  Emitter::line(keep, "if (l < lists) starts[l] = from[u];");
  Emitter::line(keep, "if (l == lists - 1) starts[lists] = from[u] + length[u];");
  if (!b.number.empty())
    Emitter::line(keep, "if (length[u] > " + text_of(kStagedLong) +
                            ") longs[atomicAdd(&cuts, 1)] = (unsigned short)l;");
  each(keep);
  put("__syncthreads();");
  if (!b.number.empty()) put("if (cuts > 1) sr_order(longs, cuts);");
  for (const auto& x : e_.staged) {
    put("__shared__ __align__(16) unsigned char " + x.name + "_room[" +
        text_of((room + 16) * x.size) + "];");
    put(x.type + "* const " + x.name + " = (" + x.type + "*)" + x.name + "_room + sr_behind(" +
        x.input + " + base);");
  }

  // A turn: lists lo ... hi - 1, whose items fit.
  const auto more = [&](const std::string& t) { Emitter::line(turn, t); };
  Scope lists_of_turn = std::move(short_list);
  Scope bring = Emitter::inside(turn);
  std::string code;
  std::swap(code, turn.code);
  more("int hi = lists;");
  more("while (starts[hi] - sr_forward(starts, longs, cuts, lo, hi) > " + text_of(room) +
       ") hi = lo + (hi - lo + 1) / 2;");
  for (const auto& x : e_.staged)
    Emitter::line(bring,
                  "sr_bring(" + x.name + " + to, " + x.input + " + base + first, n, &arrival);");
  Emitter::line(turn, "sr_each_run(starts, longs, cuts, lo, hi, [&](int first, int n, int to) {");
  turn.code += bring.code;
  more("});");
  if (!b.number.empty()) {
    more("for (int c = 0; c < cuts; c++) {");
    more("  const int l = longs[c];");
    more("  if (l >= lo && l < hi) " + cut_call(b, list0 + " + l", "starts[l + 1] - starts[l]"));
    more("}");
  }
  more("sr_wait_arrival(&arrival, turn);");
  Scope each_list = Emitter::inside(turn);
  const auto one = [&](const std::string& t) { Emitter::line(each_list, t); };
  one("const int n = starts[l + 1] - starts[l];");
  one("if (n > " + text_of(kAlone) + ") {");
  one("  if (n <= " + text_of(kMedium) + ") queue[atomicAdd(&queued[0], 1)] = (unsigned short)l;");
  one("  else if (n <= " + text_of(kStagedLong) + ") queue[" + text_of(lists - 1) +
      " - atomicAdd(&queued[1], 1)] = (unsigned short)l;");
  one("  continue;");
  one("}");
  each_list.code += lists_of_turn.code;
  Emitter::close(turn, "for (int l = lo + (int)threadIdx.x; l < hi; l += " + threads + ")",
                 each_list);
  more("__syncthreads();");
  Scope bin = Emitter::inside(turn), queued = Emitter::inside(bin);
  Emitter::line(bin, "const int log = bin == 0 ? 3 : 5, size = 1 << log;");
  Emitter::line(bin, "const int lane = threadIdx.x & (size - 1);");
  const auto step_line = [&](const std::string& t) { Emitter::line(queued, t); };
  step_line("const int q = q0 + ((threadIdx.x & 31) >> log);");
  step_line("const bool mine = q < queued[bin];");
  step_line("const int l = mine ? queue[bin == 0 ? q : " + text_of(lists - 1) + " - q] : lo;");
  step_line("const int n = mine ? starts[l + 1] - starts[l] : 0;");
  list(queued);
  accs = declare_folds(b, queued, true);
  fold_staged(b, "for (int k = lane; k < n; k += size)", accs, queued);
  for (Accumulator& acc : accs) {
    e_.settle(acc, queued);
    join_shuffled(acc, "~0u", "(threadIdx.x & 31) ^ d", "size", "32", queued);
  }
  step_line("if (mine && lane == 0) " + leave_call("r", accs));
  Emitter::close(
      bin,
      "for (int q0 = (threadIdx.x & ~31) >> log; q0 < queued[bin]; q0 += " + threads + " >> log)",
      queued);
  Emitter::close(turn, "for (int bin = 0; bin < 2; bin++)", bin);
  more("lo = hi;");
  more("if (lo == lists) break;");
  more("sr_end_arrival();");
  more("if (threadIdx.x < 2) queued[threadIdx.x] = 0;");
  Emitter::close(s, "for (int lo = 0, turn = 0;; turn++)", turn);
  return header(b.name, kStagedThreads, lines > kLight ? kStagedBlocks / 2 : kStagedBlocks) +
         s.code + "}\n";
}

}  // namespace serrate::cuda
