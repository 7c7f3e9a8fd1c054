// Loops over spaces as CUDA text: see emit.h.
#include <algorithm>
#include <cmath>

#include "cuda/emit.h"
#include "cuda/facts.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

bool is_plain(const Space& s) {
  return s.kind == SpaceKind::rows || s.kind == SpaceKind::list || s.kind == SpaceKind::fixed;
}

Cursor& Emitter::cursor(const SpaceRef& s, Cursor* owner, Scope* scope) {
  Cursor& k = cursors_.emplace_back();
  k.space = s;
  k.id = static_cast<int>(cursors_.size());
  k.owner = owner;
  k.scope = scope;
  return k;
}

Cursor& Emitter::unit_cursor(Scope& scope) {
  Cursor& k = cursor(unit(), nullptr, &scope);
  k.domain = k.local = "0ll";
  for (const auto& [column, text] : unit_results) remember(column, k, scope, text);
  return k;
}

std::string Emitter::counter(Scope& scope) {
  std::string name = fresh("c");
  line(scope, "long long " + name + " = 0;");
  return name;
}

const std::string* Emitter::find(const std::vector<Known>& known, const void* of, int owner) {
  const auto k = std::find_if(known.begin(), known.end(),
                              [&](const Known& x) { return x.of == of && x.owner == owner; });
  return k == known.end() ? nullptr : &k->text;
}

bool Emitter::is_in_int(const SpaceRef& s) { return is_stored(s) && facts_of(s).fits_int; }

std::string Emitter::length(const SpaceRef& s, Cursor& owner, bool narrow) {
  if (const std::string* n = find(lengths_, s.get(), owner.id))
    return narrow ? *n : "(long long)" + *n;
  if (s->kind == SpaceKind::combinations && is_ranked(*s)) {
    const std::string n = length(s->bases[0], owner, narrow);
    return narrow ? "(int)((unsigned)(" + n + " * (" + n + " - 1)) / 2)"
                  : "(" + n + " * (" + n + " - 1) / 2)";
  }
  if (s->kind == SpaceKind::cartesian) {
    std::string n = narrow ? "(1" : "(1ll";
    for (const auto& b : s->bases) n += " * " + length(b, owner, narrow);
    return n + ")";
  }
  if (s->kind == SpaceKind::aligned && is_ranked(*s)) {
    // Of lists that differ one item at least is walked, and they are found to differ.
    std::string longest = length(s->bases[0], owner, narrow);
    for (size_t b = 1; b < s->bases.size(); b++)
      longest = "max(" + longest + ", " + length(s->bases[b], owner, narrow) + ")";
    return longest;
  }
  if (!is_plain(*s)) {
    // Their text may ask for other lengths, which are noted here too.
    ColumnRef n;
    for (const auto& [space, column] : counts_) {
      if (space == s) n = column;
    }
    if (!n) {
      n = count(s);
      counts_.emplace_back(s, n);
    }
    return integer(n, owner, *owner.scope);
  }
  if (s->kind != SpaceKind::list) {
    // The size of a space is no part of the structure; its address in the nest stands for it.
    const std::string* v = nullptr;
    for (const auto& [space, text] : sizes_) {
      if (space == s.get()) v = &text;
    }
    if (v != nullptr) return *v;
    sizes_.emplace_back(s.get(), a_.number(Source::size, *s));
    return sizes_.back().second;
  }
  const std::string stop = integer(s->stops, owner, *owner.scope);
  const std::string start = integer(s->starts, owner, *owner.scope);
  return (narrow ? "(int)(" : "(") + stop + " - " + start + ")";
}

Cursor& Emitter::at_index(const SpaceRef& s, Cursor& owner, Scope& scope, const std::string& local,
                          bool narrow) {
  Cursor& k = cursor(s, &owner, &scope);
  k.local = narrow ? "(long long)" + local : local;
  if (s->kind == SpaceKind::rows) {
    k.domain = k.local;
    return k;
  }
  const std::string* const begin = find(begins_, s->starts.get(), owner.id);
  const auto start = [&] { return integer(s->starts, owner, *owner.scope); };
  if (begin != nullptr || (narrow && is_in_int(s))) {
    k.domain = fresh("i");
    line(scope, "const int " + k.domain + " = " + (begin != nullptr ? *begin : "(int)" + start()) +
                    " + (int)" + local + ";");
    k.domain.insert(0, "(long long)");
  } else if (narrow) {
    k.base = start();
    k.offset = local;
    k.domain = "(" + k.base + " + " + k.offset + ")";
  } else {
    k.domain = fresh("i");
    line(scope, "const long long " + k.domain + " = " + start() + " + " + local + ";");
  }
  return k;
}

