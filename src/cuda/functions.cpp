// CUDA text for types, operations, conversions and constants.
#include "cuda/functions.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "cuda/prelude.h"
#include "graph/ir.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

#include "cpu/half.h"

using graph::Reducer;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Narrower than int, which C++ computes with instead.
bool is_narrow(DType t) { return t != DType::float16 && itemsize(t) < 4; }

void append_call(std::string& out, std::string_view function,
                 std::span<const std::string_view> arguments) {
  out.append(function) += '(';
  for (size_t i = 0; i < arguments.size(); i++) out.append(i ? ", " : "").append(arguments[i]);
  out += ')';
}

// The table's expression with the arguments for x, y and z.
void append_expression(std::string& out, std::string_view expression,
                       std::span<const std::string_view> arguments) {
  for (size_t i = 0; i < expression.size();) {
    const size_t begin = i;
    while (i < expression.size() && is_word(expression[i])) i++;
    if (i == begin) {
      out += expression[i++];
      continue;
    }
    const std::string_view word = expression.substr(begin, i - begin);
    const size_t argument = word.size() == 1 ? static_cast<size_t>(word[0] - 'x') : 3;
    if (argument < arguments.size()) {
      out += arguments[argument];
    } else {
      if (in_namespace(word)) out += "sr::";
      out += word;
    }
  }
}

// True for "f(x, y)" and "(...)": what needs no brackets.
bool is_closed(std::string_view expression) {
  return expression.back() == ')' && expression.find(')') == expression.size() - 1;
}

void append_boolean(std::string& out, Op op, std::span<const std::string_view> arguments) {
  std::string_view expression;
  switch (op) {
    case Op::add:
    case Op::bitwise_or:
    case Op::logical_or:
    case Op::maximum:
    case Op::fmax:
      expression = "(x || y)";
      break;
    case Op::multiply:
    case Op::bitwise_and:
    case Op::logical_and:
    case Op::minimum:
    case Op::fmin:
      expression = "(x && y)";
      break;
    case Op::bitwise_xor:
    case Op::logical_xor:
      expression = "(x != y)";
      break;
    case Op::invert:
    case Op::logical_not:
      expression = "(!x)";
      break;
    case Op::isinf:
      expression = "false";
      break;
    default:
      expression = info(op).expression;
  }
  const bool brackets = expression[0] != '(' && !is_closed(expression);
  out += brackets ? "(" : "";
  append_expression(out, expression, arguments);
  out += brackets ? ")" : "";
}

// Numbers that C++ has: the table's expression, but where C++ computes in another type.
void append_real(std::string& out, Op op, DType t, std::span<const std::string_view> arguments) {
  switch (op) {
    case Op::positive:
    case Op::conjugate:
    case Op::real:
      out += arguments[0];
      return;
    case Op::absolute:
      if (!is_unsigned_integer(t) && t != DType::boolean) break;
      out += arguments[0];
      return;
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
      if (is_floating(t)) break;
      out += arguments[0];
      return;
    case Op::power:
      if (is_floating(t)) return append_call(out, "pow", arguments);
      break;
    default:
      break;
  }
  if (t == DType::boolean) return append_boolean(out, op, arguments);
  const bool wraps = is_narrow(t) || is_signed_integer(t);
  if (is_integer(t) && wraps) {
    const std::string_view twice[] = {arguments[0], arguments[0]};
    if (op == Op::add) return append_call(out, "sr::add", arguments);
    if (op == Op::subtract) return append_call(out, "sr::subtract", arguments);
    if (op == Op::multiply) return append_call(out, "sr::multiply", arguments);
    if (op == Op::negative) return append_call(out, "sr::negative", arguments);
    if (op == Op::square) return append_call(out, "sr::multiply", twice);
  }
  const std::string_view expression = info(op).expression;
  const bool boolean = info(op).result == ResultRule::boolean;
  if (boolean ? expression.find('&') != expression.npos || expression.find('|') != expression.npos
              : is_narrow(t) && (op == Op::bitwise_and || op == Op::bitwise_or ||
                                 op == Op::bitwise_xor || op == Op::invert))
    out.append("(").append(type_text(boolean ? DType::boolean : t)).append(")");
  const bool brackets = !is_closed(expression) && expression[0] != '(';
  out += brackets ? "(" : "";
  append_expression(out, expression, arguments);
  out += brackets ? ")" : "";
}

