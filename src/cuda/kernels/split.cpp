// Few long lists, split among blocks: see split.h.
#include "cuda/kernels/split.h"

#include <algorithm>
#include <cmath>

#include "core/seams.h"
#include "cuda/schedule/facts.h"
#include "cuda/schedule/ranked.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

/// Of each list; where lengths are not known as many as keep a GPU busy.
int64_t Split::parts_of(int c) const {
  constexpr double kBlocks = 1024;
  const double length = expected_length(frame(c).space);
  const double lists = std::max(1.0, walked_items(walk_->group, root_of(*walk_).space));
  const double parts =
      std::isfinite(length) ? length / static_cast<double>(seams().cut_part) : kBlocks / lists;
  return std::min(seams().cut_parts, static_cast<int64_t>(parts) + 1);
}

void Split::write(int c) {
  Walk& w = *walk_;
  const int64_t parts = parts_of(c);
  const FoldStruct& fold = struct_of(c, w.group.root, false);
  const std::string n = a_.structural("long long", static_cast<uint64_t>(parts));
  const std::string arrived = a_.output("unsigned"), left = a_.output(fold.name());
  w.temporaries.push_back({arrived, {w.items, 4}, true});
  w.temporaries.push_back({left, {w.items, fold.bytes() * parts}});
  Scope s;
  add_part(c, fold, n, s);
  add_leave(fold, s);
  Emitter::line(s, prelude_call("sr_fold_split", {a_.number(w.items.kind, *root_of(w).space), n,
                                                  left, arrived, "part", "leave"}) +
                       ";");
  w.steps.push_back({w.name, {w.items, parts}});
  add_kernel(w.name, s);
}

/// The list's owner, in a function of `list`, its number.
Cursor& Split::owner_of_list(Scope& whole, Scope& s, std::vector<Asked>& asked) {
  const Frame& root = root_of(*walk_);
  if (!walk_->group.items) return e_.at_index(root.space, e_.unit_cursor(s), s, "list");
  Emitter::line(whole, "const long long r = " + first_item(*root.space) + " + list;");
  return stored_cursor(root.space, "r", e_.unit_cursor(s), s, asked);
}

/// A function: what a thread sees of a part of a list.
void Split::add_part(int c, const FoldStruct& fold, const std::string& parts, Scope& s) {
  const Frame& root = root_of(*walk_);
  const SpaceRef& items = frame(c).space;
  Scope whole = Emitter::inside(s), all = Emitter::inside(whole);
  all.leave = "return fold;";
  begin_kernel();
  for (const Accumulator& acc : declare_fold(fold, "fold", whole)) folds_.push_back({root.id, acc});
  std::vector<Asked> asked;
  Cursor& owner = owner_of_list(whole, all, asked);
  const auto put = [&](const Text& t) { Emitter::line(all, t); };
  const std::string threads = std::to_string(kThreads);
  Share share{"part * " + threads + " + threadIdx.x", threads + " * " + parts};
  if (is_plain(*items)) {
    const Text size = e_.length(items, owner), begin = e_.integer(items->starts, owner, all);
    put("const long long from = " + begin + " + " + size + " * part / " + parts + ";");
    put("const long long to = " + begin + " + " + size + " * (part + 1) / " + parts + ";");
    share = {"threadIdx.x", threads, "from", "to", "/ " + threads};
  }
  Scope in = Emitter::inside(all);
  in.leave = "return;";
  e_.each(items, owner, in, share, [&](Cursor& item, Scope& inner) { body(c, item, inner); });
  Emitter::call(all, in);
  put("return fold;");
  add_asked(asked, all);
  whole.code.append(all.code);
  s.code.add("const auto part = [&](long long list, long long part)", std::move(whole.code), "};");
}

/// A function: what is done with the fold of a whole list.
void Split::add_leave(const FoldStruct& fold, Scope& s) {
  const Frame& root = root_of(*walk_);
  Scope whole = Emitter::inside(s), in = Emitter::inside(whole);
  begin_kernel();
  std::vector<Asked> asked;
  Cursor& owner = owner_of_list(whole, in, asked);
  for (const Accumulator& acc : fold.of("fold")) e_.remember(acc, owner, in);
  if (is_ours(root.id)) sinks(root.id, owner, in, {});
  add_asked(asked, in);
  whole.code.append(in.code);
  s.code.add("const auto leave = [&](long long list, const " + fold.name() + "& fold)",
             std::move(whole.code), "};");
}

}  // namespace serrate::cuda
