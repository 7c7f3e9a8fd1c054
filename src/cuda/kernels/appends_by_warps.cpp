// Items of unknown number, appended by warps: see appends.h and prelude/append.h.
//
// A warp has 256 stored items that follow each other, so memory is read and written side by side.
// Of few warps the last block of the kernel that counts adds up the counts. Where a filter keeps
// some items of stored lists, that kernel leaves a bit for each; the number of bits before a list's
// first item is where it begins.
#include "cuda/codegen/functions.h"
#include "cuda/kernels/appends.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

void Appends::warp_items(Cursor& unit, Scope& s) {
  const Frame& root = root_of(*walk_);
  const Space& space = *root.space;
  const std::string first = first_item(space), end = a_.number(Source::end, space);
  const std::string q = positions_[0].second;
  const Append& x = walk_->appends[0];
  const int level = counting_;
  const bool kept = !walk_->kept.bits.empty();
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  bool names_owners = false;
  Scope functions = Emitter::inside(s);
  const auto add = [&](const std::string& head, int counting) {
    counting_ = counting;
    Scope whole = Emitter::inside(functions), in = Emitter::inside(whole);
    Scope* const saved = unit.scope;
    unit.scope = &in;
    if (counting == 0) Emitter::line(whole, "long long " + q + " = 0;");
    std::vector<Asked> asked;
    Cursor& k = stored_cursor(root.space, "i", unit, in, asked, root.space.get());
    body(root.id, k, in);
    names_owners |= add_asked(asked, in);
    unit.scope = saved;
    Emitter::call(whole, in);
    if (counting == 0) Emitter::line(whole, "return " + q + ";");
    functions.code.add("const auto " + head, std::move(whole.code), "};");
    counting_ = level;
  };
  add("count = [&](long long i)", 0);
  if (counts())
    Emitter::line(functions, "const auto write = [](long long, long long) {};");
  else
    add("write = [&](long long i, long long " + q + ")", level);
  put("const long long tile = t / 32, item0 = " + first + " + tile * 256;");
  put("const bool some = item0 < " + end + ";");
  if (names_owners) {
    const Text starts = bound(space.starts, "r");
    const auto owner = [&](const char* item) {
      return prelude_call("sr_warp_search",
                          {"[&](long long r) { return " + starts + "; }", owners_of(space),
                           "min(item0" + Text(item) + ", " + end + " - 1)"});
    };
    put("const long long owner0 = " + owner("") + ", owner1 = " + owner(" + 255") + " + 1;");
  }
  s.code.append(functions.code);
  const std::string begin = counts() ? "0" : "some ? " + x.begins + "[tile] : 0";
  const std::string bits = counts() ? "some ? " + walk_->kept.bits + " + tile * 8 : nullptr"
                                    : "(unsigned long long*)nullptr";
  const Text all =
      kept ? prelude_call("sr_filter_warp", {"item0", end, begin, bits, "count", "write"})
           : prelude_call("sr_append_warp", {"item0", end, begin, "count", "write"});
  if (!counts()) return put(all + ";");
  put("const int all = " + all + ";");
  put("if ((threadIdx.x & 31) == 0 && some) " + x.counts + "[tile] = all;");
}

void Appends::add_up_counts(Scope& s) {
  const Walk& w = *walk_;
  const Append& x = w.appends[0];
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  // What the blocks of a kernel to come find in its place.
  if (!w.kept.bits.empty())
    put("if (t == 0) " + w.kept.offsets + "[0] = " + w.kept.offsets + "[" +
        a_.number("long long", w.kept.lists) + " + 1] = 0;");
  put("if (" + x.seen + " == 0) return;");
  last_arrived("0", "gridDim.x", s);
  const std::string warps = "(" + a_.number(Source::items, *root_of(w).space) + " + 255) / 256";
  put(prelude_call("sr_add_up", {x.counts, warps, x.begins, x.seen}) + ";");
}

/// Where the lists of kept items begin, and how long the longest is.
void Appends::keep_bits() {
  const Space& space = *root_of(*walk_).space;
  Walk::Kept& k = walk_->kept;
  k.bits = a_.output("unsigned long long");
  k.offsets = a_.output("long long");
  k.seen = a_.output("long long");
  k.others = a_.fresh_integer();
  k.lists = a_.source(Source::items, space.parent.get());
}

/// What blocks of their own do.
void Appends::kept_lists(Scope& s) {
  const Space& space = *root_of(*walk_).space;
  const Walk::Kept& k = walk_->kept;
  const std::string lists = a_.number(Source::items, *space.parent);
  const std::string first = first_item(space), from = first_item(*space.parent);
  Scope in = Emitter::inside(s);
  const auto place = [&](const char* name, const Text& of_list) {
    Emitter::line(in,
                  "const auto " + Text(name) + " = [&](long long l) { return " + of_list + "; };");
  };
  if (space.kind == SpaceKind::fixed) {
    const std::string size = a_.number(Source::size, space);
    place("start_of", "l * " + Text(size));
    place("stop_of", "(l + 1) * " + Text(size));
  } else {
    place("start_of", bound(space.starts, from + " + l") + " - " + first);
    place("stop_of", bound(space.stops, from + " + l") + " - " + first);
  }
  Emitter::line(
      in, prelude_call("sr_kept_lists", {"t - " + k.others + " * blockDim.x", lists, "start_of",
                                         "stop_of", walk_->appends[0].begins, k.bits, k.offsets,
                                         arrivals() + " + 1", "gridDim.x - " + k.others, k.seen}) +
              ";");
  Emitter::line(in, "return;");
  Emitter::close(s, "if (blockIdx.x >= " + k.others + ")", in);
}

}  // namespace serrate::cuda
