// Load-balanced writes of the items of lists whose lengths need no walk.
//
// A first kernel has the lengths, which are added up as ever. In the second one each block has as
// many items as the others, whatever lists they are of: it marks in shared memory where lists
// begin, and a running maximum says of each item whose it is (the expansion by a max-scan of CUB
// and moderngpu's interval expand, in place of a search for each item). So neighbours write side by
// side, and long lists are shared out.
#include <algorithm>

#include "core/seams.h"
#include "cuda/codegen/functions.h"
#include "cuda/kernels/appends.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

void Balanced::write(const std::vector<Counted>& counted) {
  append_all(counted);
  if (walk_->in_one_block()) return main_kernel();
  sum_lengths();
  use_inner_offsets();
  if (walk_->appends[0].sums.empty()) count_kernels();
  main_kernel();
}

/// What the kernel before does elsewhere.
void Balanced::count_alone(const std::string& lists, Scope& s) {
  const Append& x = walk_->appends[0];
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  put("const long long t = threadIdx.x, threads = blockDim.x;");
  positions_.emplace_back(x.frame, e_.fresh("q"));
  const std::string q = positions_[0].second;
  put("long long " + q + " = 0;");
  find_begins(e_.unit_cursor(s), s, 1);
  counting_ = -1;
  say_totals(s);
  put("__shared__ long long begins[" + std::to_string(kThreads) + "];");
  put("begins[t] = " + q + ";");
  put("__syncthreads();");
  put("const auto begin = [&](long long l) { return begins[l]; };");
  if (x.lengths < 0) return;
  put("if (blockIdx.x == 0) {");
  put("  if (t < " + lists + ") " + x.begins + "[t] = " + q + ";");
  put("  if (t < " + lists + ") " + q + "_longest = begins[t + 1] - " + q + ";");
  finish_lists(s);
  put("}");
}

/// Where lists are as long as some stored ones together, nobody counts and nobody waits: they begin
/// at the sum of where these begin.
void Balanced::sum_lengths() {
  Walk& w = *walk_;
  Append& x = w.appends[0];
  const Frame& root = root_of(w);
  const Frame& f = frame(x.frame);
  if (!w.group.unit_folds.empty() || !x.needs_room || f.parent != root.id || !is_stored(root.space))
    return;
  for (size_t i = 0; i < out_->places.size(); i++) {
    if (nest_.outputs()[i].frame == root.id && static_cast<int>(i) != x.lengths) return;
  }
  x.parts = parts_of(count(f.space));
  for (const LengthPart& p : x.parts) {
    if (p.starts != nullptr && !same(p.starts->space, root.space)) x.parts.clear();
  }
  const auto object = [&](const void* o) { return a_.source(Source::given, o).object; };
  for (const LengthPart& p : x.parts) {
    Summed& s = x.sums.emplace_back();
    s.sign = p.sign;
    if (p.starts == nullptr) {
      s.number = a_.source(Source::real, p.number.get());
    } else {
      s.starts = object(p.starts);
      s.stops = object(p.stops);
    }
  }
  if (x.sums.empty()) return;
  w.lists = object(root.space.get());
  x.total = a_.fresh_integer();
  x.seen = a_.output("long long");
}

/// A function that says where a list begins.
void Balanced::add_begin(Scope& s) {
  const Append& x = walk_->appends[0];
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  if (x.sums.empty()) {
    put("const auto begin = [&](long long l) { return __ldg(" + x.begins + " + l); };");
    return;
  }
  const std::string first = first_item(*root_of(*walk_).space);
  Text base = "0ll", sum = "-base";
  for (const LengthPart& p : x.parts) {
    const std::string sign = p.sign > 0 ? " + " : " - ";
    if (p.starts == nullptr) {
      sum += sign + e_.integer(p.number, e_.unit_cursor(s), s) + " * l";
      continue;
    }
    const std::string b = a_.input(*p.starts);
    base += sign + "(long long)__ldg(" + b + " + " + first + ")";
    sum += sign + "(long long)__ldg(" + b + " + " + first + " + l)";
  }
  put("const long long base = " + base + ";");
  put("const auto begin = [&](long long l) { return " + sum + "; };");
}

void Balanced::main_kernel() {
  Walk& w = *walk_;
  const Append& x = w.appends[0];
  begin_kernel();
  Scope s;
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  const std::string lists = a_.number(Source::items, *root_of(w).space);
  w.in_one_block() ? count_alone(lists, s) : add_begin(s);
  put("const long long total = " + (x.sums.empty() ? "begin(" + lists + ")" : x.total) + ";");
  const bool offsets = !x.sums.empty() && x.lengths >= 0;
  Scope visit = Emitter::inside(s);
  if (offsets) {
    put("long long longest = 0;");
    Emitter::line(visit, x.begins + "[l] = at;");
    Emitter::line(visit, "if (l < " + lists + ") longest = max(longest, begin(l + 1) - at);");
  }
  s.code.add("const auto visit = [&](long long l, long long at)", std::move(visit.code), "};");
  add_item(s);
  put(of_prelude("sr_write_balanced") + "<" + std::to_string(kThreads) + ", " +
      std::to_string(seams().balanced) + ">(begin, " + lists + ", total, visit, item);");
  if (offsets)
    put(prelude_call("sr_tell_lengths", {"longest", "total", arrivals() + " + 2", x.seen}) + ";");
  add_kernel(w.name, s);
  if (x.inner >= 0) inner_offsets_kernel();
}

