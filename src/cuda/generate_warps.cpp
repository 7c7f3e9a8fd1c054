// Tuples of short lists: a warp takes 64 lists and shares out their tuples evenly.
//
// Each lane counts the tuples of its two lists; a scan over the lanes says where they begin. Then
// the tuples are done in windows: the lanes write into shared memory which list, and which items of
// it, each tuple is of; they take the tuples one behind the other, whatever list these are of, and
// leave what they give; and they fold what their own lists' tuples gave, in order.
#include <algorithm>
#include <utility>

#include "cuda/facts.h"
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

namespace {

constexpr int kLists = 2;  // a lane
constexpr int kWarpLists = 32 * kLists;
constexpr int kWarps = kThreads / 32;
constexpr int kRoom = 24576;  // bytes for what the tuples of a window give

void unrolled(Scope& outer, Scope& list) {
  Emitter::line(outer, "#pragma unroll");
  Emitter::close(outer, "for (int k = 0; k < " + std::to_string(kLists) + "; k++)", list);
}

/// The part of the list's tuples that is in the window.
void put_range(const std::string& window, Scope& list) {
  Emitter::line(list, "const int q0 = (int)(max(begin[k], p0) - p0);");
  Emitter::line(list, "const int q1 = (int)(min(end[k], p0 + " + window + ") - p0);");
}

/// Can 24 bits say which items of its list a pair is of?
bool has_short_indexes(const Space& s) {
  const bool pairs =
      s.kind == SpaceKind::combinations || (s.kind == SpaceKind::cartesian && s.bases.size() == 2);
  return pairs && std::all_of(s.bases.begin(), s.bases.end(), [](const SpaceRef& b) {
           const double n = facts_of(b).longest;
           return b->kind == SpaceKind::list && n >= 0 && n < 4096;
         });
}

}  // namespace

bool Generator::can_share_warps(const Walk& w) const {
  if (w.is_crowded || !is_stored(nest_.frames()[w.group.root].space) || !folds_in_any_order(w))
    return false;
  bool tuples = false;
  for (int c : nest_.frames()[w.group.root].children) {
    if (!is_walked(c)) continue;
    const Space& s = *nest_.frames()[c].space;
    if (!Emitter::is_ranked(s)) return false;
    tuples |= !is_plain(s);
  }
  return tuples;
}

/// Memory of a warp's own: name[0] to name[n - 1].
std::string Generator::warp_memory(std::string_view type, const std::string& name, int n,
                                   Scope& s) {
  const std::string t(type);
  // Static shared memory is 48 KiB on every GPU; the prelude's functions take a little of it.
  constexpr int kMost = 46 << 10;
  const int size = t == "int" || t == "unsigned" || t == "float" ? 4
                   : t == "long long" || t == "double"           ? 8
                                                                 : 16;
  shared_bytes_ += kWarps * n * size;
  if (shared_bytes_ > kMost) throw SharedIsFull{};
  Emitter::line(s, "__shared__ __align__(16) unsigned char " + name + "_room[" +
                       std::to_string(kWarps * n) + " * sizeof(" + t + ")];");
  Emitter::line(s, t + "* const " + name + " = (" + t + "*)" + name +
                       "_room + (threadIdx.x >> 5) * " + std::to_string(n) + ";");
  return name;
}

/// The cursor of list number `list` (text) of the warp's, at i, with what is known of it.
Cursor& Generator::warp_list(const std::string& list, Cursor& unit, Scope& s,
                             std::vector<Asked>& asked) {
  Cursor& k = stored_cursor(nest_.frames()[walk_->group.root].space, "i", unit, s, asked);
  for (const WarpFold& f : shared_folds_) {
    Accumulator there = f.acc;
    there.name += "[" + list + "]";
    if (!there.index.empty()) there.index += "[" + list + "]";
    e_.remember(there.column, k, s, Emitter::result(there));
  }
  return k;
}

