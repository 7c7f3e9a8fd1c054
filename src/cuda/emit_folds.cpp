// Reductions as CUDA text: accumulators, one item more, and two of them joined.
//
// As on the CPU: min and max pass over NaN; argmin and argmax take the first item whatever it is
// and then strictly better ones, so that a NaN in front stays.
#include "cuda/emit.h"
#include "cuda/functions.h"
#include "serrate/error.h"

namespace serrate::cuda {

using namespace graph;

namespace {

bool is_argument(const Column& c) {
  return c.reducer == Reducer::argmin || c.reducer == Reducer::argmax;
}
bool is_count(const Column& c) {
  return c.reducer == Reducer::count || c.reducer == Reducer::count_nonzero;
}

/// Sums of float16 are kept in float32 until they are looked at.
DType accumulator_type(const Column& c) {
  const DType t = is_argument(c) ? c.args[0]->dtype : c.dtype;
  if (is_time(t)) return DType::int64;  // NaT is the lowest
  const bool adds = c.reducer == Reducer::sum || c.reducer == Reducer::prod;
  return adds && t == DType::float16 ? DType::float32 : t;
}

/// The condition under which the second beats the first.
std::string better(const Column& c, DType t, const std::string& x, const std::string& than) {
  const bool less = c.reducer == Reducer::min || c.reducer == Reducer::argmin;
  const DType types[] = {t, t};
  const std::string_view args[] = {x, than};
  std::string out;
  append_op(out, less ? Op::less : Op::greater, types, args);
  return out;
}

std::string added(Op op, DType t, const std::string& x, const std::string& y) {
  const DType types[] = {t, t};
  const std::string_view args[] = {x, y};
  std::string out;
  append_op(out, op, types, args);
  return out;
}

}  // namespace

std::string_view Emitter::value_type(const Column* c) { return type_text(accumulator_type(*c)); }
bool Emitter::has_index(const Column* c) { return is_argument(*c); }

std::string Emitter::result(const Accumulator& acc) {
  if (!acc.index.empty()) return acc.index;
  const DType t = accumulator_type(*acc.column);
  if (t == acc.column->dtype) return acc.name;
  std::string out;
  append_cast(out, t, acc.column->dtype, acc.name);
  return out;
}

Accumulator Emitter::declare(const Column* c, Scope& scope, bool narrow) {
  Accumulator acc{c, fresh("s"), {}, narrow};
  std::string identity;
  if (is_count(*c)) {
    identity = "0";
  } else {
    const Reducer r = c->reducer == Reducer::argmin   ? Reducer::min
                      : c->reducer == Reducer::argmax ? Reducer::max
                                                      : c->reducer;
    append_identity(identity, r, accumulator_type(*c));
  }
  line(scope, std::string(value_type(c)) + " " + acc.name + " = " + identity + ";");
  if (is_argument(*c)) {
    acc.index = fresh("s");
    line(scope, (narrow ? "int " : "long long ") + acc.index + " = -1;");
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
  std::string condition;
  if (c.args[1]) {
    condition = value(c.args[1], item, scope);
    s = &inner;
  }
  if (!c.args[0]) {
    line(*s, "++" + acc.name + ";");
  } else {
    const DType from = c.args[0]->dtype, to = accumulator_type(c);
    std::string v = value(c.args[0], item, *s);
    auto converted = [&](DType t) {
      if (from == t) return v;
      std::string out;
      append_cast(out, from, t, v);
      return out;
    };
    switch (c.reducer) {
      case Reducer::sum:
        line(*s, acc.name + " = " + added(Op::add, to, acc.name, converted(to)) + ";");
        break;
      case Reducer::prod:
        line(*s, acc.name + " = " + added(Op::multiply, to, acc.name, converted(to)) + ";");
        break;
      case Reducer::min:
      case Reducer::max:
        line(*s,
             acc.name + " = " + better(c, to, v, acc.name) + " ? " + v + " : " + acc.name + ";");
        break;
      case Reducer::any:
        line(*s, acc.name + " |= " + converted(DType::boolean) + ";");
        break;
      case Reducer::all:
        line(*s, acc.name + " &= " + converted(DType::boolean) + ";");
        break;
      case Reducer::count_nonzero:
        line(*s, acc.name + " += " + converted(DType::boolean) + ";");
        break;
      case Reducer::count:
        line(*s, "++" + acc.name + ";");
        break;
      case Reducer::argmin:
      case Reducer::argmax: {
        const std::string index = item.local.empty() ? throw OrderMatters{} : item.local;
        // The first item that a thread sees stays, if it is NaN, only as the first of its list.
        const bool nan = (is_floating(to) || is_complex(to)) && !c.args[1] && !begins_lists;
        const std::string unusable =
            nan ? " | ((" + acc.index + " > 0) & sr_is_nan(" + acc.name + "))" : "";
        // Without branches: the reads of several items are on their way together.
        line(*s, "{ const bool t = (" + acc.index + " < 0) | " + better(c, to, v, acc.name) +
                     unusable + "; if (t) " + acc.name + " = " + v + "; if (t) " + acc.index +
                     " = " + (acc.narrow ? "(int)(" + index + ")" : index) + "; }");
        break;
      }
    }
  }
  if (!condition.empty()) close(scope, "if (" + condition + ")", inner);
}

bool Emitter::order_matters(const Column* c) {
  // A NaN in front stays only where the one in front is known.
  return is_argument(*c) && (is_floating(c->args[0]->dtype) || is_complex(c->args[0]->dtype)) &&
         c->args[1];
}

void Emitter::settle(Accumulator& acc, Scope& scope) {
  const Column& c = *acc.column;
  const DType t = accumulator_type(c);
  if (!is_argument(c) || is_complex(t) || (is_floating(t) && c.args[1])) return;
  acc.settled = true;
  if (!is_floating(t)) return;
  // NaN beats all as the first item of its list; else that item is at least as good as the worst.
  std::string best, worst;
  append_identity(c.reducer == Reducer::argmax ? best : worst, Reducer::min, t);
  append_identity(c.reducer == Reducer::argmax ? worst : best, Reducer::max, t);
  line(scope, "if (sr_is_nan(" + acc.name + ")) " + acc.name + " = " + acc.index + " == 0 ? " +
                  best + " : " + worst + ";");
}

void Emitter::join(Scope& s, const Accumulator& acc, const std::string& other,
                   const std::string& index) {
  const Column& c = *acc.column;
  const DType t = accumulator_type(c);
  switch (c.reducer) {
    case Reducer::sum:
      line(s, acc.name + " = " + added(Op::add, t, acc.name, other) + ";");
      break;
    case Reducer::prod:
      line(s, acc.name + " = " + added(Op::multiply, t, acc.name, other) + ";");
      break;
    case Reducer::min:
    case Reducer::max:
      line(s, acc.name + " = " + better(c, t, other, acc.name) + " ? " + other + " : " + acc.name +
                  ";");
      break;
    case Reducer::any:
      line(s, acc.name + " |= " + other + ";");
      break;
    case Reducer::all:
      line(s, acc.name + " &= " + other + ";");
      break;
    case Reducer::count:
    case Reducer::count_nonzero:
      line(s, acc.name + " += " + other + ";");
      break;
    case Reducer::argmin:
    case Reducer::argmax: {
      const auto number = [&](const std::string& i) {  // none is behind all
        return (acc.narrow ? "(unsigned)" : "(unsigned long long)") + i;
      };
      if (acc.settled) {
        line(s, "if (" + better(c, t, other, acc.name) + " | (!" + better(c, t, acc.name, other) +
                    " & (" + number(index) + " < " + number(acc.index) + "))) { " + acc.name +
                    " = " + other + "; " + acc.index + " = " + index + "; }");
        break;
      }
      // The better one; of equals the earlier. NaN counts only as the first item of its list.
      const bool nan = is_floating(t) || is_complex(t);
      const std::string mine = nan ? "sr_stays(" + acc.name + ", " + acc.index + ")" : "false";
      const std::string theirs = nan ? "sr_stays(" + other + ", " + index + ")" : "false";
      const std::string unusable = nan ? " || sr_is_nan(" + acc.name + ")" : "";
      const std::string usable = nan ? " && !sr_is_nan(" + other + ")" : "";
      line(s, "if (!" + mine + " && " + index + " >= 0 && (" + theirs + " || ((" + acc.index +
                  " < 0" + unusable + " || " + better(c, t, other, acc.name) + " || (" + index +
                  " < " + acc.index + " && !" + better(c, t, acc.name, other) + "))" + usable +
                  "))) { " + acc.name + " = " + other + "; " + acc.index + " = " + index + "; }");
    }
  }
}

std::string Emitter::reduction(const ColumnRef& c, Cursor& k) {
  Scope& s = *k.scope;
  if (k.space->kind == SpaceKind::unit) {
    for (const auto& [column, text] : unit_results) {
      if (same(ColumnRef(column), c)) return text;
    }
    throw ComesFirst{c};
  }
  // Tuples need no walk to be counted.
  if (c->reducer == Reducer::count && !c->args[1] && is_ranked(*c->over) &&
      c->over->kind != SpaceKind::aligned)
    return length(c->over, k);
  const Accumulator acc = declare(c.get(), s);
  each(c->over, k, s, {}, [&](Cursor& item, Scope& inner) { update(acc, item, inner); });
  std::string text = result(acc);
  remember(c.get(), k, s, text);
  return text;
}

}  // namespace serrate::cuda
