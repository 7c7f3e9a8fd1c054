// Loops over spaces as CUDA text: see emit.h.
#include <algorithm>

#include "cuda/codegen/emit.h"
#include "cuda/schedule/facts.h"
#include "graph/evaluate.h"
#include "graph/store.h"

namespace serrate::cuda {

using namespace graph;

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

std::string Emitter::number(Source::Kind kind, const Space& of) {
  for (const Number& x : numbers_) {
    if (x.of == &of && x.kind == kind) return x.text;
  }
  return numbers_.emplace_back(Number{&of, kind, a_.number(kind, of)}).text;
}

Text Emitter::length(const SpaceRef& s, Cursor& owner, bool narrow) {
  if (const std::string* n = find(lengths_, s.get(), owner.id))
    return narrow ? *n : "(long long)" + *n;
  if (s->kind == SpaceKind::combinations && is_ranked(*s)) {
    const Text n = length(s->bases[0], owner, narrow);
    const Text pairs =
        narrow ? "(unsigned)(" + n + " * (" + n + " - 1)) / 2" : n + " * (" + n + " - 1) / 2";
    const Text tuples = s->k == 2 ? pairs : pairs + " * (" + n + " - 2) / 3";
    return (narrow ? "(int)(" : "(") + tuples + ")";
  }
  if (s->kind == SpaceKind::cartesian) {
    Text n = narrow ? "(1" : "(1ll";
    for (const auto& b : s->bases) n += " * " + length(b, owner, narrow);
    return n + ")";
  }
  if (s->kind == SpaceKind::aligned && is_ranked(*s)) {
    // Of lists that differ one item at least is walked, and they are found to differ.
    Text longest = length(s->bases[0], owner, narrow);
    for (size_t b = 1; b < s->bases.size(); b++)
      longest = "max(" + longest + ", " + length(s->bases[b], owner, narrow) + ")";
    return longest;
  }
  const SpaceRef* const joined = joined_items(*s);
  if (joined != nullptr && size_at_hand(*joined) >= 0) return number(Source::items, **joined);
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
  if (s->kind != SpaceKind::list) return number(Source::size, *s);
  const Text stop = integer(s->stops, owner, *owner.scope);
  const Text start = integer(s->starts, owner, *owner.scope);
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
    k.domain = "(long long)" + k.domain;
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

Emitter::Loop Emitter::loop(const Share& share, const Text& begin, const Text& end, Scope& scope) {
  if (!share.active()) return {begin, end, "1"};
  const bool at_zero = begin == "0" || begin == "0ll";
  if (!share.in_order)
    return {at_zero ? Text(share.first) : begin + " + " + share.first, end, share.step};
  const std::string n = fresh("n"), from = fresh("n");
  line(scope, "const long long " + n + " = (" + end + " - (" + begin + ") + " + share.step +
                  " - 1) / " + share.step + ";");
  line(scope, "const long long " + from + " = " + begin + " + " + share.first + " * " + n + ";");
  return {from, "min((long long)(" + end + "), " + from + " + " + n + ")", "1"};
}

Text Emitter::head(const std::string& type, const Text& i, const Loop& l) {
  return "for (" + type + " " + i + " = " + l.from + "; " + i + " < " + l.end + "; " +
         (l.step == "1" ? "++" + i : i + " += " + l.step) + ")";
}

void Emitter::each_plain(const SpaceRef& s, Cursor& owner, Scope& scope, const Share& share,
                         const Body& body, Cursor* after, bool with_it) {
  Scope& out = *owner.scope;  // bounds are the owner's
  const Text start = s->kind == SpaceKind::rows ? "0ll" : integer(s->starts, owner, out);
  const Text stop = s->kind == SpaceKind::list   ? integer(s->stops, owner, out)
                    : s->kind == SpaceKind::rows ? length(s, owner)
                                                 : start + " + " + length(s, owner);
  Scope inner = inside(scope);
  Cursor& k = cursor(s, &owner, &inner);
  k.domain = fresh("i");
  const Text end = share.end.empty() ? stop : Text(share.end);
  const Loop l = after != nullptr
                     ? Loop{with_it ? after->domain : after->domain + " + 1", end, "1"}
                     : loop(share, share.begin.empty() ? start : Text(share.begin), end, scope);
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
    counted.code.append(inner.code);
    const std::string type = share.narrow ? "int " : "long long ";
    line(scope, "const " + type + steps + " = " + (share.narrow ? "(int)" : "") + "((" + end +
                    " - (" + l.from + ") + " + by + " - 1) " + share.divide + ");");
    const std::string unroll = std::to_string(share.unroll);
    if (share.straight) {
      // Rounds of 8, 4, 2 and 1 steps without conditions: all reads of one are on their way
      // together.
      const std::string i = fresh("j");
      line(scope, type + i + " = 0;");
      for (int round = share.unroll; round > 0; round /= 2) {
        const std::string by = std::to_string(round);
        Scope several = inside(scope), one = inside(several);
        line(several, "#pragma unroll");
        line(one, "const " + type + j + " = " + i + " + u;");
        one.code.append(counted.code);
        close(several, "for (int u = 0; u < " + by + "; u++)", one);
        line(several, i + " += " + by + ";");
        const char* const head = round == share.unroll ? "while (" : "if (";
        close(scope, head + i + " + " + by + " <= " + steps + ")", several);
      }
      return;
    }
    line(scope, "#pragma unroll " + unroll);
    close(scope, "for (" + type + j + " = 0; " + j + " < " + steps + "; ++" + j + ")", counted);
    return;
  }
  // The compiler would do four items of an inner list at a time: of few items most of that is the
  // rest, which lanes with lists of other lengths then do one after the other. Reads alone are
  // better on their way together.
  constexpr double kFew = 8;
  constexpr size_t kMuch = 10;
  if (!share.active() && s->depth > 2 && average_items(s) < kFew && inner.code.lines() >= kMuch)
    line(scope, "#pragma unroll 1");
  close(scope, head("long long", k.domain, l), inner);
}

void Emitter::filter(const SpaceRef& s, Cursor& base, Scope& scope, const Text& counter,
                     const Body& body) {
  const Text condition = value(s->predicate, base, scope);
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
      close(in, "if (" + local(item) + (with_it ? " >= " : " > ") + local(*after) + ")", behind);
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
      std::string n;
      if (after == nullptr && !share.active()) n = counter(scope);
      if (after != nullptr && !after->local.empty()) {
        n = fresh("c");
        line(scope, "long long " + n + " = " + after->local + (with_it ? ";" : " + 1;"));
      }
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

}  // namespace serrate::cuda