Emitter::Loop Emitter::loop(const Share& share, const std::string& begin, const std::string& end,
                            Scope& scope) {
  if (!share.active()) return {begin, end, "1"};
  const bool at_zero = begin == "0" || begin == "0ll";
  if (!share.in_order)
    return {at_zero ? share.first : begin + " + " + share.first, end, share.step};
  const std::string n = fresh("n"), from = fresh("n");
  line(scope, "const long long " + n + " = (" + end + " - (" + begin + ") + " + share.step +
                  " - 1) / " + share.step + ";");
  line(scope, "const long long " + from + " = " + begin + " + " + share.first + " * " + n + ";");
  return {from, "min((long long)(" + end + "), " + from + " + " + n + ")", "1"};
}

std::string Emitter::head(const std::string& type, const std::string& i, const Loop& l) {
  return "for (" + type + " " + i + " = " + l.from + "; " + i + " < " + l.end + "; " +
         (l.step == "1" ? "++" + i : i + " += " + l.step) + ")";
}

void Emitter::each_plain(const SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                         const Body& body, Cursor* after, bool with_it) {
  Scope& out = *owner.scope;  // bounds are the owner's
  const std::string start = s->kind == SpaceKind::rows ? "0ll" : integer(s->starts, owner, out);
  const std::string stop = s->kind == SpaceKind::list   ? integer(s->stops, owner, out)
                           : s->kind == SpaceKind::rows ? length(s, owner)
                                                        : start + " + " + length(s, owner);
  Scope inner = inside(scope);
  Cursor& k = cursor(s, &owner, &inner);
  k.domain = fresh("i");
  const std::string& end = share.end.empty() ? stop : share.end;
  const Loop l = after != nullptr
                     ? Loop{with_it ? after->domain : after->domain + " + 1", end, "1"}
                     : loop(share, share.begin.empty() ? start : share.begin, end, scope);
  if (s->kind == SpaceKind::rows) {
    k.local = k.domain;
  } else {
    k.local = "(" + k.domain + " - " + start + ")";
  }
  body(k, inner);
  if (!share.divide.empty()) {
    const std::string j = fresh("j"), steps = fresh("n"), by = "(" + share.step + ")";
    Scope counted = inside(scope);
    line(counted, "const long long " + k.domain + " = " + l.from + " + " + j + " * " + by + ";");
    counted.code += inner.code;
    const std::string type = share.narrow ? "int " : "long long ";
    line(scope, "const " + type + steps + " = " + (share.narrow ? "(int)" : "") + "((" + end +
                    " - (" + l.from + ") + " + by + " - 1) " + share.divide + ");");
    line(scope, "#pragma unroll " + std::to_string(share.unroll));
    close(scope, "for (" + type + j + " = 0; " + j + " < " + steps + "; ++" + j + ")", counted);
    return;
  }
  close(scope, head("long long", k.domain, l), inner);
}

void Emitter::filter(const SpaceRef& s, Cursor& base, Scope& scope, const std::string& counter,
                     const Body& body) {
  const std::string condition = value(s->predicate, base, scope);
  Scope inner = inside(scope);
  Cursor& k = cursor(s, base.owner, &inner);
  k.links = {&base};
  k.local = counter;
  body(k, inner);
  if (!counter.empty()) line(inner, "++" + counter + ";");
  close(scope, "if (" + condition + ")", inner);
}

