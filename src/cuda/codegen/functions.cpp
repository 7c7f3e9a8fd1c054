// CUDA text of operations.
#include "cuda/codegen/functions.h"

#include <array>
#include <cctype>
#include <utility>

#include "cuda/codegen/prelude.h"
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

// The table's expression with the arguments for x, y and z. Functions of real numbers that C lacks
// are in namespace sr; those of complex numbers and times stand beside their types.
void append_expression(std::string& out, std::string_view expression,
                       std::span<const std::string_view> arguments, bool real = true) {
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
      if (real && in_namespace(word)) out += "sr::";
      out += word;
    }
  }
}

// The same in brackets: expressions stand inside others.
void append_bracketed(std::string& out, std::string_view expression,
                      std::span<const std::string_view> arguments, bool real = true) {
  out += '(';
  append_expression(out, expression, arguments, real);
  out += ')';
}

void append_boolean(std::string& out, Op op, std::span<const std::string_view> arguments) {
  const uint16_t flags = info(op).flags;
  const std::string_view expression = flags & kBoolOr    ? "x || y"
                                      : flags & kBoolAnd ? "x && y"
                                      : flags & kBoolXor ? "x != y"
                                      : flags & kBoolNot ? "!x"
                                      : op == Op::isinf  ? "false"
                                                         : info(op).expression;
  append_bracketed(out, expression, arguments);
}

// Numbers that C++ has: the table's expression, but where C++ computes in another type.
void append_real(std::string& out, Op op, DType t, std::span<const std::string_view> arguments) {
  if (op == Op::power && is_floating(t)) return append_call(out, "pow", arguments);
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
  // C++ gives an int for & and | of comparisons, and for bits of what is narrower.
  const bool boolean = info(op).result == ResultRule::boolean;
  const bool bits =
      op == Op::bitwise_and || op == Op::bitwise_or || op == Op::bitwise_xor || op == Op::invert;
  if (boolean || (is_narrow(t) && bits))
    out.append("(").append(type_text(boolean ? DType::boolean : t)).append(")");
  append_bracketed(out, info(op).expression, arguments);
}

void append_complex(std::string& out, Op op, std::span<const std::string_view> arguments) {
  if (info(op).result == ResultRule::boolean) out += "(bool)";
  append_bracketed(out, info(op).expression, arguments, false);
}

// Times are integers but in expressions: time64{x}, and .ticks of a result that is a time.
void append_time(std::string& out, Op op, std::span<const DType> types,
                 std::span<const std::string_view> arguments) {
  std::string times[3];
  std::string_view views[3];
  for (size_t i = 0; i < arguments.size(); i++) {
    times[i] = is_time(types[i]) ? fmt::format("time64{{{}}}", arguments[i]) : arguments[i];
    views[i] = times[i];
  }
  append_bracketed(out, info(op).expression, {views, arguments.size()}, false);
  if (is_time(result_type(op, types))) out += ".ticks";
}

// float16 is computed in float32, but for the neighbours in its own grid of numbers.
void append_half(std::string& out, Op op, std::span<const std::string_view> arguments) {
  if (op == Op::nextafter) return append_call(out, "half_nextafter", arguments);
  if (op == Op::spacing) return append_call(out, "half_spacing", arguments);
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
  if (keeps(op, types[0])) {
    out += arguments[0];
    return;
  }
  if (time) return append_time(out, op, types, arguments);
  if (is_complex(types[0])) return append_complex(out, op, arguments);
  if (types[0] == DType::float16) return append_half(out, op, arguments);
  append_real(out, op, types[0], arguments);
}

Text op_text(Op op, std::span<const DType> types, std::span<const Text> arguments) {
  std::array<std::string_view, 3> views;
  Uses uses;
  for (size_t i = 0; i < arguments.size(); i++) {
    views[i] = arguments[i].str();
    uses.add(arguments[i].uses());
  }
  std::string out;
  append_op(out, op, types, {views.data(), arguments.size()});
  return {std::move(out), uses};
}

Text cast_text(DType from, DType to, const Text& value) {
  std::string out;
  append_cast(out, from, to, value.str());
  return {std::move(out), value.uses()};
}

}  // namespace serrate::cuda
