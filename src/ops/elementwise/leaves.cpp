// What an element-wise operation makes of numbers: Python's take the others' types, units of time
// are made the same.
#include "ops/elementwise/leaves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/where.h"
#include "ops/elementwise/elementwise.h"
#include "ops/tree/input.h"
#include "ops/tree/levels.h"
#include "ops/tree/units.h"

namespace serrate {

graph::ColumnRef ops::large_integer(double value) {
  Scalar s = Scalar::of(value);
  s.im = 1;
  return graph::constant(s, true);
}

namespace {

using namespace graph;
using namespace ops;

bool fits(const Scalar& value, DType t) {
  if (!is_integer(t) || !is_integer(value.dtype)) return true;
  const int bits = 8 * itemsize(t);
  if (value.dtype == DType::uint64 && value.i < 0) return t == DType::uint64;  // 2^63 and more
  if (is_unsigned_integer(t)) return value.i >= 0 && (bits == 64 || value.i < (int64_t{1} << bits));
  return bits == 64 ||
         (value.i >= -(int64_t{1} << (bits - 1)) && value.i < (int64_t{1} << (bits - 1)));
}

/// Marked by its imaginary part.
bool is_large(const Scalar& value) { return value.dtype == DType::float64 && value.im != 0; }

/// Python's integer k of the arguments, larger than any type of integers.
ColumnRef settled_large(Op op, size_t k, double value, DType t) {
  if (is_floating(t) || is_complex(t)) return constant(Scalar::of(value), true);
  if ((info(op).flags & kCompares) && is_integer(t))
    return constant(Scalar::of(std::copysign(std::numeric_limits<double>::infinity(), value)));
  if (info(op).arity == 2 && !is_time(t)) {
    const std::array both{t, t};
    const DType computed = resolve(op, both).compute[k];
    if (is_floating(computed)) return constant(Scalar::of(value).as(computed));
  }
  throw OverflowError(
      fmt::format("{}: Python integer {} out of bounds for {}", info(op).name, value, name(t)));
}

/// Python's integer k of the arguments, whose other one is of type t. It takes that type and must
/// fit it, but comparisons widen instead, and some operations compute with floating-point numbers.
ColumnRef settled(Op op, size_t k, const ColumnRef& number, DType t) {
  const Scalar& value = number->scalar;
  const bool large = value.dtype == DType::uint64;  // 2^63 and more
  const bool compares = info(op).flags & kCompares;
  if (is_time(t) || (compares && !is_floating(t) && !is_complex(t) && !fits(value, t)))
    return constant(value);
  if (is_floating(t) || is_complex(t))
    return large ? constant(value.as(DType::float64), true) : number;
  if (fits(value, t) && !(large && t == DType::boolean)) return large ? constant(value) : number;
  if (info(op).arity == 2) {
    const std::array both{t, t};
    const DType computed = resolve(op, both).compute[k];
    if (is_floating(computed) || is_complex(computed)) return constant(value.as(computed));
  }
  throw OverflowError(fmt::format("{}: Python integer {} out of bounds for {}", info(op).name,
                                  large ? std::to_string(value.u) : std::to_string(value.i),
                                  name(t)));
}

bool is_logical(Op op) {
  return op == Op::logical_and || op == Op::logical_or || op == Op::logical_xor;
}

void settle_weak(Op op, std::span<ColumnRef> args) {
  const bool logical = is_logical(op);
  for (size_t k = 0; k < args.size(); k++) {
    const ColumnRef& a = args[k];
    if (!a->weak || a->kind != ColumnKind::constant) continue;
    const bool large = is_large(a->scalar);
    if (!large && !is_integer(a->dtype)) {
      // Beside times a number keeps its own type.
      if (std::ranges::any_of(args, [](const auto& b) { return !b->weak && is_time(b->dtype); }))
        args[k] = constant(a->scalar);
      continue;
    }
    if (logical) {  // any integer is true or false
      args[k] = constant(Scalar::boolean(a->scalar.i != 0));
      continue;
    }
    for (const auto& b : args) {
      if (b->weak) continue;
      args[k] = large ? settled_large(op, k, a->scalar.f, b->dtype) : settled(op, k, a, b->dtype);
      break;
    }
  }
}

/// Python's 0.5 as an exponent is NumPy's square root: NaN of -inf, and -0.0 of -0.0, which pow has
/// not.
bool is_square_root(Op op, std::span<const ColumnRef> args) {
  if (op != Op::power) return false;
  const Column& y = *args[1];
  return y.weak && y.kind == ColumnKind::constant && y.dtype == DType::float64 &&
         y.scalar.f == 0.5 && y.scalar.im == 0 && is_floating(args[0]->dtype) && !args[0]->weak;
}

/// NumPy refuses integers to negative powers.
ColumnRef check_exponent(const ColumnRef& c, const ColumnRef& counts) {
  if (c->kind != ColumnKind::op || c->op != Op::power || !is_signed_integer(c->dtype)) return c;
  const ColumnRef& exponent = c->args[1];
  auto about = std::make_shared<CheckInfo>();
  about->text = "integers to negative integer powers are not allowed; make one of them floating";
  about->where = current_where("power");
  if (exponent->kind == ColumnKind::constant) {
    check<ValueError>(exponent->scalar.i >= 0, "{}: {}", about->where, about->text);
    return c;
  }
  const ColumnRef ok = apply(Op::greater_equal, {exponent, constant(0)});
  return check_column(c, ok, counts, std::move(about));
}

/// Units of time made the same; where a number gets too large for the finer one is an error.
std::string unify_units(std::span<ColumnRef> args, std::span<const Leaf> leaves,
                        const ColumnRef& counts) {
  TimeUnit common;
  for (const Leaf& x : leaves) {
    const DType t = x.column->dtype;
    if (is_time(t)) common = common_unit(common, {x.node->unit, t == DType::datetime64});
  }
  for (size_t i = 0; i < args.size(); i++) {
    if (is_time(args[i]->dtype))
      args[i] = convert_unit(args[i], leaves[i].node->unit, common.text, UnitOverflow{counts});
  }
  return common.text;
}

/// Those that all arrays among the operands have.
Parameters common_parameters(std::span<const Leaf> leaves) {
  std::optional<Parameters> common;
  for (const Leaf& x : leaves) {
    if (is_weak_scalar(*x.node)) continue;
    const Parameters& own = x.node->parameters;
    if (own.empty()) return {};
    if (!common) {
      common = own;
    } else {
      std::erase_if(*common, [&](const auto& p) { return std::ranges::find(own, p) == own.end(); });
    }
  }
  return common.value_or(Parameters{});
}

}  // namespace

NodeRef ops::apply_leaves(Op op, std::span<const Leaf> leaves, const ColumnRef& counts) {
  Operands operands{ColumnRef()};  // of one to three
  operands.size = leaves.size();
  const std::span args(operands.columns, operands.size);
  bool times = false, weak = false;
  for (size_t i = 0; i < leaves.size(); i++) {
    args[i] = leaves[i].column;
    times |= is_time(args[i]->dtype);
    weak |= args[i]->weak;
  }
  std::string unit;  // of times
  if (times && !is_logical(op)) unit = unify_units(args, leaves, counts);
  if (weak) settle_weak(op, args);
  if (op == Op::ldexp && is_integer(args[1]->dtype) && args[1]->dtype != DType::int32) {
    // What is out of range for a C int is out of range for all results.
    constexpr int64_t most = 1 << 30;
    if (args[1]->dtype == DType::int64 || args[1]->dtype == DType::uint32)
      args[1] = apply(
          Op::maximum,
          {apply(Op::minimum, {cast(args[1], DType::int64), constant(most)}), constant(-most)});
  }
  if (is_square_root(op, args)) op = Op::sqrt, operands.size = 1;
  const ColumnRef c = check_exponent(graph::apply(op, std::move(operands)), counts);
  Parameters parameters = common_parameters(leaves);
  if (parameters.empty() && !is_time(c->dtype)) return leaf(c);
  return leaf(c, is_time(c->dtype) ? std::move(unit) : "", std::move(parameters));
}

}  // namespace serrate