void Emitter::each(const SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                   const Body& body, Cursor* after, bool with_it) {
  if (after != nullptr && !is_plain(*s) && s->kind != SpaceKind::select) {
    // All of them, but for the first ones.
    each(s, owner, scope, share, [&](Cursor& item, Scope& in) {
      Scope behind = inside(in);
      item.scope = &behind;
      body(item, behind);
      close(in, "if (" + item.local + (with_it ? " >= " : " > ") + after->local + ")", behind);
    });
    return;
  }
  switch (s->kind) {
    case SpaceKind::unit:
      break;
    case SpaceKind::rows:
    case SpaceKind::list:
    case SpaceKind::fixed:
      each_plain(s, owner, scope, share, body, after, with_it);
      break;
    case SpaceKind::select: {
      const std::string n = share.active() ? "" : after != nullptr ? "" : counter(scope);
      each(
          s->bases[0], owner, scope, share,
          [&](Cursor& base, Scope& in) { filter(s, base, in, n, body); },
          after != nullptr ? after->links[0] : nullptr, with_it);
      break;
    }
    case SpaceKind::flat: {
      const std::string n = share.active() ? "" : counter(scope);
      each(s->bases[0]->parent, owner, scope, share, [&](Cursor& list, Scope& in) {
        each(s->bases[0], list, in, {}, [&](Cursor& item, Scope& in2) {
          Cursor& k = cursor(s, &owner, &in2);
          k.links = {&item};
          k.local = n;
          body(k, in2);
          if (!n.empty()) line(in2, "++" + n + ";");
        });
      });
      break;
    }
    case SpaceKind::combinations:
      if (share.active() && is_ranked(*s)) {
        const bool narrow = counts_in_int(*s, 1);
        const std::string type = narrow ? "int" : "long long";
        const std::string p = fresh("p"), n = fresh("n");
        line(*owner.scope, "const " + type + " " + n + " = " + length(s, owner, narrow) + ";");
        Scope inner = inside(scope);
        ranked(s, owner, inner, p, narrow, body);
        close(scope, head(type, p, loop(share, "0", n, scope)), inner);
        break;
      }
      [[fallthrough]];
    case SpaceKind::cartesian: {
      std::vector<Cursor*> chosen;
      each_tuple(s, owner, scope, share, chosen, share.active() ? "" : counter(scope), body);
      break;
    }
    case SpaceKind::aligned:
      each_aligned(s, owner, scope, share, body);
  }
}

bool Emitter::is_ranked(const Space& s) {
  if (is_plain(s)) return true;
  const bool tuples = s.kind == SpaceKind::cartesian || s.kind == SpaceKind::aligned ||
                      (s.kind == SpaceKind::combinations && s.k == 2 && !s.replacement);
  return tuples && std::all_of(s.bases.begin(), s.bases.end(),
                               [](const SpaceRef& b) { return is_plain(*b); });
}

bool Emitter::counts_in_int(const Space& s, int lists) {
  if (is_plain(s)) {
    const double n = facts_of(SpaceRef(&s)).longest;
    return s.kind == SpaceKind::list && n >= 0 && n * lists < 1e9;
  }
  double tuples = lists;
  for (const SpaceRef& b : s.bases) {
    const double n = facts_of(b).longest;
    if (b->kind != SpaceKind::list || n < 0) return false;
    tuples *= s.kind == SpaceKind::combinations ? std::pow(n, s.k) : n;
  }
  return !s.bases.empty() && tuples < 1e9;
}

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
    indexes = {fresh("p"), fresh("p")};
    line(scope, type + " " + indexes[0] + ", " + indexes[1] + ";");
    line(scope, std::string(is_few ? "sr_short_pair(" : "sr_pair(") + i + ", " +
                    length(s->bases[0], owner, narrow) + ", " + indexes[0] + ", " + indexes[1] +
                    ");");
  } else {
    // The last one varies fastest.
    std::string rest = i;
    for (size_t b = s->bases.size(); b-- > 0;) {
      const std::string j = fresh("p"), n = length(s->bases[b], owner, narrow);
      if (b == 0) {
        line(scope, "const " + type + " " + j + " = " + rest + ";");
      } else if (const std::string q = fresh("p"); is_few) {
        line(scope, "const int " + q + " = sr_short_ratio(" + rest + ", " + n + "), " + j + " = " +
                        rest + " - " + q + " * " + n + ";");
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
void Emitter::each_tuple(const SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                         std::vector<Cursor*>& chosen, const std::string& counter,
                         const Body& body) {
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
        each_tuple(s, owner, inner, {}, chosen, counter, body);
        chosen.pop_back();
      },
      combinations && m > 0 ? chosen.back() : nullptr, s->replacement);
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
    const std::string other = length(s->bases[b], owner);
    line(scope, "if (" + other + " != " + n + ") { sr_fail_lengths(" + error_field + ", " +
                    std::to_string(number) + ", " + row(owner) + ", " + n + ", " + other + "); " +
                    leave + " }");
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
