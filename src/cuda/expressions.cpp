// Operations on times and on complex numbers: see expressions.h.
#include "cuda/expressions.h"

#include "serrate/error.h"

namespace serrate::cuda {

std::string_view time_expression(Op op, DType x, DType y) {
  const bool both = is_time(x) && is_time(y);
  switch (op) {
    case Op::positive:
      return "x";
    case Op::add:
      return "time_add(x, y)";
    case Op::subtract:
      return "time_subtract(x, y)";
    case Op::multiply:
      return is_time(x) ? "time_multiply(x, y)" : "time_multiply(y, x)";
    case Op::divide:
      return both ? "time_ratio(x, y)" : "time_divide(x, y)";
    case Op::floor_divide:
      return both ? "time_floor_ratio(x, y)" : "time_divide(x, y)";
    case Op::remainder:
      return "time_remainder(x, y)";
    case Op::maximum:
      return "time_maximum(x, y)";
    case Op::minimum:
      return "(x < y ? x : y)";
    case Op::fmax:
      return "(x > y ? x : y)";
    case Op::fmin:
      return "time_fmin(x, y)";
    case Op::equal:
      return "time_equal(x, y)";
    case Op::not_equal:
      return "(!time_equal(x, y))";
    case Op::less:
      return "time_less(x, y)";
    case Op::less_equal:
      return "time_less_equal(x, y)";
    case Op::greater:
      return "time_less(y, x)";
    case Op::greater_equal:
      return "time_less_equal(y, x)";
    case Op::negative:
      return "negative(x)";
    case Op::absolute:
      return "absolute(x)";
    case Op::sign:
      return "time_sign(x)";
    case Op::isnan:
    case Op::isnat:
      return "is_nat(x)";
    case Op::isfinite:
      return "(!is_nat(x))";
    case Op::isinf:
      return "false";
    default:
      throw TypeError(fmt::format("{}: not defined for times", info(op).name));
  }
}

std::string_view complex_expression(Op op) {
  switch (op) {
#define IS(name, expression) \
  case Op::name:             \
    return expression;
    IS(positive, "x")
    IS(add, "(x + y)")
    IS(subtract, "(x - y)")
    IS(multiply, "(x * y)")
    IS(divide, "(x / y)")
    IS(power, "complex_pow(x, y)")
    IS(float_power, "complex_pow(x, y)")
    IS(negative, "(-x)")
    IS(absolute, "hypot(x.re, x.im)")
    IS(sign, "complex_sign(x)")
    IS(square, "(x * x)")
    IS(sqrt, "complex_sqrt(x)")
    IS(reciprocal, "complex_reciprocal(x)")
    IS(equal, "(x == y)")
    IS(not_equal, "(x != y)")
    IS(less, "(x < y)")
    IS(less_equal, "(x <= y)")
    IS(greater, "(x > y)")
    IS(greater_equal, "(x >= y)")
    IS(maximum, "complex_maximum(x, y)")
    IS(minimum, "complex_minimum(x, y)")
    IS(fmax, "complex_fmax(x, y)")
    IS(fmin, "complex_fmin(x, y)")
    IS(logical_and, "(complex_true(x) && complex_true(y))")
    IS(logical_or, "(complex_true(x) || complex_true(y))")
    IS(logical_xor, "(complex_true(x) != complex_true(y))")
    IS(logical_not, "(!complex_true(x))")
    IS(sin, "complex_sin(x)")
    IS(cos, "complex_cos(x)")
    IS(tan, "complex_tan(x)")
    IS(arcsin, "complex_asin(x)")
    IS(arccos, "complex_acos(x)")
    IS(arctan, "complex_atan(x)")
    IS(sinh, "complex_sinh(x)")
    IS(cosh, "complex_cosh(x)")
    IS(tanh, "complex_tanh(x)")
    IS(arcsinh, "complex_asinh(x)")
    IS(arccosh, "complex_acosh(x)")
    IS(arctanh, "complex_atanh(x)")
    IS(exp, "complex_exp(x)")
    IS(exp2, "complex_exp2(x)")
    IS(expm1, "complex_expm1(x)")
    IS(log, "complex_log(x)")
    IS(log2, "complex_log2(x)")
    IS(log10, "complex_log10(x)")
    IS(log1p, "complex_log1p(x)")
    IS(rint, "complex_rint(x)")
    IS(isnan, "complex_isnan(x)")
    IS(isinf, "complex_isinf(x)")
    IS(isfinite, "complex_isfinite(x)")
    IS(conjugate, "complex_conjugate(x)")
    IS(real, "x.re")
    IS(imag, "x.im")
    IS(angle, "atan2(x.im, x.re)")
#undef IS
    default:
      throw TypeError(fmt::format("{}: not defined for complex numbers", info(op).name));
  }
}

}  // namespace serrate::cuda
