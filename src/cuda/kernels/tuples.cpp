// Tuples of short lists, by warps: see tuples.h and prelude/tuples.h.
#include "cuda/kernels/tuples.h"

#include <utility>

#include "cuda/codegen/functions.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

namespace {

constexpr int kWarps = kThreads / 32;

std::string each() { return std::to_string(kListsPerLane); }

}  // namespace

std::string Tuples::memory(const std::string& type, Extent at, const char* prefix, Scope& s) {
  std::string name = e_.fresh(prefix);
  bytes_ = at.end;
  Emitter::line(
      s, type + "* const " + name + " = (" + type + "*)(room + " + std::to_string(at.at) + ");");
  return name;
}

/// The cursor of list number l of the warp's, with what is known of it. A lane that has the list as
/// its own knows how many tuples it has.
Cursor& Tuples::list(bool own, Cursor& unit, Scope& s, std::vector<Asked>& asked) {
  Cursor& k = stored_cursor(root_of(*walk_).space, "i", unit, s, asked);
  for (const Of& t : done_) {
    if (own) e_.has_length(frame(t.frame).space.get(), k, t.counts + "[k]");
    for (const Accumulator& acc : t.fold->of(t.known + "[l]")) e_.remember(acc, k, s);
  }
  return k;
}

/// With memory for what is known of their lists.
Tuples::Of Tuples::tuples_of(int f, Scope& s) {
  const SpaceRef& space = frame(f).space;
  Of t;
  t.frame = f;
  t.narrow = counts_tuples_in_int(*space);
  t.fold = &struct_of(f, frame(f).parent, t.narrow);
  t.counts = e_.fresh("counts");
  const std::string type = t.number();
  const auto numbers = [&](const std::string& of, const char* prefix) {
    return memory(of, warp_extent(of == "int" ? 4 : 8, bytes_), prefix, s);
  };
  t.owners = numbers("int", "owners");
  t.firsts = numbers(type, "firsts");
  t.known =
      memory(t.fold->name(), warp_extent(static_cast<int>(t.fold->bytes()), bytes_), "known", s);
  for (const SpaceRef& b : tuple_bases(space)) {
    Of::Base base{b, {}, numbers(type, "lengths")};
    if (is_in_int(b)) base.starts = numbers("int", "starts");
    t.bases.push_back(base);
  }
  return t;
}

