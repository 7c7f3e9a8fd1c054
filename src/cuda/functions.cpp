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
  if (op == Op::where) return append_expression(out, info(op).expression, arguments);
  append_real(out, op, types[0], arguments);
}

void append_cast(std::string& out, DType from, DType to, std::string_view value) {
  if (type_text(from) == type_text(to)) {
    out += value;
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
