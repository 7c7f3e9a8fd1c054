// CUDA text of operations.
#include "cuda/codegen/functions.h"

#include <array>
#include <cctype>
#include <utility>

#include "cuda/codegen/prelude.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

using Operands = std::span<const Text>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Narrower than int, which C++ computes with instead.
bool is_narrow(DType t) { return t != DType::float16 && itemsize(t) < 4; }

// What of the prelude an expression may name: of numbers that C++ has, of complex ones, of times.
enum class Of { reals, complex, times };

Text call_text(std::string_view function, Operands arguments) {
  Text out = in_prelude(function) ? of_prelude(function) : Text(std::string(function));
  out.append("(");
  for (size_t i = 0; i < arguments.size(); i++) out.append(i ? ", " : "") += arguments[i];
  return out.append(")");
}

// A name in an expression. Functions of real numbers that C lacks are in namespace sr; those of
// complex numbers and times stand beside their types.
Text name_text(std::string_view word, Of of) {
  if (of == Of::reals && in_namespace(word)) return "sr::" + of_prelude(word);
  return of != Of::reals && in_prelude(word) ? of_prelude(word) : Text(std::string(word));
}

// The table's expression with the arguments for x, y and z.
Text expression_text(std::string_view expression, Operands arguments, Of of = Of::reals) {
  Text out = of == Of::complex ? uses_of("complex") : of == Of::times ? uses_of("time64") : Text();
  for (size_t i = 0; i < expression.size();) {
    const size_t begin = i;
    while (i < expression.size() && is_word(expression[i])) i++;
    if (i == begin) {
      out.append(expression.substr(i++, 1));
      continue;
    }
    const std::string_view word = expression.substr(begin, i - begin);
    const size_t argument = word.size() == 1 ? static_cast<size_t>(word[0] - 'x') : 3;
    out += argument < arguments.size() ? arguments[argument] : name_text(word, of);
  }
  return out;
}

// The same in brackets: expressions stand inside others.
Text bracketed(std::string_view expression, Operands arguments, Of of = Of::reals) {
  return "(" + expression_text(expression, arguments, of) + ")";
}

Text boolean_text(Op op, Operands arguments) {
  const uint16_t flags = info(op).flags;
  const std::string_view expression = flags & kBoolOr    ? "x || y"
                                      : flags & kBoolAnd ? "x && y"
                                      : flags & kBoolXor ? "x != y"
                                      : flags & kBoolNot ? "!x"
                                      : op == Op::isinf  ? "false"
                                                         : info(op).expression;
  return bracketed(expression, arguments);
}

// Numbers that C++ has: the table's expression, but where C++ computes in another type.
Text real_text(Op op, DType t, Operands arguments) {
  if (op == Op::power && is_floating(t)) return call_text("pow", arguments);
  if (t == DType::boolean) return boolean_text(op, arguments);
  const bool wraps = is_narrow(t) || is_signed_integer(t);
  if (is_integer(t) && wraps) {
    const auto wrapping = [&](std::string_view name, Operands x) {
      return "sr::" + call_text(name, x);
    };
    const Text twice[] = {arguments[0], arguments[0]};
    if (op == Op::add) return wrapping("add", arguments);
    if (op == Op::subtract) return wrapping("subtract", arguments);
    if (op == Op::multiply) return wrapping("multiply", arguments);
    if (op == Op::negative) return wrapping("negative", arguments);
    if (op == Op::square) return wrapping("multiply", twice);
  }
  // C++ gives an int for & and | of comparisons, and for bits of what is narrower.
  const bool boolean = info(op).result == ResultRule::boolean;
  const bool bits =
      op == Op::bitwise_and || op == Op::bitwise_or || op == Op::bitwise_xor || op == Op::invert;
  Text out = bracketed(info(op).expression, arguments);
  if (!boolean && !(is_narrow(t) && bits)) return out;
  return "(" + std::string(type_text(boolean ? DType::boolean : t)) + ")" + out;
}

Text complex_text(Op op, Operands arguments) {
  const Text out = bracketed(info(op).expression, arguments, Of::complex);
  return info(op).result == ResultRule::boolean ? "(bool)" + out : out;
}

// Times are integers but in expressions: time64{x}, and .ticks of a result that is a time.
Text time_text(Op op, std::span<const DType> types, Operands arguments) {
  std::array<Text, 3> times;
  for (size_t i = 0; i < arguments.size(); i++)
    times[i] = is_time(types[i]) ? of_prelude("time64") + "{" + arguments[i] + "}" : arguments[i];
  const Text out = bracketed(info(op).expression, {times.data(), arguments.size()}, Of::times);
  return is_time(result_type(op, types)) ? out + ".ticks" : out;
}

// float16 is computed in float32, but for the neighbours in its own grid of numbers.
Text half_text(Op op, Operands arguments) {
  if (op == Op::nextafter) return call_text("half_nextafter", arguments);
  if (op == Op::spacing) return call_text("half_spacing", arguments);
  const size_t halves = op == Op::ldexp ? 1 : arguments.size();
  std::array<Text, 3> wide;
  for (size_t i = 0; i < arguments.size(); i++)
    wide[i] = i < halves ? prelude_call("half_to_float", {arguments[i]}) : arguments[i];
  const ResultRule result = info(op).result;
  const bool rounds = result == ResultRule::same || result == ResultRule::real;
  const Text out = real_text(op, DType::float32, {wide.data(), arguments.size()});
  return rounds ? prelude_call("float_to_half", {out}) : out;
}

}  // namespace

Text op_text(Op op, std::span<const DType> types, Operands arguments) {
  const bool time =
      is_time(types[0]) || (info(op).arity == 2 && types.size() == 2 && is_time(types[1]));
  if (op == Op::where) return expression_text(info(op).expression, arguments);
  if (keeps(op, types[0])) return arguments[0];
  if (time) return time_text(op, types, arguments);
  if (is_complex(types[0])) return complex_text(op, arguments);
  if (types[0] == DType::float16) return half_text(op, arguments);
  return real_text(op, types[0], arguments);
}

}  // namespace serrate::cuda
