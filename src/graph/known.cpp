// Operations whose result needs no data: see known.h.
#include "graph/known.h"

#include <utility>

namespace serrate::graph {

namespace {

bool is_constant(const Column& c) { return c.kind == ColumnKind::constant; }

}  // namespace

// 1 > 0 stays a comparison where it stands alone: whether an option may have
// missing items does not depend on the lengths of lists.
bool is_true(const Column& c) {
  if (is_constant(c)) return c.scalar.i != 0;
  return c.kind == ColumnKind::op && c.op == Op::greater && is_constant(*c.args[0]) &&
         is_constant(*c.args[1]) && c.args[0]->dtype == DType::int64 &&
         c.args[0]->scalar.i > c.args[1]->scalar.i;
}

ColumnRef known_condition(Op op, const ColumnRef* args, size_t n) {
  if (op == Op::logical_and && n == 2 && args[0]->dtype == DType::boolean) {
    if (is_true(*args[0]) || args[0] == args[1]) return args[1];
    if (is_true(*args[1])) return args[0];
  }
  // What is not chosen may have something to check, unless it is a constant. Of two constants the
  // choice stays: it may be a tag, and types do not depend on what is there.
  const bool chooses = op == Op::where && !is_constant(*args[1]) && is_constant(*args[2]);
  return chooses && is_true(*args[0]) ? args[1] : ColumnRef();
}

bool is_line(const ColumnRef& c) {
  if (c->dtype != DType::int64) return false;
  if (c->kind == ColumnKind::position) return true;
  if (c->kind != ColumnKind::op) return false;
  const bool is_sum = c->op == Op::add || c->op == Op::multiply;
  if (!is_sum && c->op != Op::subtract) return false;
  const ColumnRef &a = c->args[0], &b = c->args[1];
  return (is_constant(*b) && is_line(a)) || (is_constant(*a) && is_line(b));
}

Line combined(Op op, const Line& a, const Line& b) {
  if (op == Op::multiply) {
    const auto& [line, factor] = a.step == 0 ? std::pair(b, a.first) : std::pair(a, b.first);
    return {Line{0, factor}.at(line.first), Line{0, factor}.at(line.step)};
  }
  const int64_t sign = op == Op::add ? 1 : -1;
  return {Line{a.first, b.first}.at(sign), Line{a.step, b.step}.at(sign)};
}

std::optional<bool> test_of_integers(Op op, DType t) {
  if (!is_integer(t) && t != DType::boolean) return {};
  if (op == Op::isfinite) return true;
  return op == Op::isnan || op == Op::isinf ? std::optional(false) : std::nullopt;
}

}  // namespace serrate::graph
