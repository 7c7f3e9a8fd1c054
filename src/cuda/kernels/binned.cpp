// Folds over lists of any lengths: see binned.h.
#include "cuda/kernels/binned.h"

#include <algorithm>

#include "core/seams.h"
#include "cuda/codegen/functions.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

namespace {

constexpr int kBlockLists = 1024;

/// Few enough lists a block that all blocks have work, and about as much.
int64_t lists_per_block(double lists, const Facts& items) {
  const auto average = std::max<int64_t>(1, static_cast<int64_t>(items.average));
  const int64_t most = std::min(16384 / average, static_cast<int64_t>(lists) / 1056);
  return std::clamp<int64_t>(most / 32 * 32, 64, kBlockLists);
}

/// Each segment of the lists that are cut has so many items to itself, or more: a list that is cut
/// is longer than the longest that is not.
int64_t items_of_segments() {
  const int64_t longest =
      std::min(seams().staged_long, std::min(seams().lists_left, seams().lists_long) + 1);
  return std::max<int64_t>(1, longest * seams().segment / (longest + seams().segment));
}

}  // namespace

void Binned::write() {
  Walk& w = *walk_;
  const Frame& root = root_of(w);
  int number = 0, last = -1;
  for (int c : root.children) {
    if (is_walked(c)) last = c;
  }
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    const Lists b = lists_of(c, c == last, number++);
    Walk::Step step;
    if (!staged_kernel(b, step)) {
      const int64_t per =
          lists_per_block(walked_items(w.group, root.space), facts_of(frame(c).space));
      lists_kernel(b, per);
      step = {b.name, {a_.source(Source::items, root.space.get()), 1, per}};
    }
    w.steps.push_back(step);
    if (b.cuts()) {
      segments_kernel(b);
      w.steps.push_back({b.name + "_segments", {{.bits = 1056}}});
    }
    finished_.push_back(b);
  }
}

Binned::Lists Binned::lists_of(int f, bool last, int number) {
  Walk& w = *walk_;
  const SpaceRef& space = frame(f).space;
  const Source items = a_.source(Source::items, space.get());
  Lists b;
  b.frame = f;
  b.last = last;
  b.name = w.name + "_lists" + std::to_string(number);
  b.fold = &struct_of(f, w.group.root, facts_of(space).fits_int);
  const auto memory = [&](const Text& type, const Amount& bytes, bool zero = false) {
    w.temporaries.push_back({a_.output_of(type), bytes, zero});
    return w.temporaries.back().field;
  };
  const auto segments = [&](int64_t bytes) { return Amount{items, bytes, items_of_segments(), 1}; };
  const double longest = facts_of(space).longest;
  if (longest < 0 || longest > static_cast<double>(seams().staged_long)) {
    b.number = memory("unsigned long long", {{.bits = 1}, 16}, true);
    b.segments = memory(of_prelude("Segment"), segments(16));
    b.arrived = memory("int", segments(4));
    b.parts = memory(b.fold->name(), segments(b.fold->bytes()));
  }
  if (!last) {
    const Source lists = a_.source(Source::items, root_of(w).space.get());
    b.results = memory(b.fold->name(), {lists, b.fold->bytes()});
  }
  return b;
}

/// The cursor of the lists' owner, with what earlier kernels found of it.
Cursor& Binned::owner_cursor(Cursor& unit, Scope& s, std::vector<Asked>& asked) {
  Cursor& k = stored_cursor(root_of(*walk_).space, "r", unit, s, asked);
  for (const Lists& b : finished_) {
    if (b.fold->members.empty()) continue;
    const std::string result = b.results + "[" + ordinal(k).str() + "]";
    for (const Accumulator& acc : b.fold->of(result)) e_.remember(acc, k, s);
  }
  return k;
}

Cursor& Binned::begin_list(const Lists& b, Scope& s, std::vector<Asked>& asked) {
  Cursor& owner = owner_cursor(e_.unit_cursor(s), s, asked);
  begin_kernel();
  e_.remember(space_of(b).starts.get(), owner, s, "start");
  e_.remember(space_of(b).stops.get(), owner, s, "stop");
  return owner;
}

