// Folds over lists of any lengths, each by as many threads as suit it.
//
// A block has some consecutive lists. Short ones are folded by a thread each; longer ones are
// queued in shared memory and folded by 8 or 32 threads each, so that no thread waits for a long
// list. Giant ones are cut into segments, which a second kernel's blocks take; the block that comes
// last to a list's segments joins what they left, always in the same order. So what a list gives
// depends on nothing but itself. Walks that need results of earlier ones come as further kernels.
#include <algorithm>

#include "cuda/binned.h"
#include "cuda/facts.h"
#include "cuda/functions.h"
#include "cuda/generator.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

using namespace binned;

namespace {

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
    b.name = w.name + "_lists" + std::to_string(number++);
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
  put("const long long to = min(stop, from + " + std::to_string(kSegment) + ");");
  std::vector<Accumulator> accs = declare_folds(b, step);
  fold_list(b, "r",
            Share{"(int)threadIdx.x", std::to_string(kThreads), "from", "to",
                  "/ " + std::to_string(kThreads), false, 8, true},
            {}, accs, step);
  for (const Accumulator& acc : accs) join_block(acc, step);
  put("const int segments = (int)((stop - start + " + std::to_string(kSegment - 1) + ") / " +
      std::to_string(kSegment) + ");");
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
  Emitter::close(
      all, "for (long long k = threadIdx.x; k < segments; k += " + std::to_string(kThreads) + ")",
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
