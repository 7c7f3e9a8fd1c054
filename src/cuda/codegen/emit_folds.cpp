// Reductions as CUDA text: accumulators, one item more, and two of them joined.
//
// As on the CPU: min and max pass over NaN; argmin and argmax take the first item whatever it is
// and then strictly better ones, so that a NaN in front stays. Where not all items take part,
// threads that see parts of a list keep the first one's index apart, and what else is best without
// NaN.
#include <stdexcept>

#include "core/types/reducer_info.h"
#include "cuda/codegen/emit.h"
#include "cuda/codegen/functions.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

namespace {

/// The condition under which the second beats the first.
Text better(const Column& c, DType t, const Text& x, const Text& than) {
  const DType types[] = {t, t};
  const Text args[] = {x, than};
  return op_text(info(c.reducer).is_least() ? Op::less : Op::greater, types, args);
}

/// A state joined with another one, or with an item in the state's type, where neither has an
/// index.
Text joined(const Accumulator& acc, DType t, const Text& x) {
  const Column& c = *acc.column;
  const ReducerInfo& row = info(c.reducer);
  if (row.join == Op::logical_or) return acc.name + " |= " + x + ";";
  if (row.join == Op::logical_and) return acc.name + " &= " + x + ";";
  if (row.result == ReducerInfo::Result::count) return acc.name + " += " + x + ";";
  if (row.is_extreme())
    return acc.name + " = " + better(c, t, x, acc.name) + " ? " + x + " : " + acc.name + ";";
  const DType types[] = {t, t};
  const Text args[] = {acc.name, x};
  return acc.name + " = " + op_text(row.join, types, args) + ";";
}

}  // namespace

std::string_view Emitter::value_type(const Column* c) { return type_text(accumulator_type(*c)); }

Text Emitter::result(const Accumulator& acc) {
  if (!acc.first.empty())
    return prelude_call("sr_first_or", {acc.first, "(long long)" + acc.index});
  if (!acc.index.empty()) return acc.narrow ? "(long long)" + acc.index : acc.index;
  const DType t = accumulator_type(*acc.column);
  if (t == acc.column->dtype) return acc.name;
  return cast_text(t, acc.column->dtype, acc.name);
}

std::vector<Text> Accumulator::variables() const {
  std::vector<Text> out{name};
  if (!index.empty()) out.push_back(index);
  if (!first.empty()) out.push_back(first);
  for (const auto& [pick, value] : carried) out.push_back(value);
  return out;
}

Accumulator Accumulator::of(const Text& variable) const {
  Accumulator out = *this;
  out.name = variable + "." + name;
  if (!index.empty()) out.index = variable + "." + index;
  if (!first.empty()) out.first = variable + "." + first;
  for (auto& [pick, value] : out.carried) value = variable + "." + value;
  return out;
}

void Emitter::remember(const Accumulator& acc, const Cursor& owner, Scope& scope) {
  remember(acc.column, owner, scope, result(acc));
  for (const auto& [pick, value] : acc.carried) remember(pick, owner, scope, value);
}

Accumulator Emitter::declare(const Column* c, Scope& scope) {
  const Text name = fresh("s"), index = has_index(*c) ? Text(fresh("s")) : "";
  Accumulator acc{c, name, index};
  acc.whole = true;
  return declare_as(std::move(acc), scope);
}

Accumulator Emitter::declare_as(Accumulator acc, Scope& scope) {
  const Column& c = *acc.column;
  const bool counts = info(c.reducer).result == ReducerInfo::Result::count;
  const Text nothing = counts ? "0" : literal(identity(c.reducer, accumulator_type(c)));
  line(scope, std::string(value_type(&c)) + " " + acc.name + " = " + nothing + ";");
  if (!has_index(c)) acc.index = {};
  if (!has_index(c)) return acc;
  line(scope, (acc.narrow ? "int " : "long long ") + acc.index + " = -1;");
  if (!acc.whole && keeps_first(nest_, c)) {
    acc.first = acc.index + "_first";
    line(scope, "unsigned long long " + acc.first + " = ~0ull;");
  }
  for (const Column* pick : nest_.carried(c)) {
    acc.carried.emplace_back(pick, acc.index + "_" + std::to_string(acc.carried.size()));
    line(scope, std::string(type_text(pick->dtype)) + " " + acc.carried.back().second + " = " +
                    zero(pick->dtype) + ";");
  }
  return acc;
}

const Column* Emitter::first_like(const Column* reduction) {
  for (const Column* c : reductions_) {
    if (c == reduction || same(ColumnRef(c), ColumnRef(reduction))) return c;
  }
  reductions_.push_back(reduction);
  return reduction;
}

