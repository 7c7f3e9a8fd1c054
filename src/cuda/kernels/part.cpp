// Places in stored lists, and what else the parts of the generator share: see part.h.
#include "cuda/kernels/part.h"

#include <algorithm>

#include "cuda/codegen/functions.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"

namespace serrate::cuda {

const FoldStruct& Part::fold_of(const std::vector<Folded>& folded) {
  const auto is_it = [&](const FoldStruct& f) {
    return std::ranges::equal(f.members, folded, [](const Accumulator& a, const Folded& b) {
      return a.column == b.column && a.narrow == (b.narrow && has_index(*b.column));
    });
  };
  const auto at = std::ranges::find_if(writing_.folds, is_it);
  if (at != writing_.folds.end()) return *at;
  const std::string name = "Fold" + std::to_string(writing_.folds.size());
  return writing_.folds.emplace_back(make_fold(e_, name, folded));
}

std::vector<Accumulator> Part::declare_fold(const FoldStruct& fold, const std::string& name,
                                            Scope& s) {
  Emitter::line(s, fold.name() + " " + name + ";");
  return fold.of(name);
}

Text Part::ordinal(Cursor& k) {
  const Space& s = *k.space;
  if (s.kind == SpaceKind::unit) return "0ll";
  if (s.kind == SpaceKind::rows) return k.domain;
  if (!k.number.empty()) return k.number;
  if (s.kind == SpaceKind::flat || s.kind == SpaceKind::aligned) return ordinal(*k.links[0]);
  if (is_stored(k.space)) {
    return facts_of(k.space).from_zero ? k.domain : "(" + k.domain + " - " + first_item(s) + ")";
  }
  if (s.kind == SpaceKind::fixed)
    return "(" + ordinal(*k.owner) + " * " + e_.length(k.space, *k.owner) + " + " + k.local + ")";
  return k.local;  // a slice of axis 0
}

std::string Part::first_item(const Space& s) { return e_.number(Source::first, s); }

Text Part::size_of(const Space& fixed) {
  const double known = facts_of(SpaceRef(&fixed)).items;
  // The compiler divides by what it knows without a division; facts of such sizes are not rounded.
  return known > 0 && known <= 32 ? std::to_string(fixed.size) + "ll"
                                  : e_.number(Source::size, fixed);
}

Cursor& Part::stored_cursor(const SpaceRef& space, const Text& domain, Cursor& unit, Scope& s,
                            std::vector<Asked>& asked, const Space* by_warp) {
  Cursor& k = e_.cursor(space, nullptr, &s);
  k.domain = domain;
  // Where items are numbered, and do not lie one behind the other.
  const bool is_derived = space->kind == SpaceKind::fixed && !is_stored(space);
  const auto place_derived = [&] {
    k.number = domain;
    k.domain = "(" + e_.integer(space->starts, *k.owner, s) + " + " + k.local + ")";
  };
  if (space->depth == 1) {
    k.owner = &unit;
    k.local = domain;
    if (is_derived) place_derived();
    return k;
  }
  const Symbol symbol = writing_.symbols++;
  const Text o(e_.fresh("r"), symbol);
  k.owner = &stored_cursor(space->parent, o, unit, s, asked, by_warp);
  Text line = "const long long " + o + " = ";
  // Items of one warp have owners that are close to each other.
  const bool near = space->kind != SpaceKind::fixed && by_warp == space.get();
  if (space->kind == SpaceKind::fixed) {
    const Text n = size_of(*space);
    // Their numbers begin at 0, those of their owners may not.
    if (is_derived && is_stored(space->parent) && !facts_of(space->parent).from_zero)
      line += first_item(*space->parent) + " + ";
    line += prelude_call("sr_quotient", {domain, n}) + ";";
    k.local = "(" + domain + " - " + prelude_call("sr_quotient", {domain, n}) + " * " + n + ")";
    if (is_derived) place_derived();
  } else {
    const Column& c = *space->starts;
    const std::string b = a_.input(c);
    line +=
        prelude_call("sr_search", {b, near ? "owner0, owner1" : owners_of(*space), domain}) + ";";
    k.local = "(" + domain + " - (long long)" + b + "[" + o + "])";
  }
  asked.push_back({symbol, line, near});
  return k;
}

std::string Part::owners_of(const Space& s) {
  const std::string from = first_item(*s.parent);
  return from + ", " + from + " + " + a_.number(Source::items, *s.parent);
}

bool Part::add_asked(const std::vector<Asked>& asked, Scope& s) {
  bool by_warp = false;
  for (const Asked& o : asked) {  // the outermost first: it names the one inside
    if (!s.code.uses(o.name)) continue;
    Block definition;
    definition.add(o.line);
    s.code.prepend(definition);
    by_warp |= o.by_warp;
  }
  return by_warp;
}

Text Part::bound(const ColumnRef& c, const Text& r) {
  return "(long long)" + Text(a_.input(*c)) + "[" + r + "]";
}

Text Part::bound_function(const char* name, const ColumnRef& c) {
  return "const auto " + Text(name) + " = [&](long long r) { return " + bound(c, "r") + "; };";
}

const std::string& Part::arrivals() {
  if (out_->arrived.empty()) out_->arrived = a_.output("unsigned");
  return out_->arrived;
}

void Part::last_arrived(const std::string& word, const std::string& blocks, Scope& s) {
  const Text last = prelude_call("sr_is_last", {arrivals() + " + " + word, blocks});
  Emitter::line(s, "if (!" + last + ") return;");
}

}  // namespace serrate::cuda
