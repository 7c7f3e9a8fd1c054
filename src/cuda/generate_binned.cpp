// Folds over lists of any lengths, each by as many threads as suit it.
//
// A block has some consecutive lists. Short ones are folded by a thread each; longer ones are
// queued in shared memory and folded by 8 or 32 threads each, so that no thread waits for a long
// list. Giant ones are cut into segments, which a second kernel's blocks take; the block that comes
// last to a list's segments joins what they left, always in the same order. So what a list gives
// depends on nothing but itself. Walks that need results of earlier ones come as further kernels.
#include <algorithm>

#include "cuda/facts.h"
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

namespace {

constexpr int kBlockLists = 1024, kRows = kBlockLists / kThreads;  // rows: lists of a thread
/// Where an item asks for so few lines of text, several are done at once, and registers are left
/// for six blocks.
constexpr int kLight = 8, kLightBlocks = 6;
// Longest lists for one thread, 8 threads, a warp.
constexpr int kShort = 8, kMedium = 128, kLong = 1024;
constexpr int64_t kSegment = 8192;
// A block that has more items leaves its longer lists to other blocks.
constexpr int64_t kBlockItems = 65536, kLongInFullBlock = 256;

constexpr const char* kBounds =
    "const long long start = base + starts[l], stop = start + lengths[l];";

std::string text(int64_t n) { return std::to_string(n); }

/// Few enough lists a block that all blocks have work, and about as much.
int64_t lists_per_block(const Facts& lists, const Facts& items) {
  const auto average = std::max<int64_t>(1, static_cast<int64_t>(items.average));
  const int64_t most = std::min(16384 / average, static_cast<int64_t>(lists.items) / 1056);
  return std::clamp<int64_t>(most / 32 * 32, 64, kBlockLists);
}

}  // namespace

bool Generator::folds_in_any_order(const Walk& w) const {
  const Frame& root = nest_.frames()[w.group.root];
  if (!w.appends.empty() || w.keeps_order) return false;
  if (std::any_of(root.filters.begin(), root.filters.end(), [&](int f) { return is_walked(f); }))
    return false;
  return std::all_of(w.group.frames.begin(), w.group.frames.end(), [&](int f) {
    const auto& folds = nest_.frames()[f].folds;
    return std::none_of(folds.begin(), folds.end(),
                        [](const Fold& x) { return Emitter::order_matters(x.column); });
  });
}

bool Generator::can_bin(const Walk& w) const {
  if (!is_stored(nest_.frames()[w.group.root].space) || !w.group.unit_folds.empty() ||
      !folds_in_any_order(w))
    return false;
  bool any = false;
  for (int c : nest_.frames()[w.group.root].children) {
    if (!is_walked(c)) continue;
    any = true;
    const SpaceRef& s = nest_.frames()[c].space;
    if (s->kind != SpaceKind::list || !is_stored(s) || facts_of(s).items == 0) return false;
  }
  return any;
}

void Generator::binned(Walk& w) {
  const Frame& root = nest_.frames()[w.group.root];
  counting_ = -1;
  finished_.clear();
  int number = 0, last = -1;
  for (int c : root.children) {
    if (is_walked(c)) last = c;
  }
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    const SpaceRef& space = nest_.frames()[c].space;
    const Source lists = a_.source(Source::items, root.space.get());
    const Source items = a_.source(Source::items, space.get());
    Bins b;
    b.frame = c;
    b.last = c == last;
    b.name = w.name + "_lists" + text(number++);
    std::vector<const Column*> into;
    collect(c, root.id, into);
    const double longest = facts_of(space).longest;
    const auto segments = [&](int64_t bytes) { return Amount{items, bytes, kLongInFullBlock, 1}; };
    if (longest < 0 || longest > kLong) {
      b.number = a_.output("unsigned long long");
      b.lists = a_.output("long long");
      b.firsts = a_.output("long long");
      b.froms = a_.output("long long");
      b.arrived = a_.output("int");
      w.temporaries.push_back({b.number, {{.bits = 1}, 8}, true});
      w.temporaries.push_back({b.lists, segments(8)});
      w.temporaries.push_back({b.firsts, segments(8)});
      w.temporaries.push_back({b.froms, segments(8)});
      w.temporaries.push_back({b.arrived, segments(4)});
    }
    for (const Column* x : into) {
      BinnedFold f;
      f.acc.column = x;
      const std::string type(Emitter::value_type(x));
      const auto room = [&](std::string_view t, const Amount& size) {
        w.temporaries.push_back({a_.output(t), size});
        return w.temporaries.back().field;
      };
      if (!b.last) f.lists = room(type, {lists, 16});
      if (!b.number.empty()) f.parts = room(type, segments(16));
      if (Emitter::has_index(x)) {
        if (!b.last) f.list_indexes = room("long long", {lists, 8});
        if (!b.number.empty()) f.part_indexes = room("long long", segments(8));
      }
      b.folds.push_back(f);
    }
    const int64_t per = lists_per_block(facts_of(root.space), facts_of(space));
    text_ += binned_lists(b, per);
    w.steps.push_back({b.name, {lists, 1, per}});
    if (!b.number.empty()) {
      text_ += binned_segments(b);
      w.steps.push_back({b.name + "_segments", {{.bits = 1056}}});
    }
    finished_.insert(finished_.end(), b.folds.begin(), b.folds.end());
  }
}