// float16 is computed in float32, but for the neighbours in its own grid of numbers.
void append_half(std::string& out, Op op, std::span<const std::string_view> arguments) {
  if (op == Op::nextafter) return append_call(out, "half_nextafter", arguments);
  if (op == Op::spacing) return append_call(out, "half_spacing", arguments);
  if (op == Op::positive || op == Op::conjugate || op == Op::real) {
    out += arguments[0];
    return;
  }
  const size_t halves = op == Op::ldexp ? 1 : arguments.size();
  std::string wide[3];
  std::string_view views[3];
  for (size_t i = 0; i < arguments.size(); i++) {
    wide[i] = i < halves ? fmt::format("half_to_float({})", arguments[i]) : arguments[i];
    views[i] = wide[i];
  }
  const ResultRule result = info(op).result;
  const bool rounds = result == ResultRule::same || result == ResultRule::real;
  out += rounds ? "float_to_half(" : "";
  append_real(out, op, DType::float32, {views, arguments.size()});
  out += rounds ? ")" : "";
}

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

void append_time(std::string& out, Op op, std::span<const DType> types,
                 std::span<const std::string_view> arguments) {
  append_expression(out, time_expression(op, types[0], types.back()), arguments);
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

std::string_view part_text(DType t) { return t == DType::complex64 ? "float" : "double"; }

void append_float(std::string& out, double v, bool single) {
  const std::string_view suffix = single ? "f" : "", type = single ? "<float>" : "<double>";
  if (std::isnan(v)) {
    out.append("sr::nan").append(type);
  } else if (std::isinf(v)) {
    out.append(v < 0 ? "(-sr::infinity" : "sr::infinity").append(type) += v < 0 ? ")" : "";
  } else {
    std::string digits = single ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
    if (digits.find_first_of(".e") == digits.npos) digits += ".0";
    const bool negative = digits[0] == '-';
    out.append(negative ? "(" : "").append(digits).append(suffix).append(negative ? ")" : "");
  }
}

void append_integer(std::string& out, const Scalar& s) {
  const DType t = is_time(s.dtype) ? DType::int64 : s.dtype;
  if (is_narrow(t)) out.append("(").append(type_text(t)).append(")");
  const std::string_view suffix = t == DType::int64    ? "ll"
                                  : t == DType::uint64 ? "ull"
                                  : t == DType::uint32 ? "u"
                                                       : "";
  if (is_unsigned_integer(t)) {
    out += fmt::format("{}{}", s.u, suffix);
  } else if (s.i == (t == DType::int64 ? INT64_MIN : INT32_MIN)) {
    out += fmt::format("({}{} - 1)", s.i + 1, suffix);  // a minus sign is no part of a literal
  } else {
    out.append(s.i < 0 ? "(" : "").append(std::to_string(s.i)).append(suffix);
    out += s.i < 0 ? ")" : "";
  }
}

}  // namespace

std::string_view type_text(DType t) {
  constexpr std::string_view names[] = {"bool",
                                        "signed char",
                                        "short",
                                        "int",
                                        "long long",
                                        "unsigned char",
                                        "unsigned short",
                                        "unsigned int",
                                        "unsigned long long",
                                        "half",
                                        "float",
                                        "double",
                                        "complex<float>",
                                        "complex<double>",
                                        "long long",
                                        "long long"};
  return names[static_cast<int>(t)];
}

