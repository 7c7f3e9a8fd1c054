// CUDA text of operations.
#include "cuda/functions.h"

#include <cctype>

#include "cuda/expressions.h"
#include "cuda/prelude.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

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

}  // namespace

void append_op(std::string& out, Op op, std::span<const DType> types,
               std::span<const std::string_view> arguments) {
  const bool time =
      is_time(types[0]) || (info(op).arity == 2 && types.size() == 2 && is_time(types[1]));
  if (op == Op::where) return append_expression(out, info(op).expression, arguments);
  if (time) return append_expression(out, time_expression(op, types[0], types.back()), arguments);
  if (is_complex(types[0])) return append_expression(out, complex_expression(op), arguments);
  if (types[0] == DType::float16) return append_half(out, op, arguments);
  append_real(out, op, types[0], arguments);
}

}  // namespace serrate::cuda
