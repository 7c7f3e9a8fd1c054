// Tuples of short lists: a warp takes 64 lists and shares out their tuples evenly.
//
// Each lane counts the tuples of its two lists; a scan over the lanes says where they begin. What
// the tuples need to know of lists that have some is left in shared memory, side by side. Then the
// lanes take 32 tuples at a time, whatever lists these are of: a word has a bit for each that is
// the first of its list, and how many bits there are up to its own tells a lane whose tuple it has.
// Lanes with tuples of one list join what these gave; the last of them adds it to what is known of
// the list.
#include <algorithm>
#include <utility>

#include "cuda/codegen/functions.h"
#include "cuda/codegen/generator.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

namespace {

constexpr int kWarps = kThreads / 32;

void unrolled(Scope& outer, Scope& list) {
  Emitter::line(outer, "#pragma unroll");
  Emitter::close(outer, "for (int k = 0; k < " + std::to_string(kListsPerLane) + "; k++)", list);
}

}  // namespace

/// Memory for something of each of a warp's lists, called `name`.
std::string Generator::warp_memory(std::string_view type, int itemsize, const std::string& name,
                                   Scope& s) {
  const std::string t(type);
  const auto [at, end] = warp_extent(itemsize, warp_bytes_);
  warp_bytes_ = end;
  Emitter::line(s, t + "* const " + name + " = (" + t + "*)(room + " + std::to_string(at) + ");");
  return name;
}

/// The cursor of list number l of the warp's, at i, with what is known of it. A lane that has the
/// list as its own knows how many tuples it has.
Cursor& Generator::warp_list(bool own, Cursor& unit, Scope& s, std::vector<Asked>& asked) {
  Cursor& k = stored_cursor(nest_.frames()[walk_->group.root].space, "i", unit, s, asked);
  for (const Tuples& t : tuples_) {
    if (own) e_.has_length(nest_.frames()[t.frame].space.get(), k, t.counts + "[k]");
    for (Accumulator known : t.folds) {
      known.name += "[l]";
      if (!known.index.empty()) known.index += "[l]";
      e_.remember(known.column, k, s, Emitter::result(known));
    }
  }
  return k;
}

/// Tuples of a frame, with memory for what is known of their lists.
Generator::Tuples Generator::tuples_of(int frame, Scope& s) {
  const SpaceRef& space = nest_.frames()[frame].space;
  Tuples t;
  t.frame = frame;
  const bool narrow = counts_tuples_in_int(*space);
  const int size = narrow ? 4 : 8;
  t.type = narrow ? "int" : "long long";
  t.counts = e_.fresh("counts");
  t.owners = warp_memory("int", 4, e_.fresh("owners"), s);
  t.firsts = warp_memory(t.type, size, e_.fresh("firsts"), s);
  std::vector<const Column*> into;
  collect(frame, nest_.frames()[frame].parent, into);
  for (const Column* x : into) {
    Accumulator known{
        x, warp_memory(Emitter::value_type(x), accumulator_bytes(*x), e_.fresh("known"), s), {}};
    if (has_index(*x)) known.index = warp_memory("long long", 8, e_.fresh("known"), s);
    t.folds.push_back(known);
  }
  for (const SpaceRef& b : tuple_bases(space)) {
    Tuples::Base base{b, {}, warp_memory(t.type, size, e_.fresh("lengths"), s)};
    if (is_in_int(b)) base.starts = warp_memory("int", 4, e_.fresh("starts"), s);
    t.bases.push_back(base);
  }
  return t;
}