void Generator::warps_walk(Walk& w, Cursor& unit, Scope& s) {
  const Frame& root = nest_.frames()[w.group.root];
  warp_size_ = a_.number(Source::items, *root.space);
  warp_first_ = first_item(*root.space);
  shared_folds_.clear();
  Emitter::line(s, "const int lane = threadIdx.x & 31;");
  Scope in = Emitter::inside(s);
  unit.scope = &in;
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    const SpaceRef& space = nest_.frames()[c].space;
    Tuples t;
    t.frame = c;
    t.type = Emitter::counts_in_int(*space, kWarpLists) ? "int" : "long long";
    t.indexes = has_short_indexes(*space);
    std::vector<const Column*> into;
    collect(c, root.id, into);
    int bytes = 4;
    for (const Column* x : into) bytes += 16 + (Emitter::has_index(x) ? 8 : 0);
    t.window = 128;
    while (t.window > 32 && kWarps * t.window * bytes > kRoom) t.window /= 2;
    t.entry = warp_memory("unsigned", e_.fresh("entry"), t.window, s);
    t.firsts = warp_memory(t.type, e_.fresh("firsts"), kWarpLists, s);
    for (const Column* x : into) {
      const std::string_view type = Emitter::value_type(x);
      WarpFold f;
      f.acc = {x, warp_memory(type, e_.fresh("known"), kWarpLists, s), {}};
      f.values = warp_memory(type, e_.fresh("values"), t.window, s);
      if (Emitter::has_index(x)) {
        f.acc.index = warp_memory("long long", e_.fresh("known"), kWarpLists, s);
        f.indexes = warp_memory("long long", e_.fresh("values"), t.window, s);
      }
      t.folds.push_back(f);
    }
    // Of lists in one domain that an int can count, a few bits less say where they begin.
    for (const SpaceRef& b : is_plain(*space) ? std::vector{space} : space->bases) {
      if (b->kind != SpaceKind::list || !is_stored(b) || !facts_of(b).fits_int) continue;
      t.bases.push_back(
          {b->starts, e_.fresh("base"), warp_memory("int", e_.fresh("starts"), kWarpLists, s)});
    }
    warp_tuples(t, unit, in);
    shared_folds_.insert(shared_folds_.end(), t.folds.begin(), t.folds.end());
  }
  if (is_ours(root.id)) {
    Scope list = Emitter::inside(in), own = Emitter::inside(list);
    put_list(list);
    std::vector<Asked> asked;
    Cursor& k = warp_list("k * 32 + lane", unit, own, asked);
    sinks(root.id, k, own, {});
    add_asked(asked, own);
    Emitter::call(list, own, "mine");
    unrolled(in, list);
  }
  Emitter::line(in, "__syncwarp();");
  unit.scope = &s;
  const std::string lists = std::to_string(kWarpLists);
  Emitter::close(s,
                 "for (long long list0 = t / 32 * " + lists + "; list0 < " + warp_size_ +
                     "; list0 += threads / 32 * " + lists + ")",
                 in);
}

/// Lanes without a list look at the last one, and do nothing with it.
void Generator::put_list(Scope& s) const {
  Emitter::line(s, "const bool mine = list0 + k * 32 + lane < " + warp_size_ + ";");
  Emitter::line(s, "const long long i = " + warp_first_ + " + min(list0 + k * 32 + lane, " +
                       warp_size_ + " - 1);");
}

/// All tuples that the warp's lists have in a frame.
void Generator::warp_tuples(const Tuples& t, Cursor& unit, Scope& s) {
  Scope all = Emitter::inside(s);
  count_tuples(t, unit, all);
  Scope step = Emitter::inside(all);
  say_tuples(t, step);
  Emitter::line(step, "__syncwarp();");
  do_tuples(t, unit, step);
  Emitter::line(step, "__syncwarp();");
  if (!t.folds.empty()) fold_tuples(t, step);
  Emitter::line(step, "__syncwarp();");
  Emitter::close(
      all, "for (" + t.type + " p0 = 0; p0 < total; p0 += " + std::to_string(t.window) + ")", step);
  Emitter::close(s, "", all);
}

/// Where each list's tuples begin and, of each base, where its items do.
void Generator::count_tuples(const Tuples& t, Cursor& unit, Scope& s) {
  const SpaceRef& space = nest_.frames()[t.frame].space;
  const std::string lists = "[" + std::to_string(kLists) + "]", at = "[k * 32 + lane]";
  Emitter::line(s, t.type + " begin" + lists + ", end" + lists + ", total = 0;");
  if (t.indexes) Emitter::line(s, "int length" + lists + ";");  // of the base that varies fastest
  for (const auto& b : t.bases) Emitter::line(s, "long long " + b.base + ";");
  Scope list = Emitter::inside(s);
  put_list(list);
  Scope own = Emitter::inside(s);
  own.up = &list;
  const auto put = [&](const std::string& x) { Emitter::line(own, x); };
  std::vector<Asked> asked;
  Cursor& owner = warp_list("k * 32 + lane", unit, own, asked);
  std::string mine = "mine";
  if (space->kind == SpaceKind::aligned) {
    // Once a list, not once an item. Lanes wait for each other, so none leaves: of lists that
    // differ no item is walked.
    put("bool agree = true;");
    const std::string leave = std::exchange(e_.leave, "agree = false;");
    e_.check_lengths(space, owner, own);
    e_.leave = leave;
    mine += " && agree";
  }
  put("const " + t.type + " n = " + mine + " ? (" + t.type + ")" + e_.length(space, owner) +
      " : 0;");
  if (t.indexes) put("length[k] = (int)" + e_.length(space->bases.back(), owner) + ";");
  for (const auto& b : t.bases) {
    const std::string start = e_.integer(b.starts, owner, own);
    put("if (k == 0) " + b.base + " = __shfl_sync(~0u, " + start + ", 0);");
    put(b.name + at + " = (int)(" + start + " - " + b.base + ");");
  }
  put("const " + t.type + " scan = sr_warp_sum(n);");
  put("begin[k] = total + scan - n;");
  put("end[k] = total + scan;");
  put(t.firsts + at + " = begin[k];");
  put("total += __shfl_sync(~0u, scan, 31);");
  for (const WarpFold& f : t.folds) {
    const Accumulator none = e_.declare(f.acc.column, own);
    put(f.acc.name + at + " = " + none.name + ";");
    if (!none.index.empty()) put(f.acc.index + at + " = " + none.index + ";");
  }
  add_asked(asked, own);
  list.code += own.code;
  unrolled(s, list);
}

