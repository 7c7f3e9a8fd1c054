// Folds over lists of any lengths, each by as many threads as suit it.
//
// A block has some consecutive lists. Short ones are folded by a thread each; longer ones are
// queued in shared memory and folded by 8 or 32 threads each, so that no thread waits for a long
// list. Where it can be, their items are in shared memory (generate_staged.cpp). Giant ones are cut
// into segments, which a second kernel's warps take; the warp that comes last to 64 of a list's
// segments joins what they left, and so on, always in the same order. So what a list gives depends
// on nothing but itself. Walks that need results of earlier ones come as further kernels.
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

/// Few enough lists a block that all blocks have work, and about as much.
int64_t lists_per_block(const Facts& lists, const Facts& items) {
  const auto average = std::max<int64_t>(1, static_cast<int64_t>(items.average));
  const int64_t most = std::min(16384 / average, static_cast<int64_t>(lists.items) / 1056);
  return std::clamp<int64_t>(most / 32 * 32, 64, kBlockLists);
}

}  // namespace

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
    const auto segments = [&](int64_t bytes) {
      return Amount{items, bytes, items_of_segments(), 1};
    };
    if (longest < 0 || longest > static_cast<double>(seams().staged_long)) {
      b.number = a_.output("unsigned long long");
      b.segments = a_.output("Segment");
      b.arrived = a_.output("int");
      w.temporaries.push_back({b.number, {{.bits = 1}, 16}, true});
      w.temporaries.push_back({b.segments, segments(16)});
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
      if (has_index(*x)) {
        if (!b.last) f.list_indexes = room("long long", {lists, 8});
        if (!b.number.empty()) f.part_indexes = room("long long", segments(8));
      }
      b.folds.push_back(f);
    }
    Walk::Step step;
    if (!staged_lists(b, step)) {
      const int64_t per = lists_per_block(facts_of(root.space), facts_of(space));
      binned_lists(b, per);
      step = {b.name, {lists, 1, per}};
    }
    w.steps.push_back(step);
    if (!b.number.empty()) {
      binned_segments(b);
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

Cursor& Generator::begin_fold(const Bins& b, const std::string& r,
                              const std::vector<Accumulator>& accs, Scope& in,
                              std::vector<Asked>& asked) {
  Cursor& owner = owner_cursor(r, e_.unit_cursor(in), in, asked);
  folds_.clear();
  positions_.clear();
  counters_.clear();
  for (const Accumulator& acc : accs) folds_.push_back({walk_->group.root, acc});
  const Space& space = *nest_.frames()[b.frame].space;
  e_.remember(space.starts.get(), owner, in, "start");
  e_.remember(space.stops.get(), owner, in, "stop");
  return owner;
}

/// Folds what `share` says of list `r`, if the condition holds.
void Generator::fold_list(const Bins& b, const std::string& r, const Share& share,
                          const Text& condition, const std::vector<Accumulator>& accs, Scope& s) {
  Scope in = Emitter::inside(s);
  std::vector<Asked> asked;
  Cursor& owner = begin_fold(b, r, accs, in, asked);
  e_.each(nest_.frames()[b.frame].space, owner, in, share,
          [&](Cursor& item, Scope& inner) { body(b.frame, item, inner); });
  add_asked(asked, in);
  Emitter::call(s, in, condition);
}

/// A function that takes a list, its bounds and what its folds gave: it does the owner's own work,
/// or keeps them.
void Generator::leave_function(const Bins& b, Scope& s) {
  Scope in = Emitter::inside(s);
  Text parameters = "long long r, long long start, long long stop";
  Cursor& unit = e_.unit_cursor(in);
  std::vector<Asked> asked;
  Cursor& k = owner_cursor("r", unit, in, asked);
  const Space& space = *nest_.frames()[b.frame].space;
  e_.remember(space.starts.get(), k, in, "start");
  e_.remember(space.stops.get(), k, in, "stop");
  for (const BinnedFold& f : b.folds) {
    Accumulator acc{f.acc.column, e_.fresh("s"), {}};
    parameters += ", " + std::string(Emitter::value_type(acc.column)) + " " + acc.name;
    if (has_index(*acc.column)) {
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
  s.code.add("const auto leave = [&](" + parameters + ")", std::move(in.code), "};");
}

Text Generator::leave_call(const std::string& r, const std::vector<Accumulator>& accs) {
  Text out = "leave(" + r + ", start, stop";
  for (const Accumulator& acc : accs)
    out += ", " + acc.name + (acc.index.empty() ? "" : ", " + acc.index);
  return out + ");";
}

std::string Generator::bound(const ColumnRef& c, const std::string& r) {
  return "(long long)" + a_.input(type_text(c->dtype), *c) + "[" + r + "]";
}

/// Leaves a list to the second kernel; said by all threads of a block.
std::string Generator::cut_call(const Bins& b, const std::string& r, const std::string& length) {
  return "sr_cut(" + b.number + ", " + b.segments + ", " + b.arrived + ", " +
         std::to_string(seams().segment) + ", " + r + ", " + length + ");";
}

void Generator::binned_segments(const Bins& b) {
  Scope s;
  leave_function(b, s);
  const Space& space = *nest_.frames()[b.frame].space;
  const std::string segment = std::to_string(seams().segment),
                    warps = std::to_string(kThreads / 32);
  const auto first = [&](const std::string& t) { Emitter::line(s, t); };
  first("const int lane = threadIdx.x & 31;");
  first("const long long segments = (long long)" + b.number + "[0], warps = gridDim.x * " + warps +
        ";");
  // What the next segment is, is asked for while this one is folded, and so is the one behind it.
  first("long long q = (long long)blockIdx.x * " + warps +
        " + (threadIdx.x >> 5), next = q + warps;");
  first("Segment one = {0, 0};");
  first("if (q < segments) one = " + b.segments + "[q];");
  first("long long begin = 0, end = 0;");
  const std::string bounds = "begin = " + bound(space.starts, "one.list") +
                             ", end = " + bound(space.stops, "one.list") + ";";
  first("if (q < segments) " + bounds);
  Scope step = Emitter::inside(s);
  const auto put = [&](const Text& t) { Emitter::line(step, t); };
  put("const long long r = one.list, first = one.first, start = begin, stop = end;");
  put("const long long from = start + (q - first) * " + segment + ", to = min(stop, from + " +
      segment + ");");
  put("long long later = 0;");
  put("if (lane == 0) later = 2 * warps + (long long)atomicAdd(" + b.number + " + 1, 1ull);");
  put("if (next < segments) one = " + b.segments + "[next];");
  std::vector<Accumulator> accs =
      declare_folds(b, step, facts_of(nest_.frames()[b.frame].space).fits_int);
  Share share{"lane", "32", "from", "to", "/ 32", false, 8, true};
  share.straight = true;
  fold_list(b, "r", share, {}, accs, step);
  put("if (next < segments) " + bounds);
  const auto joined = [&](Scope& in) {
    for (const Accumulator& acc : accs)
      join_shuffled(acc, "~0u", "(threadIdx.x & 31) ^ d", "32", "32", in);
  };
  for (Accumulator& acc : accs) e_.settle(acc, step);
  joined(step);
  // 64 parts are joined by the warp that comes last to them, 64 such joined ones again: number k of
  // n, `apart` segments apart.
  put("long long k = q - first, n = (stop - start + " + std::to_string(seams().segment - 1) +
      ") / " + segment + ", apart = 1;");
  Scope join = Emitter::inside(step), own = Emitter::inside(join), part = Emitter::inside(join);
  const auto more = [&](const std::string& t) { Emitter::line(join, t); };
  more("const long long group = k / 64, head = first + group * 64 * apart;");
  more("const int parts = (int)min(64ll, n - group * 64);");
  more("int before = 0;");
  for (size_t i = 0; i < accs.size(); i++) {
    const BinnedFold& f = b.folds[i];
    Emitter::line(own, f.parts + "[first + k * apart] = " + accs[i].name + ";");
    if (!f.part_indexes.empty())
      Emitter::line(own, f.part_indexes + "[first + k * apart] = " + accs[i].index + ";");
  }
  Emitter::line(own, "__threadfence();");
  Emitter::line(own, "before = atomicAdd(&" + b.arrived + "[head], 1 << shift) >> shift & 127;");
  Emitter::close(join, "if (lane == 0)", own);
  more("if (__shfl_sync(~0u, before, 0) + 1 < parts) break;");
  more("__threadfence();");
  for (size_t i = 0; i < accs.size(); i++) {
    const BinnedFold& f = b.folds[i];
    const Accumulator none = e_.declare(accs[i].column, join, accs[i].narrow);
    Emitter::line(join, accs[i].name + " = " + none.name + ";");
    if (!none.index.empty()) Emitter::line(join, accs[i].index + " = " + none.index + ";");
    e_.join(part, accs[i], f.parts + "[head + i * apart]",
            f.part_indexes.empty() ? "" : f.part_indexes + "[head + i * apart]");
  }
  Emitter::close(join, "for (int i = lane; i < parts; i += 32)", part);
  joined(join);
  more("k = group;");
  more("n = (n + 63) / 64;");
  more("apart *= 64;");
  Emitter::close(step, "for (int shift = 0; n > 1; shift += 8)", join);
  put("if (n == 1 && lane == 0) " + leave_call("r", accs));
  put("q = next;");
  put("next = __shfl_sync(~0u, later, 0);");
  Emitter::close(s, "while (q < segments)", step);
  add_kernel(b.name + "_segments", s);
}

}  // namespace serrate::cuda
