// A block's lists folded in shared memory: see binned.h and prelude/staged.h.
#include <algorithm>

#include "core/seams.h"
#include "cuda/kernels/binned.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

namespace {

/// Where an item asks for so few lines of text, few registers do.
constexpr size_t kLight = 8;
// Threads of a block, how many blocks should fit a multiprocessor, the most lists, bytes and items
// of a turn, lines that an item may ask for.
constexpr int kStagedThreads = 128, kStagedBlocks = 14, kStagedLists = 256;
constexpr int kStagedBytes = 12288, kStagedItems = 1536;
constexpr size_t kStagedLines = 24;

/// Lists a block: their items fit, in two turns if some are long; blocks for all of the GPU.
int lists_per_block(double lists, const Facts& items, int room) {
  int n = kStagedLists;
  while (n > 32 && (n * items.average > 2.0 * room || lists < 528.0 * n)) n /= 2;
  return n;
}

}  // namespace

/// A function that folds list r, whose n items are at `at` in shared memory; `loop` is that over k,
/// the index in the list. How many lines an item asks for.
size_t Binned::add_staged_fold(const Lists& b, const std::string& head, const std::string& loop,
                               Scope& s) {
  size_t lines = 0;
  const auto walk = [&](Cursor& owner, Scope& in) {
    Scope item = Emitter::inside(in);
    Cursor& k = e_.at_index(frame(b.frame).space, owner, item, "k", true);
    k.staged = "at + k";
    body(b.frame, k, item);
    lines = item.code.lines();
    Emitter::line(in, "#pragma unroll 4");
    Emitter::close(in, loop, item);
  };
  add_fold(b, head, walk, s);
  return lines;
}

/// Memory of the block for the items, and the function that brings them.
void Binned::bring_items(const Staging& g, Scope& s) {
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  put("const long long list0 = (long long)blockIdx.x * " + std::to_string(g.lists) + ";");
  put("const long long base = start_of(" + lists_before() + " + list0);");
  Scope bring = Emitter::inside(s);
  for (const auto& x : e_.staged) {
    put("__shared__ __align__(16) unsigned char " + x.name + "_room[" +
        std::to_string((g.room + 16) * x.size) + "];");
    put(x.type + "* const " + x.name + " = (" + x.type + "*)" + x.name + "_room + " +
        prelude_call("sr_behind", {x.input + " + base"}) + ";");
    Emitter::line(
        bring,
        prelude_call("sr_bring", {x.name + " + to", x.input + " + item", "n", "arrival"}) + ";");
  }
  s.code.add("const auto bring = [&](long long item, int n, int to, unsigned long long* arrival)",
             std::move(bring.code), "};");
}

bool Binned::staged_kernel(const Lists& b, Walk::Step& step) {
  const SpaceRef &items = frame(b.frame).space, &owners = root_of(*walk_).space;
  const Facts facts = facts_of(items);
  if (!facts.fits_int) return false;
  const auto text = [](int64_t n) { return std::to_string(n); };
  const std::string number = a_.number(Source::items, *owners), first = lists_before();
  e_.staged.clear();
  Scope s, folds = Emitter::inside(s);
  const std::string list = "[&](long long r, long long start, long long stop, int at, int n";
  // The text of a short list tells how much memory a block needs, and whether it is to be had.
  Staging g;
  e_.begins_lists = true;
  g.lines = add_staged_fold(b, "one = " + list + ")", "for (int k = 0; k < n; k++)", folds);
  e_.begins_lists = false;
  int bytes = 0;
  for (const auto& x : e_.staged) bytes += x.size;
  g.room = bytes == 0 ? 0 : std::min(kStagedItems, kStagedBytes / bytes) & ~15;
  if (g.lines > kStagedLines || g.room < seams().staged_long + 64) return false;
  g.lists = lists_per_block(walked_items(walk_->group, owners), facts, g.room);
  step = {b.name, {a_.source(Source::items, owners.get()), 1, g.lists}, kStagedThreads};
  add_staged_fold(b, "some = " + list + ", int lane, int size)",
                  "for (int k = lane; k < n; k += size)", folds);
  add_bounds(b, s);
  bring_items(g, s);
  add_leave(b, s);
  s.code.append(folds.code);
  const std::string lengths = "<" + text(seams().staged_alone) + ", " + text(seams().lists_medium) +
                              ", " + text(seams().staged_long) + ", 0, 0>";
  Emitter::line(s, of_prelude("sr_fold_staged") + "<" + b.fold->name() + ", " +
                       of_prelude("Lengths") + lengths + ", " + text(g.lists) + ", " +
                       text(g.room) + ", " + text(kStagedThreads) + ">(" + first + ", list0, " +
                       number + ", base, start_of, stop_of, bring, one, some, leave, " +
                       segments_of(b) + ");");
  add_kernel(b.name, s, kStagedThreads, g.lines > kLight ? kStagedBlocks / 2 : kStagedBlocks);
  return true;
}

}  // namespace serrate::cuda