/// Entries for the tuples of a window.
void Generator::say_tuples(const Tuples& t, Scope& s) {
  const bool pairs = nest_.frames()[t.frame].space->kind == SpaceKind::combinations;
  Scope list = Emitter::inside(s), loop = Emitter::inside(list);
  const auto put = [&](const std::string& x) { Emitter::line(list, x); };
  put_range(std::to_string(t.window), list);
  std::string entry = "(unsigned)(k * 32 + lane)";
  if (t.indexes) {
    put(std::string("int i = 0, j = ") + (pairs ? "1" : "0") + ";");
    put("const int before = (int)(p0 + q0 - begin[k]);");
    put(std::string("if (q0 < q1 && before > 0) ") +
        (pairs ? "sr_pair(before, length[k], i, j);"
               : "{ i = before / length[k]; j = before % length[k]; }"));
    entry += " << 24 | (unsigned)i << 12 | (unsigned)j";
  }
  Emitter::line(loop, t.entry + "[q] = " + entry + ";");
  if (t.indexes)
    Emitter::line(loop,
                  std::string("if (++j == length[k]) j = ") + (pairs ? "++i + 1;" : "(++i, 0);"));
  Emitter::close(list, "for (int q = q0; q < q1; q++)", loop);
  unrolled(s, list);
}

/// What the tuples of a window give, the lanes side by side.
void Generator::do_tuples(const Tuples& t, Cursor& unit, Scope& s) {
  const SpaceRef& space = nest_.frames()[t.frame].space;
  Scope one = Emitter::inside(s), in = Emitter::inside(one);
  const auto put = [&](const std::string& x) { Emitter::line(one, x); };
  put("const unsigned entry = " + t.entry + "[q];");
  put(std::string("const int list = (int)(entry") + (t.indexes ? " >> 24" : "") + ");");
  put("const long long i = " + warp_first_ + " + list0 + list;");
  put("const " + t.type + " p = p0 + q - " + t.firsts + "[list];");
  Scope* saved = unit.scope;
  unit.scope = &one;
  std::vector<Asked> asked;
  Cursor& owner = warp_list("list", unit, in, asked);
  for (const auto& b : t.bases) e_.begins_at(b.starts.get(), owner, b.base, b.name + "[list]");
  const size_t before = folds_.size();
  std::vector<Accumulator> items;
  for (const WarpFold& f : t.folds) {
    items.push_back(e_.declare(f.acc.column, one));
    folds_.push_back({walk_->group.root, items.back()});
  }
  const auto tuple = [&](Cursor& item, Scope& inner) { body(t.frame, item, inner); };
  e_.agreed = space.get();
  if (t.indexes) {
    put("const int i0 = (int)(entry >> 12 & 4095), i1 = (int)(entry & 4095);");
    e_.tuple_at(space, owner, in, {"i0", "i1"}, true, "(long long)p", tuple);
  } else {
    e_.ranked(space, owner, in, "p", t.type == "int", tuple);
  }
  e_.agreed = nullptr;
  folds_.resize(before);
  unit.scope = saved;
  add_asked(asked, in);
  Emitter::call(one, in);
  for (size_t f = 0; f < t.folds.size(); f++) {
    put(t.folds[f].values + "[q] = " + items[f].name + ";");
    if (!items[f].index.empty()) put(t.folds[f].indexes + "[q] = " + items[f].index + ";");
  }
  Emitter::line(s, "const int tuples = (int)min((" + t.type + ")" + std::to_string(t.window) +
                       ", total - p0);");
  Emitter::close(s, "for (int q = lane; q < tuples; q += 32)", one);
}

void Generator::fold_tuples(const Tuples& t, Scope& s) {
  const std::string at = "[k * 32 + lane]";
  Scope list = Emitter::inside(s), some = Emitter::inside(list), loop = Emitter::inside(some);
  put_range(std::to_string(t.window), list);
  std::string store;
  for (const WarpFold& f : t.folds) {
    const std::string type(Emitter::value_type(f.acc.column));
    Accumulator acc{f.acc.column, e_.fresh("s"), {}};
    Emitter::line(some, type + " " + acc.name + " = " + f.acc.name + at + ";");
    store += f.acc.name + at + " = " + acc.name + "; ";
    if (!f.indexes.empty()) {
      acc.index = e_.fresh("s");
      Emitter::line(some, "long long " + acc.index + " = " + f.acc.index + at + ";");
      store += f.acc.index + at + " = " + acc.index + "; ";
    }
    e_.join(loop, acc, f.values + "[q]", f.indexes + "[q]");
  }
  Emitter::close(some, "for (int q = q0; q < q1; q++)", loop);
  Emitter::line(some, store);
  Emitter::close(list, "if (q0 < q1)", some);
  unrolled(s, list);
}

}  // namespace serrate::cuda