void Generator::warps_walk(Walk& w, Cursor& unit, Scope& s) {
  const Frame& root = nest_.frames()[w.group.root];
  const std::string lists = std::to_string(kListsPerWarp);
  const std::string size = a_.number(Source::items, *root.space);
  tuples_.clear();
  warp_bytes_ = 0;
  Emitter::line(s, "const int lane = threadIdx.x & 31;");
  Emitter::line(s, "const unsigned upto = ~0u >> (31 - lane);  // this lane and those before it");
  Scope memory = Emitter::inside(s);
  Scope in = Emitter::inside(s);
  unit.scope = &in;
  Emitter::line(in, "const int lists = (int)min(" + size + " - list0, " + lists + "ll);");
  Emitter::line(in, "const long long first = " + first_item(*root.space) + " + list0;");
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    const Tuples t = tuples_of(c, memory);
    warp_tuples(t, unit, in);
    tuples_.push_back(t);
  }
  if (is_ours(root.id)) {
    Scope list = Emitter::inside(in), own = Emitter::inside(list);
    put_list(list);
    std::vector<Asked> asked;
    Cursor& k = warp_list(true, unit, own, asked);
    sinks(root.id, k, own, {});
    add_asked(asked, own);
    Emitter::call(list, own, "mine");
    unrolled(in, list);
  }
  unit.scope = &s;
  warp_bytes_ = (warp_bytes_ + 15) / 16 * 16;
  const std::string bytes = std::to_string(warp_bytes_);
  Emitter::line(s, "__shared__ __align__(16) unsigned char rooms[" + std::to_string(kWarps) +
                       " * " + bytes + "];");
  Emitter::line(s, "unsigned char* const room = rooms + (threadIdx.x >> 5) * " + bytes + ";");
  s.code.append(memory.code);
  if (!w.resident()) {  // there are as many warps as they take
    Emitter::line(s, "const long long list0 = t / 32 * " + lists + ";");
    return Emitter::close(s, "if (list0 < " + size + ")", in);
  }
  Emitter::line(in, "__syncwarp();");
  Emitter::close(s,
                 "for (long long list0 = t / 32 * " + lists + "; list0 < " + size +
                     "; list0 += threads / 32 * " + lists + ")",
                 in);
}

/// Lanes without a list look at the last one, and do nothing with it.
void Generator::put_list(Scope& s) {
  Emitter::line(s, "const int l = k * 32 + lane;");
  Emitter::line(s, "const bool mine = l < lists;");
  Emitter::line(s, "const long long i = first + min(l, lists - 1);");
}

/// All tuples that the warp's lists have in a frame.
void Generator::warp_tuples(const Tuples& t, Cursor& unit, Scope& s) {
  Emitter::line(s, t.type + " " + t.counts + "[" + std::to_string(kListsPerLane) + "];");
  Scope all = Emitter::inside(s), step = Emitter::inside(all);
  count_tuples(t, unit, all);
  do_tuples(t, unit, step);
  Emitter::close(all, "for (" + t.type + " p0 = 0; p0 < total; p0 += 32)", step);
  Emitter::close(s, "", all);
}

/// Where each list's tuples begin, and what they need to know of it.
void Generator::count_tuples(const Tuples& t, Cursor& unit, Scope& s) {
  const SpaceRef& space = nest_.frames()[t.frame].space;
  const bool narrow = t.type == "int";
  Emitter::line(s, t.type + " begin[" + std::to_string(kListsPerLane) + "], total = 0;");
  Emitter::line(s, "int ranks = 0;");
  Scope list = Emitter::inside(s), own = Emitter::inside(s), some = Emitter::inside(own);
  put_list(list);
  own.up = &list;
  own.together = true;
  const auto put = [&](const Text& x) { Emitter::line(own, x); };
  const auto leave = [&](const std::string& where, const Text& what) {
    Emitter::line(some, where + "[rank] = " + what + ";");
  };
  std::vector<Asked> asked;
  Cursor& owner = warp_list(true, unit, own, asked);
  std::string mine = "mine";
  if (space->kind == SpaceKind::aligned) {
    // Once a list, not once an item. Lanes wait for each other, so none leaves: of lists that
    // differ no item is walked.
    put("bool agree = true;");
    own.leave = "agree = false;";
    Scope check = Emitter::inside(own);
    e_.check_lengths(space, owner, check);
    Emitter::close(own, "if (mine)", check);
    own.leave.clear();
    mine += " && agree";
  }
  put("const " + t.type + " n = " + mine + " ? " + e_.length(space, owner, narrow) + " : 0;");
  put("const " + t.type + " scan = sr_warp_sum(n);");
  put(t.counts + "[k] = n;");
  put("begin[k] = n > 0 ? total + scan - n : -1;");
  put("total += __shfl_sync(~0u, scan, 31);");
  put("const unsigned filled = __ballot_sync(~0u, n > 0);");
  put("const int rank = ranks + __popc(filled & upto >> 1);");
  put("ranks += __popc(filled);");
  leave(t.owners, "l");
  leave(t.firsts, "begin[k]");
  for (const auto& b : t.bases) {
    leave(b.lengths, e_.length(b.space, owner, narrow));
    if (!b.starts.empty()) leave(b.starts, "(int)" + e_.integer(b.space->starts, owner, own));
  }
  for (const Accumulator& known : t.folds) {
    const Accumulator none = e_.declare(known.column, own);
    put(known.name + "[l] = " + none.name + ";");
    if (!none.index.empty()) put(known.index + "[l] = " + none.index + ";");
  }
  Emitter::close(own, "if (n > 0)", some);
  add_asked(asked, own);
  list.code.append(own.code);
  unrolled(s, list);
  Emitter::line(s, "__syncwarp();");
  Emitter::line(s, "int before = -1;");
}