void append_op(std::string& out, Op op, std::span<const DType> types,
               std::span<const std::string_view> arguments) {
  const bool time =
      is_time(types[0]) || (info(op).arity == 2 && types.size() == 2 && is_time(types[1]));
  if (op == Op::where) return append_expression(out, info(op).expression, arguments);
  if (time) return append_time(out, op, types, arguments);
  if (is_complex(types[0])) return append_expression(out, complex_expression(op), arguments);
  if (types[0] == DType::float16) return append_half(out, op, arguments);
  append_real(out, op, types[0], arguments);
}

void append_cast(std::string& out, DType from, DType to, std::string_view value) {
  if (type_text(from) == type_text(to)) {
    out += value;
  } else if (from == DType::float16) {
    append_cast(out, DType::float32, to, fmt::format("half_to_float({})", value));
  } else if (is_complex(from) && to == DType::boolean) {
    out += fmt::format("complex_true({})", value);
  } else if (is_complex(from) && is_complex(to)) {
    out += fmt::format("complex_cast<{}>({})", part_text(to), value);
  } else if (is_complex(from)) {
    const DType part = from == DType::complex64 ? DType::float32 : DType::float64;
    append_cast(out, part, to, fmt::format("{}.re", value));  // as NumPy
  } else if (is_complex(to)) {
    out.append(type_text(to)) += '{';
    append_cast(out, from, to == DType::complex64 ? DType::float32 : DType::float64, value);
    out += ", 0}";
  } else if (to == DType::float16) {
    out += from == DType::float64 ? "double_to_half(" : "float_to_half(";
    append_cast(out, from, from == DType::float64 ? from : DType::float32, value);
    out += ')';
  } else if (to == DType::boolean) {
    out.append("(").append(value).append(" != 0)");
  } else if (is_floating(from) && (is_integer(to) || is_time(to))) {
    out.append("sr::truncated<").append(type_text(to)).append(">(").append(value).append(")");
  } else {
    out.append("(").append(type_text(to)).append(")(").append(value).append(")");
  }
}

std::string literal(const Scalar& s) {
  std::string out;
  switch (s.dtype) {
    case DType::boolean:
      return s.i ? "true" : "false";
    case DType::float16:
      return fmt::format("half{{{:#06x}}}", to_half(s.f).bits);
    case DType::float32:
    case DType::float64:
      append_float(out, s.f, s.dtype == DType::float32);
      return out;
    case DType::complex64:
    case DType::complex128:
      out.append(type_text(s.dtype)) += '{';
      append_float(out, s.f, s.dtype == DType::complex64);
      out += ", ";
      append_float(out, s.im, s.dtype == DType::complex64);
      return out += '}';
    default:
      append_integer(out, s);
      return out;
  }
}

void append_identity(std::string& out, Reducer reducer, DType accumulator) {
  const bool lowest = reducer == Reducer::max || reducer == Reducer::argmax;
  const bool highest = reducer == Reducer::min || reducer == Reducer::argmin;
  const bool one = reducer == Reducer::prod || reducer == Reducer::all;
  const DType t = is_time(accumulator) ? DType::int64 : accumulator;
  Scalar s;
  s.dtype = t;
  if (!lowest && !highest) {
    s = Scalar::of(int64_t{one}, t);
  } else if (is_floating(t) || is_complex(t)) {
    s.f = highest ? INFINITY : -INFINITY;
    s.im = is_complex(t) ? s.f : 0;
  } else if (t == DType::boolean) {
    s.i = highest;
  } else if (is_unsigned_integer(t)) {
    s.u = highest ? std::numeric_limits<uint64_t>::max() >> (64 - 8 * itemsize(t)) : 0;
  } else {
    s.i = std::numeric_limits<int64_t>::max() >> (64 - 8 * itemsize(t));
    if (lowest) s.i = -s.i - 1;
  }
  out += literal(s);
}

}  // namespace serrate::cuda