void Tuples::walk_items(Cursor& unit, Scope& s) {
  const Walk& w = *walk_;
  const Frame& root = root_of(w);
  const std::string lists = std::to_string(kListsPerWarp);
  const std::string size = a_.number(Source::items, *root.space);
  done_.clear();
  bytes_ = 0;
  Scope memory = Emitter::inside(s), in = Emitter::inside(s);
  unit.scope = &in;
  Emitter::line(in, "const int lists = (int)min(" + size + " - list0, " + lists + "ll);");
  Emitter::line(in, "const long long first = " + first_item(*root.space) + " + list0;");
  for (int c : root.children) {
    if (!is_walked(c)) continue;
    const Of t = tuples_of(c, memory);
    Emitter::line(in, t.number() + " " + t.counts + "[" + each() + "];");
    all_tuples(t, unit, in);
    done_.push_back(t);
  }
  if (is_ours(root.id)) own_lists(unit, in);
  unit.scope = &s;
  bytes_ = (bytes_ + 15) / 16 * 16;
  const std::string bytes = std::to_string(bytes_);
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

/// A function of list number l; its owners stand before what asks for them.
void Tuples::add_function(const std::string& head, Scope& own, const std::vector<Asked>& asked,
                          const Text& gives, Scope& s) {
  Scope in = Emitter::inside(s);
  Emitter::line(in, "const long long i = first + l;");
  add_asked(asked, own);
  in.code.append(own.code);
  if (!gives.empty()) Emitter::line(in, "return " + gives + ";");
  s.code.add("const auto " + head, std::move(in.code), "};");
}

/// What is done with lists whose tuples are all folded.
void Tuples::own_lists(Cursor& unit, Scope& s) {
  Scope one = Emitter::inside(s), own = Emitter::inside(one);
  std::vector<Asked> asked;
  Cursor& k = list(true, unit, own, asked);
  sinks(root_of(*walk_).id, k, own, {});
  add_asked(asked, own);
  Emitter::call(one, own, "mine");
  add_function("own = [&](int k, int l, bool mine)", one, {}, {}, s);
  Emitter::line(s, of_prelude("sr_own_lists") + "<" + each() + ">(lists, own);");
}

void Tuples::all_tuples(const Of& t, Cursor& unit, Scope& s) {
  const std::string number = t.number();
  Scope in = Emitter::inside(s), counting = Emitter::inside(in), tuple = Emitter::inside(in);
  std::vector<Asked> asked;
  count(t, unit, counting, asked);
  add_function("count = [&](int k, int l, bool mine, auto place)", counting, asked, {}, in);
  one_tuple(t, unit, tuple);
  add_function("tuple = [&](int l, int rank, " + number + " p, bool some)", tuple, {}, "fold", in);
  Emitter::line(in, of_prelude("sr_fold_tuples") + "<" + t.fold->name() + ", " + number + ", " +
                        each() + ">(lists, " + t.owners + ", " + t.firsts + ", " + t.known +
                        ", count, tuple);");
  Emitter::close(s, "", in);
}

/// How many tuples a list has, and what they need to know of it.
void Tuples::count(const Of& t, Cursor& unit, Scope& s, std::vector<Asked>& asked) {
  const SpaceRef& space = frame(t.frame).space;
  Scope some = Emitter::inside(s);
  s.together = true;
  const std::string none = "{ " + t.counts + "[k] = 0; place(0); return; }";
  s.leave = none;
  const auto put = [&](const Text& x) { Emitter::line(s, x); };
  Cursor& owner = list(true, unit, s, asked);
  std::string mine = "mine";
  if (space->kind == SpaceKind::aligned) {
    // Once a list, not once an item. Lanes wait for each other, so none leaves: of lists that
    // differ no item is walked.
    put("bool agree = true;");
    s.leave = "agree = false;";
    Scope check = Emitter::inside(s);
    e_.check_lengths(space, owner, check);
    Emitter::close(s, "if (mine)", check);
    s.leave = none;
    mine += " && agree";
  }
  put(t.counts + "[k] = " + mine + " ? " + e_.length(space, owner, t.narrow) + " : 0;");
  put("const int rank = place(" + t.counts + "[k]);");
  const auto leave = [&](const std::string& where, const Text& what) {
    Emitter::line(some, where + "[rank] = " + what + ";");
  };
  for (const auto& b : t.bases) {
    leave(b.lengths, e_.length(b.space, owner, t.narrow));
    if (!b.starts.empty()) leave(b.starts, "(int)" + e_.integer(b.space->starts, owner, s));
  }
  Emitter::close(s, "if (" + t.counts + "[k] > 0)", some);
}

/// What tuple p of list l gives.
void Tuples::one_tuple(const Of& t, Cursor& unit, Scope& s) {
  const SpaceRef& space = frame(t.frame).space;
  const std::vector<Accumulator> gave = declare_fold(*t.fold, "fold", s);
  Scope in = Emitter::inside(s);
  s.leave = "return fold;";
  in.leave = "return;";
  Scope* const saved = unit.scope;
  unit.scope = &s;
  std::vector<Asked> asked;
  Cursor& owner = list(false, unit, in, asked);
  for (const auto& b : t.bases) {
    e_.has_length(b.space.get(), owner, b.lengths + "[rank]");
    if (!b.starts.empty()) e_.begins_at(b.space->starts.get(), owner, b.starts + "[rank]");
  }
  const size_t before = folds_.size();
  for (const Accumulator& acc : gave) folds_.push_back({walk_->group.root, acc});
  e_.agreed = space.get();
  e_.ranked(space, owner, in, "p", t.narrow,
            [&](Cursor& item, Scope& inner) { body(t.frame, item, inner); });
  e_.agreed = nullptr;
  folds_.resize(before);
  unit.scope = saved;
  add_asked(asked, in);
  Emitter::call(s, in, "some");
}

}  // namespace serrate::cuda
