// Items of unknown number, appended by warps: see generator.h.
//
// A warp has 256 items that follow each other, in 8 steps of 32. A first kernel counts what each
// warp appends; in a second one the lanes of a step are told by a scan where theirs goes. So memory
// is read and written side by side. Of few warps the first kernel's last block adds up the counts.
// Where a filter keeps some items of stored lists, the first kernel leaves a bit for each; the
// number of bits before a list's first item is where it begins.
#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

void Generator::appending_walk(const Frame& root, Cursor& unit, Scope& s) {
  const std::string first = first_item(*root.space), end = a_.number(Source::end, *root.space);
  const std::string& q = positions_[0].second;
  const Append& x = walk_->appends[0];
  const int level = counting_;
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  put("const int lane = threadIdx.x & 31;");
  put("const long long tile = t / 32;");
  put("const bool some = " + first + " + tile * 256 < " + end + ";");
  put("const long long begin = " + (counts() ? "0" : "some ? " + x.begins + "[tile] : 0") + ";");
  put("int all = 0;");
  Scope step = Emitter::inside(s);
  const auto more = [&](const std::string& t) { Emitter::line(step, t); };
  const std::string i = e_.fresh("i");
  more("const long long " + i + " = " + first + " + tile * 256 + j * 32 + lane;");
  bool names_owners = false;
  const auto item = [&](int counting) {
    counting_ = counting;
    Scope in = Emitter::inside(step);
    Scope* saved = unit.scope;
    unit.scope = &in;
    std::vector<Asked> asked;
    Cursor& k = stored_cursor(root.space, i, unit, in, asked);
    body(root.id, k, in);
    names_owners |= add_asked(asked, in);
    unit.scope = saved;
    Emitter::call(step, in, i + " < " + end);
    counting_ = level;
  };
  more(q + " = 0;");
  item(0);
  if (walk_->kept.bits.empty()) {
    more("const int scan = sr_warp_sum((int)" + q + ");");
    more("const int before = all + scan - (int)" + q + ";");
    more("all += __shfl_sync(~0u, scan, 31);");
  } else {
    more("const unsigned kept = __ballot_sync(~0u, " + q + " != 0);");
    more("const int before = all + __popc(kept & ((1u << lane) - 1));");
    if (counts())
      more("if (lane == 0 && some) " + walk_->kept.bits +
           "[tile * 8 + j] = (unsigned long long)all << 32 | kept;");
    more("all += __popc(kept);");
  }
  if (!counts()) {
    more(q + " = begin + before;");
    item(level);
  }
  if (names_owners) {
    const Column& c = *root.space->starts;
    const auto owner = [&](const std::string& item) {
      return "sr_warp_search([&](long long r) { return " + a_.input(type_text(c.dtype), c) +
             "[r]; }, " + owners_of(*root.space) + ", min(" + first + " + tile * 256" + item +
             ", " + end + " - 1))";
    };
    put("const long long owner0 = " + owner("") + ", owner1 = " + owner(" + 255") + " + 1;");
  }
  put("#pragma unroll");
  Emitter::close(s, "for (int j = 0; j < 8; j++)", step);
  if (counts()) put("if (lane == 0 && some) " + x.counts + "[tile] = all;");
}

void Generator::add_up_counts(const Walk& w, Scope& s) {
  const Append& x = w.appends[0];
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  // What the blocks of a kernel to come find in its place.
  if (!w.kept.bits.empty())
    put("if (t == 0) " + w.kept.offsets + "[0] = " + w.kept.offsets + "[" +
        a_.number("long long", w.kept.lists) + " + 1] = 0;");
  put("if (" + x.seen + " == 0) return;");
  last_arrived("0", "gridDim.x", s);
  put("sr_add_up(" + x.counts + ", (" + a_.number(Source::items, *root_of(w).space) +
      " + 255) / 256, " + x.begins + ", " + x.seen + ");");
}

const Frame& Generator::root_of(const Walk& w) const {
  return nest_.frames()[static_cast<size_t>(w.group.root)];
}

/// Where the lists of kept items begin, and how long the longest is.
void Generator::keep_bits(Walk& w) {
  const Space& space = *root_of(w).space;
  Walk::Kept& k = w.kept;
  k.bits = a_.output("unsigned long long");
  k.offsets = a_.output("long long");
  k.seen = a_.output("long long");
  k.others = a_.fresh_integer();
  k.lists = a_.source(Source::items, space.parent.get());
}

void Generator::kept_lists(const Walk& w, Scope& s) {
  const Space& space = *root_of(w).space;
  const Walk::Kept& k = w.kept;
  const std::string lists = a_.number(Source::items, *space.parent), begins = w.appends[0].begins;
  const std::string first = first_item(space), from = first_item(*space.parent);
  const auto place = [&](const ColumnRef& c) {
    return "(long long)" + a_.input(type_text(c->dtype), *c) + "[" + from + " + l] - " + first;
  };
  Scope in = Emitter::inside(s);
  const auto put = [&](const std::string& t) { Emitter::line(in, t); };
  put("const long long l = t - " + k.others + " * blockDim.x;");
  put("long long start = 0;");
  put("if (l < " + lists + ") {");
  put("  start = sr_kept(" + begins + ", " + k.bits + ", " + place(space.starts) + ");");
  put("  " + k.offsets + "[l] = start;");
  put("}");
  put("long long stop = __shfl_down_sync(~0u, start, 1);");
  put("const bool last = l == " + lists + " - 1;");
  put("if (l < " + lists + " && (last || (threadIdx.x & 31) == 31))");
  put("  stop = sr_kept(" + begins + ", " + k.bits + ", " + place(space.stops) + ");");
  put("if (last) " + k.offsets + "[l + 1] = stop;");
  put("long long length = l < " + lists + " ? stop - start : 0;");
  put("for (int d = 16; d > 0; d /= 2) length = max(length, __shfl_xor_sync(~0u, length, d));");
  // Most warps see that theirs is not the longest, and leave the one place alone.
  const std::string numbers = k.offsets + " + " + lists;
  put("if ((threadIdx.x & 31) == 0 && length > (" + numbers + ")[1])");
  put("  atomicMax(" + numbers + " + 1, length);");
  last_arrived("1", "(gridDim.x - " + k.others + ")", in);
  put("if (threadIdx.x > 1) return;");
  put(k.seen + "[threadIdx.x] = ((volatile long long*)" + numbers + ")[threadIdx.x];");
  put("return;");
  Emitter::close(s, "if (blockIdx.x >= " + k.others + ")", in);
}

void Generator::last_arrived(const std::string& word, const std::string& blocks, Scope& s) {
  if (out_->arrived.empty()) out_->arrived = a_.output("unsigned");
  const auto put = [&](const std::string& t) { Emitter::line(s, t); };
  put("if (!sr_is_last(" + out_->arrived + " + " + word + ", " + blocks + ")) return;");
}

}  // namespace serrate::cuda
