// Few long lists, split among blocks: see split.h.
#include "cuda/kernels/split.h"

#include <algorithm>
#include <cmath>

#include "core/seams.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

/// Of each list; where lengths are not known as many as keep a GPU busy.
int64_t Split::parts_of(int c) const {
  constexpr double kBlocks = 1024;
  const double length = expected_length(frame(c).space);
  const double lists = std::max(1.0, facts_of(root_of(*walk_).space).items);
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

/// A function: what a thread sees of a part of a list.
void Split::add_part(int c, const FoldStruct& fold, const std::string& parts, Scope& s) {
  const Frame& root = root_of(*walk_);
  const SpaceRef& items = frame(c).space;
  Scope whole = Emitter::inside(s);
  whole.leave = "return fold;";
  begin_kernel();
  for (const Accumulator& acc : declare_fold(fold, "fold", whole)) folds_.push_back({root.id, acc});
  Cursor& owner = e_.at_index(root.space, e_.unit_cursor(whole), whole, "list");
  const Text size = e_.length(items, owner), begin = e_.integer(items->starts, owner, whole);
  const auto put = [&](const Text& t) { Emitter::line(whole, t); };
  put("const long long from = " + begin + " + " + size + " * part / " + parts + ";");
  put("const long long to = " + begin + " + " + size + " * (part + 1) / " + parts + ";");
  Scope in = Emitter::inside(whole);
  in.leave = "return;";
  const std::string threads = std::to_string(kThreads);
  e_.each(items, owner, in, Share{"threadIdx.x", threads, "from", "to", "/ " + threads},
          [&](Cursor& item, Scope& inner) { body(c, item, inner); });
  Emitter::call(whole, in);
  put("return fold;");
  s.code.add("const auto part = [&](long long list, long long part)", std::move(whole.code), "};");
}

/// A function: what is done with the fold of a whole list.
void Split::add_leave(const FoldStruct& fold, Scope& s) {
  const Frame& root = root_of(*walk_);
  Scope whole = Emitter::inside(s);
  begin_kernel();
  Cursor& owner = e_.at_index(root.space, e_.unit_cursor(whole), whole, "list");
  for (const Accumulator& acc : fold.of("fold")) e_.remember(acc, owner, whole);
  if (is_ours(root.id)) sinks(root.id, owner, whole, {});
  s.code.add("const auto leave = [&](long long list, const " + fold.name() + "& fold)",
             std::move(whole.code), "};");
}

}  // namespace serrate::cuda
