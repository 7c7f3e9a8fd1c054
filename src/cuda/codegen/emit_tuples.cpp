// Items of several lists at once as CUDA text: tuples, aligned lists, items by number. See emit.h.
#include <algorithm>
#include <climits>
#include <cmath>

#include "cuda/codegen/emit.h"
#include "cuda/schedule/facts.h"

namespace serrate::cuda {

using namespace graph;

void Emitter::ranked(const SpaceRef& s, Cursor& owner, Scope& scope, const std::string& i,
                     bool narrow, const Body& body) {
  if (is_plain(*s)) return body(at_index(s, owner, scope, i, narrow), scope);
  if (s->kind == SpaceKind::aligned) {
    Cursor& k = cursor(s, &owner, &scope);
    k.local = narrow ? "(long long)" + i : i;
    if (agreed != s.get()) check_lengths(s, owner, scope);
    for (const auto& b : s->bases) k.links.push_back(&at_index(b, owner, scope, i, narrow));
    return body(k, scope);
  }
  const std::string type = narrow ? "int" : "long long";
  const bool is_few = narrow && counts_exactly(*s);
  std::vector<std::string> indexes;
  if (s->kind == SpaceKind::combinations) {
    const char* const find = s->k == 3 ? "sr_triple" : is_few ? "sr_short_pair" : "sr_pair";
    Text call = of_prelude(find) + "(" + i + ", " + length(s->bases[0], owner, narrow);
    for (int m = 0; m < s->k; m++) {
      indexes.push_back(fresh("p"));
      call += ", " + indexes.back();
    }
    for (const std::string& index : indexes) line(scope, type + " " + index + ";");
    line(scope, call + ");");
  } else {
    // The last one varies fastest.
    std::string rest = i;
    for (size_t b = s->bases.size(); b-- > 0;) {
      const std::string j = fresh("p");
      const Text n = length(s->bases[b], owner, narrow);
      if (b == 0) {
        line(scope, "const " + type + " " + j + " = " + rest + ";");
      } else if (const std::string q = fresh("p"); is_few) {
        line(scope, "const int " + q + " = " + prelude_call("sr_short_ratio", {rest, n}) + ", " +
                        j + " = " + rest + " - " + q + " * " + n + ";");
        rest = q;
      } else {
        line(scope, "const " + type + " " + j + " = " + rest + " % " + n + ", " + q + " = " + rest +
                        " / " + n + ";");
        rest = q;
      }
      indexes.insert(indexes.begin(), j);
    }
  }
  tuple_at(s, owner, scope, indexes, narrow, narrow ? "(long long)" + i : i, body);
}

void Emitter::tuple_at(const SpaceRef& s, Cursor& owner, Scope& scope,
                       const std::vector<std::string>& indexes, bool narrow,
                       const std::string& local, const Body& body) {
  Cursor& k = cursor(s, &owner, &scope);
  k.local = local;
  const bool combinations = s->kind == SpaceKind::combinations;
  for (size_t i = 0; i < indexes.size(); i++)
    k.links.push_back(&at_index(s->bases[combinations ? 0 : i], owner, scope, indexes[i], narrow));
  body(k, scope);
}

Text Emitter::tuples_before(const SpaceRef& s, Cursor& owner, const Cursor& first) {
  if (first.local.empty() ||
      !std::ranges::all_of(s->bases, [](const SpaceRef& b) { return is_plain(*b); }))
    return "";
  if (s->kind == SpaceKind::cartesian) {
    Text n = first.local;
    for (size_t b = 1; b < s->bases.size(); b++) n += " * (" + length(s->bases[b], owner) + ")";
    return n;
  }
  // Those that do not begin with this item or one behind it.
  const std::string k = std::to_string(s->k), more = s->replacement ? " + " + k + " - 1" : "";
  const Text n = length(s->bases[0], owner);
  return prelude_call("sr_choose", {n + more, k}) + " - " +
         prelude_call("sr_choose", {n + " - " + first.local + more, k});
}

void Emitter::each_tuple(const SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                         std::vector<Cursor*>& chosen, const Text& counter, const Body& body) {
  const bool combinations = s->kind == SpaceKind::combinations;
  const auto m = chosen.size();
  if (m == static_cast<size_t>(s->k)) {
    Cursor& k = cursor(s, &owner, &scope);
    k.links = chosen;
    k.local = counter;
    body(k, scope);
    if (!counter.empty()) line(scope, "++" + counter + ";");
    return;
  }
  each(
      s->bases[combinations ? 0 : m], owner, scope, m == 0 ? share : Share{},
      [&](Cursor& item, Scope& inner) {
        chosen.push_back(&item);
        Text n = counter;
        if (m == 0 && share.active()) {
          const Text before = tuples_before(s, owner, item);
          if (!before.empty()) {
            n = fresh("c");
            line(inner, "long long " + n + " = " + before + ";");
          }
        }
        each_tuple(s, owner, inner, {}, chosen, n, body);
        chosen.pop_back();
      },
      combinations && m > 0 ? chosen.back() : nullptr, s->replacement);
}

int Emitter::last_link(const Column& c) {
  switch (c.kind) {
    case ColumnKind::constant:
    case ColumnKind::parent:
      return 0;
    case ColumnKind::at:
      return c.link;
    case ColumnKind::op:
    case ColumnKind::cast:
      break;
    default:
      return INT_MAX;
  }
  if (const int* known = last_links_.find(&c)) return *known;
  int last = 0;
  for (const ColumnRef& a : c.args) {
    if (a) last = std::max(last, last_link(*a));
  }
  return last_links_.set(&c, last);
}

Scope& Emitter::outermost(const Column& c, Cursor& k, Scope& into) {
  // Of pairs nearly everything needs both; what does not is cheap.
  if (k.links.size() < 3 || (c.kind != ColumnKind::op && c.kind != ColumnKind::cast)) return into;
  if (k.space->kind == SpaceKind::aligned) return into;
  const auto last = static_cast<size_t>(last_link(c));
  if (last + 1 >= k.links.size() || k.links[last]->scope == k.scope) return into;
  return *k.links[last]->scope;
}

/// Are there so few tuples that floats tell them apart (sr_short_pair, sr_short_ratio)?
bool Emitter::counts_exactly(const Space& s) {
  double tuples = 1;
  for (const SpaceRef& b : s.bases) tuples *= std::max(1.0, facts_of(b).longest);
  return s.kind == SpaceKind::combinations ? tuples <= 1024 : tuples <= 1 << 20;
}

std::string Emitter::check_lengths(const SpaceRef& s, Cursor& owner, Scope& scope) {
  const std::string n = fresh("n");
  line(*owner.scope, "const long long " + n + " = " + length(s->bases[0], owner) + ";");
  size_t number = aligned_.size();
  for (size_t i = 0; i < aligned_.size(); i++) {
    if (aligned_[i] == s) number = i;
  }
  if (number == aligned_.size()) aligned_.push_back(s);
  for (size_t b = 1; b < s->bases.size(); b++) {
    const Text other = length(s->bases[b], owner);
    const Text fail = prelude_call("sr_fail_lengths",
                                   {error_field, std::to_string(number), row(owner), n, other});
    line(scope, "if (" + other + " != " + n + ") { " + fail + "; " + leave(scope) + " }");
  }
  return n;
}

void Emitter::each_aligned(const SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                           const Body& body) {
  const std::string n = check_lengths(s, owner, scope);
  Scope inner = inside(scope);
  const std::string j = fresh("j");
  Cursor& k = cursor(s, &owner, &inner);
  k.local = j;
  for (const auto& b : s->bases)
    k.links.push_back(is_plain(*b) ? &at_index(b, owner, inner, j) : nullptr);
  body(k, inner);
  close(scope, head("long long", j, loop(share, "0", n, scope)), inner);
}

}  // namespace serrate::cuda