/// 32 tuples, the lanes side by side.
void Generator::do_tuples(const Tuples& t, Cursor& unit, Scope& s) {
  const SpaceRef& space = nest_.frames()[t.frame].space;
  const bool narrow = t.type == "int";
  const auto put = [&](const std::string& x) { Emitter::line(s, x); };
  put("const unsigned heads = sr_heads(begin, p0);");
  put("const int rank = before + __popc(heads & upto);");
  put("before += __popc(heads);");
  put("const int l = " + t.owners + "[rank];");
  put("const long long i = first + l;");
  put("const " + t.type + " p = p0 + lane - " + t.firsts + "[rank];");
  Scope in = Emitter::inside(s);
  Scope* saved = unit.scope;
  unit.scope = &s;
  std::vector<Asked> asked;
  Cursor& owner = warp_list(false, unit, in, asked);
  for (const auto& b : t.bases) {
    e_.has_length(b.space.get(), owner, b.lengths + "[rank]");
    if (!b.starts.empty()) e_.begins_at(b.space->starts.get(), owner, b.starts + "[rank]");
  }
  const size_t before = folds_.size();
  std::vector<Accumulator> gave;
  for (const Accumulator& known : t.folds) {
    gave.push_back(e_.declare(known.column, s));
    folds_.push_back({walk_->group.root, gave.back()});
  }
  e_.agreed = space.get();
  e_.ranked(space, owner, in, "p", narrow,
            [&](Cursor& item, Scope& inner) { body(t.frame, item, inner); });
  e_.agreed = nullptr;
  folds_.resize(before);
  unit.scope = saved;
  add_asked(asked, in);
  Emitter::call(s, in, "p0 + lane < total");
  if (!t.folds.empty()) fold_tuples(t, gave, s);
}

/// Joins what the lanes' tuples gave, list by list.
void Generator::fold_tuples(const Tuples& t, const std::vector<Accumulator>& gave, Scope& s) {
  Scope step = Emitter::inside(s), near = Emitter::inside(step), last = Emitter::inside(s);
  for (size_t f = 0; f < gave.size(); f++) {
    const Accumulator& acc = gave[f];
    const auto lanes_before = [&](const Text& from) {
      const std::string other = e_.fresh("other");
      Emitter::line(step, "const auto " + other + " = sr_lane_before(" + from + ", d);");
      return other;
    };
    const std::string other = lanes_before(acc.name);
    e_.join(near, acc, other, acc.index.empty() ? "" : lanes_before(acc.index));
    const std::string type(Emitter::value_type(acc.column));
    Accumulator known{acc.column, e_.fresh("s"), {}};
    Text store = t.folds[f].name + "[l] = " + known.name + ";";
    Emitter::line(last, type + " " + known.name + " = " + t.folds[f].name + "[l];");
    if (!acc.index.empty()) {
      known.index = e_.fresh("s");
      Emitter::line(last, "long long " + known.index + " = " + t.folds[f].index + "[l];");
      store += " " + t.folds[f].index + "[l] = " + known.index + ";";
    }
    e_.join(last, known, acc.name, acc.index);
    Emitter::line(last, store);
  }
  Emitter::line(s, "const int reach = lane - 31 + __clz((int)((heads | 1) & upto));");
  Emitter::close(step, "if (reach >= d)", near);
  Emitter::line(s, "#pragma unroll");
  Emitter::close(s, "for (int d = 1; d < 32; d *= 2)", step);
  Emitter::close(s, "if ((heads >> 1 | 1u << 31) >> lane & 1)", last);
  Emitter::line(s, "__syncwarp();");
}

}  // namespace serrate::cuda