Binned::WalkItems Binned::shared(const Lists& b, const Share& share) {
  return [this, f = b.frame, share](Cursor& owner, Scope& s) {
    e_.each(frame(f).space, owner, s, share,
            [&](Cursor& item, Scope& inner) { body(f, item, inner); });
  };
}

void Binned::add_fold(const Lists& b, const std::string& head, const WalkItems& walk, Scope& s) {
  Scope whole = Emitter::inside(s), in = Emitter::inside(whole);
  const std::vector<Accumulator> accs = declare_fold(*b.fold, "fold", whole);
  std::vector<Asked> asked;
  Cursor& owner = begin_list(b, in, asked);
  for (const Accumulator& acc : accs) folds_.push_back({walk_->group.root, acc});
  walk(owner, in);
  add_asked(asked, in);
  Emitter::call(whole, in);
  Emitter::line(whole, "return fold;");
  s.code.add("const auto " + head, std::move(whole.code), "};");
}

void Binned::add_leave(const Lists& b, Scope& s) {
  Scope in = Emitter::inside(s);
  std::vector<Asked> asked;
  Cursor& k = begin_list(b, in, asked);
  for (const Accumulator& acc : b.fold->of("fold")) e_.remember(acc, k, in);
  if (!b.results.empty()) Emitter::line(in, b.results + "[" + ordinal(k) + "] = fold;");
  if (b.last && is_ours(walk_->group.root)) sinks(walk_->group.root, k, in, {});
  add_asked(asked, in);
  s.code.add("const auto leave = [&](long long r, long long start, long long stop, const " +
                 b.fold->name() + "& fold)",
             std::move(in.code), "};");
}

/// The lists that are cut, as the prelude's functions take them.
Text Binned::segments_of(const Lists& b) {
  if (!b.cuts()) return of_prelude("NoSegments") + "{}";
  return of_prelude("Segments") + "<" + b.fold->name() + ", " + std::to_string(seams().segment) +
         ">{" + b.number + ", " + b.segments + ", " + b.arrived + ", " + b.parts + "}";
}

void Binned::add_bounds(const Lists& b, Scope& s) {
  Emitter::line(s, bound_function("start_of", space_of(b).starts));
  Emitter::line(s, bound_function("stop_of", space_of(b).stops));
}

void Binned::lists_kernel(const Lists& b, int64_t per_block) {
  const Space& owners = *root_of(*walk_).space;
  const auto text = [](int64_t n) { return std::to_string(n); };
  Scope s;
  add_bounds(b, s);
  add_leave(b, s);
  add_fold(b, "one = [&](long long r, long long start, long long stop)", shared(b, {}), s);
  Share share{"lane", "size", {}, {}, ">> log", false, 4, true};
  share.step = "(1 << log)";
  add_fold(b, "some = [&](long long r, long long start, long long stop, int lane, int log)",
           shared(b, share), s);
  const std::string number = facts_of(frame(b.frame).space).fits_int ? "int" : "long long";
  const std::string lengths = "<" + text(seams().lists_short) + ", " + text(seams().lists_medium) +
                              ", " + text(seams().lists_long) + ", " + text(seams().lists_left) +
                              ", " + text(seams().lists_full) + ">";
  Emitter::line(s, of_prelude("sr_fold_binned") + "<" + b.fold->name() + ", " + number + ", " +
                       of_prelude("Lengths") + lengths + ", " + text(kBlockLists) + ">(" +
                       lists_before() + ", " + a_.number(Source::items, owners) + ", " +
                       a_.structural("long long", static_cast<uint64_t>(per_block)) +
                       ", start_of, stop_of, one, some, leave, " + segments_of(b) + ");");
  add_kernel(b.name, s);
}

void Binned::segments_kernel(const Lists& b) {
  Scope s;
  add_bounds(b, s);
  add_leave(b, s);
  Share share{"lane", "32", "from", "to", "/ 32", false, 8, true};
  share.straight = true;
  add_fold(b,
           "part = [&](long long r, long long start, long long stop, long long from, "
           "long long to, int lane)",
           shared(b, share), s);
  Emitter::line(s, prelude_call("sr_fold_segments",
                                {segments_of(b), "start_of", "stop_of", "part", "leave"}) +
                       ";");
  add_kernel(b.name + "_segments", s);
}

}  // namespace serrate::cuda