/// The cursor of the lists' owner, with what earlier kernels found of it.
Cursor& Generator::owner_cursor(const std::string& domain, Cursor& unit, Scope& s,
                                std::vector<Asked>& asked) {
  const Frame& root = nest_.frames()[walk_->group.root];
  Cursor& k = stored_cursor(root.space, domain, unit, s, asked);
  for (const BinnedFold& f : finished_) {
    Accumulator acc = f.acc;
    acc.name = f.lists + "[" + ordinal(k) + "]";
    if (!f.list_indexes.empty()) acc.index = f.list_indexes + "[" + ordinal(k) + "]";
    e_.remember(acc.column, k, s, Emitter::result(acc));
  }
  return k;
}

std::vector<Accumulator> Generator::declare_folds(const Bins& b, Scope& s, bool narrow) {
  std::vector<Accumulator> accs;
  const int depth = nest_.frames()[b.frame].space->depth;
  for (const BinnedFold& f : b.folds)
    accs.push_back(e_.declare(f.acc.column, s, narrow && f.acc.column->over->depth == depth));
  return accs;
}

/// Folds what `share` says of list `r`, if the condition holds.
void Generator::fold_list(const Bins& b, const std::string& r, const Share& share,
                          const std::string& condition, const std::vector<Accumulator>& accs,
                          Scope& s) {
  Scope in = Emitter::inside(s);
  Cursor& unit = e_.unit_cursor(in);
  std::vector<Asked> asked;
  Cursor& owner = owner_cursor(r, unit, in, asked);
  folds_.clear();
  positions_.clear();
  counters_.clear();
  for (const Accumulator& acc : accs) folds_.push_back({walk_->group.root, acc});
  const Space& space = *nest_.frames()[b.frame].space;
  e_.remember(space.starts.get(), owner, in, "start");
  e_.remember(space.stops.get(), owner, in, "stop");
  e_.each(nest_.frames()[b.frame].space, owner, in, share,
          [&](Cursor& item, Scope& inner) { body(b.frame, item, inner); });
  add_asked(asked, in);
  Emitter::call(s, in, condition);
}

/// A function that takes a list, its bounds and what its folds gave: it does the owner's own work,
/// or keeps them.
void Generator::leave_function(const Bins& b, Scope& s) {
  Scope in = Emitter::inside(s);
  std::string parameters = "long long r, long long start, long long stop";
  Cursor& unit = e_.unit_cursor(in);
  std::vector<Asked> asked;
  Cursor& k = owner_cursor("r", unit, in, asked);
  const Space& space = *nest_.frames()[b.frame].space;
  e_.remember(space.starts.get(), k, in, "start");
  e_.remember(space.stops.get(), k, in, "stop");
  for (const BinnedFold& f : b.folds) {
    Accumulator acc{f.acc.column, e_.fresh("s"), {}};
    parameters += ", " + std::string(Emitter::value_type(acc.column)) + " " + acc.name;
    if (Emitter::has_index(acc.column)) {
      acc.index = e_.fresh("s");
      parameters += ", long long " + acc.index;
    }
    e_.remember(acc.column, k, in, Emitter::result(acc));
    if (!f.lists.empty()) Emitter::line(in, f.lists + "[" + ordinal(k) + "] = " + acc.name + ";");
    if (!f.list_indexes.empty())
      Emitter::line(in, f.list_indexes + "[" + ordinal(k) + "] = " + acc.index + ";");
  }
  folds_.clear();
  if (b.last && is_ours(walk_->group.root)) sinks(walk_->group.root, k, in, {});
  add_asked(asked, in);
  Emitter::close(s, "const auto leave = [&](" + parameters + ")", in);
  s.code.insert(s.code.size() - 1, ";");
}