void Emitter::update(const Accumulator& acc, Cursor& item, Scope& scope) {
  const Column& c = *acc.column;
  Scope* s = &scope;
  Scope inner = inside(scope);
  Text condition;
  if (c.args[1]) {
    condition = value(c.args[1], item, scope);
    s = &inner;
  }
  if (!c.args[0]) {
    line(*s, "++" + acc.name + ";");
  } else {
    const DType from = c.args[0]->dtype, to = accumulator_type(c);
    const Text v = value(c.args[0], item, *s);
    const auto converted = [&](DType t) { return from == t ? v : cast_text(from, t, v); };
    switch (info(c.reducer).item) {
      case ReducerInfo::Item::value:
        line(*s, joined(acc, to, info(c.reducer).is_extreme() ? v : converted(to)));
        break;
      case ReducerInfo::Item::truth:
        line(*s, joined(acc, to, converted(DType::boolean)));
        break;
      case ReducerInfo::Item::one:
        line(*s, "++" + acc.name + ";");
        break;
      case ReducerInfo::Item::index: {
        const Text& index = local(item);
        // The first item that a thread sees stays, if it is NaN, only as the first of its list.
        const bool nan =
            (is_floating(to) || is_complex(to)) && !c.args[1] && !begins_lists && !acc.whole;
        const Text is_nan =
            nan || !acc.first.empty() ? prelude_call("sr_is_nan", {acc.name}) : Text();
        Text unusable;
        if (nan) unusable = " | ((" + acc.index + " > 0) & " + is_nan + ")";
        if (!acc.first.empty()) {
          unusable = " | " + is_nan;
          line(*s, acc.first + " = " +
                       prelude_call("sr_earlier", {acc.first, v, "(unsigned long long)" + index}) +
                       ";");
        }
        const std::string t = fresh("t");
        line(*s, "const bool " + t + " = (" + acc.index + " < 0) | " + better(c, to, v, acc.name) +
                     unusable + ";");
        Scope taken = inside(*s);
        std::vector<std::pair<Text, Text>> now{
            {acc.name, v}, {acc.index, acc.narrow ? "(int)(" + index + ")" : index}};
        for (const auto& [pick, carried] : acc.carried)
          now.emplace_back(carried, value(pick->args[0], item, taken));
        // Without branches the reads of several items are on their way together.
        const bool branches = taken.code.lines() > 0;
        for (const auto& [variable, x] : now)
          line(branches ? taken : *s,
               (branches ? "" : "if (" + t + ") ") + variable + " = " + x + ";");
        if (branches) close(*s, "if (" + t + ")", taken);
        break;
      }
    }
  }
  if (!condition.empty()) close(scope, "if (" + condition + ")", inner);
}

void Emitter::settle(Accumulator& acc, Scope& scope) const {
  const Column& c = *acc.column;
  const DType t = accumulator_type(c);
  if (!has_index(c) || is_complex(t) || order_matters(nest_, c)) return;
  acc.settled = true;
  if (!is_floating(t)) return;
  // NaN beats all as the first item of its list; else that item is at least as good as the worst.
  const bool least = info(c.reducer).is_least();
  const Text best = literal(identity(least ? Reducer::max : Reducer::min, t));
  const Text worst = literal(identity(least ? Reducer::min : Reducer::max, t));
  const Text counts = acc.first.empty() ? acc.index + " == 0 ? " + best + " : " : Text();
  line(scope, "if (" + prelude_call("sr_is_nan", {acc.name}) + ") " + acc.name + " = " + counts +
                  worst + ";");
}

void Emitter::join(Scope& s, const Accumulator& acc, const Accumulator& state) {
  const Column& c = *acc.column;
  const DType t = accumulator_type(c);
  const Text &other = state.name, &index = state.index;
  if (!has_index(c)) return line(s, joined(acc, t, other));
  if (!acc.first.empty())
    line(s,
         "if (" + state.first + " < " + acc.first + ") " + acc.first + " = " + state.first + ";");
  const auto number = [&](const Text& i) {  // none is behind all
    return (acc.narrow ? "(unsigned)" : "(unsigned long long)") + i;
  };
  Text taken = "{ " + acc.name + " = " + other + "; " + acc.index + " = " + index + "; ";
  for (size_t i = 0; i < acc.carried.size(); i++)
    taken += acc.carried[i].second + " = " + state.carried[i].second + "; ";
  taken += "}";
  if (acc.settled) {
    line(s, "if (" + better(c, t, other, acc.name) + " | (!" + better(c, t, acc.name, other) +
                " & (" + number(index) + " < " + number(acc.index) + "))) " + taken);
    return;
  }
  // The better one; of equals the earlier. NaN counts only as the first item of its list.
  const bool nan = is_floating(t) || is_complex(t);
  const bool stays = nan && acc.first.empty();
  const Text mine = stays ? prelude_call("sr_stays", {acc.name, acc.index}) : "false";
  const Text theirs = stays ? prelude_call("sr_stays", {other, index}) : "false";
  const Text unusable = nan ? " || " + prelude_call("sr_is_nan", {acc.name}) : "";
  const Text usable = nan ? " && !" + prelude_call("sr_is_nan", {other}) : "";
  line(s, "if (!" + mine + " && " + index + " >= 0 && (" + theirs + " || ((" + acc.index + " < 0" +
              unusable + " || " + better(c, t, other, acc.name) + " || (" + index + " < " +
              acc.index + " && !" + better(c, t, acc.name, other) + "))" + usable + "))) " + taken);
}

Text Emitter::reduction(const ColumnRef& c, Cursor& k) {
  Scope& s = *k.scope;
  if (k.space->kind == SpaceKind::unit) {
    for (const auto& [column, text] : unit_results) {
      if (same(ColumnRef(column), c)) return text;
    }
    throw std::logic_error("cuda: a reduction of everything is read before it is made");
  }
  // Tuples need no walk to be counted.
  if (is_count_of_ranked(*c)) return length(c->over, k);
  const Accumulator acc = declare(c.get(), s);
  each(c->over, k, s, {}, [&](Cursor& item, Scope& inner) { update(acc, item, inner); });
  remember(acc, k, s);
  return result(acc);
}

Text Emitter::carried(const Column& pick, Cursor& k, Scope& into) {
  value(pick.args[1], k, into);  // the fold, where it is not done yet
  if (pick.args[2]) value(pick.args[2], k, into);
  const Cursor* owner = &k;
  while (owner->space->depth >= pick.over->depth) owner = owner->owner;
  return *known(nest_.first_carried(pick), *owner, owner == &k ? into : *owner->scope);
}

}  // namespace serrate::cuda