/// The item at an index among all of the lists of an owner, and of the lists inside of these.
void Balanced::item_of_lists(std::span<const int> path, Cursor& owner, const std::string& index,
                             Scope& s) {
  const int f = path[0];
  const SpaceRef& space = frame(f).space;
  if (path.size() == 1)
    return e_.ranked(space, owner, s, index, false,
                     [&](Cursor& item, Scope& inner) { body(f, item, inner); });
  // All lists of one owner are of one length.
  const Text n = balanced_length(path[1], any_item(space, owner));
  const std::string size = e_.fresh("n"), outer = e_.fresh("p"), rest = e_.fresh("p");
  Emitter::line(s, "const long long " + size + " = " + n + ";");
  Emitter::line(
      s, "const long long " + outer + " = " + prelude_call("sr_quotient", {index, size}) + ";");
  Emitter::line(s, "const long long " + rest + " = " + index + " - " + outer + " * " + size + ";");
  e_.ranked(space, owner, s, outer, false,
            [&](Cursor& item, Scope& inner) { item_of_lists(path.subspan(1), item, rest, inner); });
}

/// A function that writes one item.
void Balanced::add_item(Scope& s) {
  const Append& x = walk_->appends[0];
  const Frame& root = root_of(*walk_);
  Scope one = Emitter::inside(s), in = Emitter::inside(one);
  positions_.assign(1, {x.frame, e_.fresh("q")});
  Emitter::line(one, "const long long i = " + first_item(*root.space) + " + list;");
  Cursor& unit = e_.unit_cursor(one);
  std::vector<Asked> asked;
  Cursor& owner = stored_cursor(root.space, "i", unit, in, asked);
  Cursor* k = &owner;
  std::vector<int> path = balanced_path(nest_, root.id, x.frame);
  for (; frame(path[0]).inside >= 0; path.erase(path.begin())) {
    const SpaceRef& space = frame(path[0]).space;
    Cursor* above = k->owner;
    while (above->space->depth >= space->depth) above = above->owner;
    Cursor& left = e_.cursor(space, above, &in);
    left.links = {k};
    k = &left;
  }
  item_of_lists(path, *k, "index", in);
  add_asked(asked, in);
  Emitter::call(one, in);
  s.code.add("const auto item = [&](long long list, long long " + positions_[0].second +
                 ", long long index)",
             std::move(one.code), "};");
}

/// Where the inner lists begin, of which an owner has as many as items of its own.
void Balanced::inner_offsets_kernel() {
  const Append& x = walk_->appends[0];
  const Frame& root = root_of(*walk_);
  const SpaceRef &space = frame(x.frame).space, &between = space->parent;
  Scope s;
  const auto put = [&](const Text& t) { Emitter::line(s, t); };
  const std::string lists = a_.number(Source::items, *root.space);
  put("const long long l = (long long)blockIdx.x * blockDim.x + threadIdx.x;");
  put("const long long total = " + x.begins + "[" + lists + "];");
  put("long long longest = 0;");
  Scope in = Emitter::inside(s);
  const auto more = [&](const Text& t) { Emitter::line(in, t); };
  more("const long long i = " + first_item(*root.space) + " + l;");
  std::vector<Asked> asked;
  Cursor& owner = stored_cursor(root.space, "i", e_.unit_cursor(in), in, asked);
  const Text start = e_.integer(between->starts, owner, in);
  const Text stop = e_.integer(between->stops, owner, in);
  const Text n = e_.length(space, any_item(between, owner));
  const std::string to = x.inner_offsets + " - " + first_item(*between);
  more("long long at = " + x.begins + "[l];");
  more("if (" + start + " < " + stop + ") longest = " + n + ";");
  more("for (long long j = " + start + "; j < " + stop + "; j++, at += " + n + ") (" + to +
       ")[j] = at;");
  more("if (l == " + lists + " - 1) (" + to + ")[" + stop + "] = total;");
  add_asked(asked, in);
  Emitter::close(s, "if (l < " + lists + ")", in);
  put(prelude_call("sr_tell_lengths", {"longest", "total", arrivals() + " + 2", x.inner_seen}) +
      ";");
  add_kernel(walk_->name + "_lists", s);
}

/// Lengths of the lists that appended items are of, where lists of them are written together.
void Balanced::use_inner_offsets() {
  Walk& w = *walk_;
  Append& x = w.appends[0];
  const Frame& f = frame(x.frame);
  // Another walk may write them.
  if (f.parent == w.group.root || !is_ours(f.parent)) return;
  for (size_t i = 0; i < out_->places.size(); i++) {
    if (!are_lengths(nest_.outputs()[i], f)) continue;
    x.inner = static_cast<int>(i);
    out_->places[i].is_offsets = true;
  }
  if (x.inner < 0) return;
  x.inner_offsets = a_.output("long long");
  x.inner_seen = a_.output("long long");
  x.inner_lists = a_.source(Source::items, f.space->parent.get());
  w.lists = a_.source(Source::given, root_of(w).space.get()).object;
}

}  // namespace serrate::cuda