std::string Generator::leave_call(const std::string& r, const std::vector<Accumulator>& accs) {
  std::string out = "leave(" + r + ", start, stop";
  for (const Accumulator& acc : accs)
    out += ", " + acc.name + (acc.index.empty() ? "" : ", " + acc.index);
  return out + ");";
}

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
  put("if (" + length + " <= " + text(kMedium) +
      ") queue[atomicAdd(&queued[0], 1)] = (unsigned short)l;");
  put(std::string("else ") + (giants ? "if (" + length + " <= longest) " : "") + "queue[" +
      text(kBlockLists - 1) + " - atomicAdd(&queued[1], 1)] = (unsigned short)l;");
  if (giants) put("else giant[atomicAdd(&giants, 1)] = (unsigned short)l;");
}

/// Short lists whose items ask for little work: a thread folds all its lists at once, one item of
/// each in a step, so that many reads are on their way. Writes nothing if there is more work.
bool Generator::fold_together(
    const Bins& b, const std::function<std::string(const ColumnRef&, const std::string&)>& bound,
    const std::string& type, Scope& s) {
  const SpaceRef& space = nest_.frames()[b.frame].space;
  const Space& owners = *nest_.frames()[walk_->group.root].space;
  const std::string rows = "[" + text(kRows) + "]";
  Scope all = Emitter::inside(s), begin = Emitter::inside(all);
  Scope row = Emitter::inside(all), longer = Emitter::inside(row);
  Scope step = Emitter::inside(all), list = Emitter::inside(step), end = Emitter::inside(all);
  const auto each = [](Scope& outer, Scope& in) {
    Emitter::line(outer, "#pragma unroll");
    Emitter::close(outer, "for (int u = 0; u < " + text(kRows) + "; u++)", in);
  };
  const auto put = [&](const std::string& t) { Emitter::line(begin, t); };
  const std::string number = "const int l = u * " + text(kThreads) + " + (int)threadIdx.x;";
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
  Emitter::close(row, "if (length[u] > " + text(kShort) + ")", longer);
  Emitter::line(row, "most = max(most, length[u]);");
  each(all, row);
  const auto bounds = [&](Scope& in) {
    Emitter::line(in, "const long long r = " + first_item(owners) + " + list0 + u * " +
                          text(kThreads) + " + threadIdx.x;");
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
  Emitter::close(all, "for (int k = 0; k < " + text(kShort) + "; k++)", step);
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
  put("__shared__ unsigned short queue[" + text(kBlockLists) +
      "];  // 8 threads each; a warp each");
  put("__shared__ int queued[2];");
  if (giants) {
    put("__shared__ unsigned short giant[" + text(kBlockLists) + "];");
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
  put("__shared__ " + type + " starts[" + text(kBlockLists) + "], lengths[" + text(kBlockLists) +
      "];");
  const auto bound = [&](const ColumnRef& c, const std::string& l) {
    return "(long long)" + a_.input(type_text(c->dtype), *c) + "[" + from + " + list0" + l + "]";
  };
  put("const long long base = " + bound(space.starts, "") + ";");
  if (giants)
    put("const int longest = " + bound(space.stops, " + lists - 1") + " - base > " +
        text(kBlockItems) + " ? " + text(kLongInFullBlock) + " : " + text(kLong) + ";");
  const bool light = fold_together(b, bound, type, s);
  if (!light) {
    put("#pragma unroll 4");
    put("for (int l = threadIdx.x; l < lists; l += " + text(kThreads) + ") {");
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
    Emitter::close(row, "if (lengths[l] <= " + text(kShort) + ")", one);
    queue_list("lengths[l]", giants, row);
    Emitter::close(s, "for (int l = threadIdx.x; l < lists; l += " + text(kThreads) + ")", row);
  }
  put("__syncthreads();");
  {
    Scope bin = Emitter::inside(s), step = Emitter::inside(bin);
    const auto more = [&](const std::string& t) { Emitter::line(step, t); };
    Emitter::line(bin, "const int log = bin == 0 ? 3 : 5, size = 1 << log;");
    Emitter::line(bin, "const int lane = threadIdx.x & (size - 1);");
    more("const int q = q0 + ((threadIdx.x & 31) >> log);");
    more("const bool mine = q < queued[bin];");
    more("const int l = mine ? queue[bin == 0 ? q : " + text(kBlockLists - 1) + " - q] : 0;");
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
                       text(kThreads) + " >> log)",
                   step);
    Emitter::close(s, "for (int bin = 0; bin < 2; bin++)", bin);
  }
  if (giants) {
    // Room for the segments of a list: their numbers follow each other.
    Scope g = Emitter::inside(s);
    Emitter::line(g, "const long long r = " + from + " + list0 + giant[q];");
    Emitter::line(g, "const int segments = (int)((lengths[giant[q]] + " + text(kSegment - 1) +
                         ") / " + text(kSegment) + ");");
    Emitter::line(g, "if (threadIdx.x == 0) {");
    Emitter::line(
        g, "  first = (long long)atomicAdd(" + b.number + ", (unsigned long long)segments);");
    Emitter::line(g, "  " + b.arrived + "[first] = 0;");
    Emitter::line(g, "}");
    Emitter::line(g, "__syncthreads();");
    Emitter::line(g, "for (int k = threadIdx.x; k < segments; k += " + text(kThreads) + ") {");
    Emitter::line(g, "  " + b.lists + "[first + k] = r;");
    Emitter::line(g, "  " + b.firsts + "[first + k] = first;");
    Emitter::line(g, "  " + b.froms + "[first + k] = base + starts[giant[q]] + k * " +
                         text(kSegment) + "ll;");
    Emitter::line(g, "}");
    Emitter::line(g, "__syncthreads();");
    Emitter::close(s, "for (int q = 0; q < giants; q++)", g);
  }
  return header(b.name, kThreads, light ? kLightBlocks : 1) + s.code + "}\n";
}

std::string Generator::binned_segments(const Bins& b) {
  Scope s;
  leave_function(b, s);
  Emitter::line(s, "__shared__ bool is_last;");
  Scope step = Emitter::inside(s);
  const auto put = [&](const std::string& t) { Emitter::line(step, t); };
  put("const long long r = " + b.lists + "[q], first = " + b.firsts + "[q];");
  put_bounds(b, "r", step);
  // Known at once: the reads of items need not wait for the list's bounds.
  put("const long long from = " + b.froms + "[q];");
  put("const long long to = min(stop, from + " + text(kSegment) + ");");
  std::vector<Accumulator> accs = declare_folds(b, step);
  fold_list(b, "r",
            Share{"(int)threadIdx.x", text(kThreads), "from", "to", "/ " + text(kThreads), false, 8,
                  true},
            {}, accs, step);
  for (const Accumulator& acc : accs) join_block(acc, step);
  put("const int segments = (int)((stop - start + " + text(kSegment - 1) + ") / " + text(kSegment) +
      ");");
  Scope own = Emitter::inside(step);
  for (size_t i = 0; i < accs.size(); i++) {
    const BinnedFold& f = b.folds[i];
    Emitter::line(own, f.parts + "[q] = " + accs[i].name + ";");
    if (!f.part_indexes.empty())
      Emitter::line(own, f.part_indexes + "[q] = " + accs[i].index + ";");
  }
  Emitter::line(own, "__threadfence();");
  Emitter::line(own, "is_last = atomicAdd(&" + b.arrived + "[first], 1) + 1 == segments;");
  Emitter::close(step, "if (threadIdx.x == 0)", own);
  put("__syncthreads();");
  Scope all = Emitter::inside(step);
  Emitter::line(all, "__threadfence();");
  accs = declare_folds(b, all);
  Scope part = Emitter::inside(all);
  for (size_t i = 0; i < accs.size(); i++) {
    const BinnedFold& f = b.folds[i];
    e_.join(part, accs[i], f.parts + "[first + k]",
            f.part_indexes.empty() ? "" : f.part_indexes + "[first + k]");
  }
  Emitter::line(all, "#pragma unroll 4");
  Emitter::close(all, "for (long long k = threadIdx.x; k < segments; k += " + text(kThreads) + ")",
                 part);
  for (const Accumulator& acc : accs) join_block(acc, all);
  Emitter::line(all, "if (threadIdx.x == 0) " + leave_call("r", accs));
  Emitter::close(step, "if (is_last)", all);
  put("__syncthreads();");
  Emitter::close(
      s, "for (long long q = blockIdx.x; q < (long long)*" + b.number + "; q += gridDim.x)", step);
  return header(b.name + "_segments") + s.code + "}\n";
}

}  // namespace serrate::cuda
