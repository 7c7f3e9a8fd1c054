// Extremes of floating numbers and whether NaN is among them, in one pass: see fold_extremes.h.
#include <algorithm>

#include "cpu/plan/emit.h"

namespace serrate::cpu {

namespace {

bool is(const ColumnRef& c, Op op) { return c->kind == ColumnKind::op && c->op == op; }

struct Looked {
  ColumnRef at;
  Beside beside = Beside::nothing;
};

/// isnan(x) and its opposite, of the types that there are such folds of.
Looked looked(const ColumnRef& test) {
  const bool is_not = is(test, Op::logical_not);
  const ColumnRef& c = is_not ? test->args[0] : test;
  if (!is(c, Op::isnan)) return {};
  const DType t = c->args[0]->dtype;
  if (t != DType::float32 && t != DType::float64) return {};
  return {c->args[0], is_not ? Beside::number : Beside::nan};
}

}  // namespace

int Emitter::get_beside(const ColumnRef& c, int f) {
  if (c->reducer != Reducer::any || !c->args[0] || c->args[1]) return -1;
  const Looked test = looked(c->args[0]);
  if (test.beside == Beside::nothing) return -1;
  const int from = nest_.fold_frame(f, c);
  if (is_dissolved(from)) return -1;
  const auto& folds = nest_.frames()[static_cast<size_t>(from)].folds;
  const auto extreme = std::ranges::find_if(folds, [&](const graph::Fold& x) {
    const graph::Column& e = *x.column;
    return x.into == f && (e.reducer == Reducer::min || e.reducer == Reducer::max) && !e.args[1] &&
           e.args[0].get() == test.at.get();
  });
  if (extreme == folds.end()) return -1;
  const int slot_of = entries_[static_cast<size_t>(get(find(*extreme), f))].slot;
  const auto accum = std::ranges::find_if(
      plan_.accums, [&](const Accum& a) { return a.slot == slot_of && a.told < 0; });
  if (accum == plan_.accums.end()) return -1;
  const int number = static_cast<int>(plan_.accums.size());
  accum->told = number;
  Accum a;
  a.reducer = Reducer::any;
  a.from = from;
  a.into = f;
  a.beside = test.beside;
  a.dtype = DType::boolean;
  a.slot = slot(Slot::accum, DType::boolean, f, number);
  plan_.accums.push_back(a);
  return add(c, f, static_cast<uint8_t>(top_time(from, f) + 1), 0, a.slot, f == 0);
}

}  // namespace serrate::cpu
