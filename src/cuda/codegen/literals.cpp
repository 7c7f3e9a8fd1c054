// CUDA text of types, casts and constants: see functions.h.
#include <cmath>
#include <cstring>
#include <limits>

#include "cuda/codegen/functions.h"
#include "graph/ir.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

#include "cpu/program/half.h"

std::string_view part_text(DType t) { return t == DType::complex64 ? "float" : "double"; }

Text float_text(double v, bool single) {
  const Text type = single ? "<float>" : "<double>";
  if (std::isnan(v)) return "sr::" + of_prelude("nan") + type;
  const Text infinity = "sr::" + of_prelude("infinity") + type;
  if (std::isinf(v)) return v < 0 ? "(-" + infinity + ")" : infinity;
  // With a decimal point: else it were an int.
  const std::string digits =
      single ? fmt::format("{:#}f", static_cast<float>(v)) : fmt::format("{:#}", v);
  return std::signbit(v) ? "(" + digits + ")" : digits;
}

std::string integer_text(const Scalar& s) {
  const DType t = is_time(s.dtype) ? DType::int64 : s.dtype;
  std::string out;
  if (itemsize(t) < 4) out.append("(").append(type_text(t)).append(")");  // a literal is an int
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
  return out;
}

Text complex_type(DType t) { return of_prelude("complex") + "<" + std::string(part_text(t)) + ">"; }

/// The value as a C++ type has it.
Text converted(DType to, const Text& value) {
  return "(" + std::string(type_text(to)) + ")(" + value + ")";
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

void use_type(Uses& uses, DType t) {
  if (is_complex(t)) uses.add("complex");
  if (t == DType::float16) uses.add("half");
}

Text cast_text(DType from, DType to, const Text& value) {
  const auto from_part = [&] {  // of a complex number
    return from == DType::complex64 ? DType::float32 : DType::float64;
  };
  if (type_text(from) == type_text(to)) return value;
  if (from == DType::float16)
    return cast_text(DType::float32, to, prelude_call("half_to_float", {value}));
  if (is_complex(from) && to == DType::boolean) return uses_of("complex") + "(" + value + " != 0)";
  if (is_complex(from) && is_complex(to))
    return uses_of("complex") + of_prelude("complex_cast") + "<" + std::string(part_text(to)) +
           ">(" + value + ")";
  if (is_complex(from)) return cast_text(from_part(), to, value + ".re");  // as NumPy
  if (is_complex(to)) {
    const DType part = to == DType::complex64 ? DType::float32 : DType::float64;
    return complex_type(to) + "{" + cast_text(from, part, value) + ", 0}";
  }
  if (to == DType::float16) {
    const bool wide = from == DType::float64;
    const Text real = cast_text(from, wide ? from : DType::float32, value);
    return prelude_call(wide ? "double_to_half" : "float_to_half", {real});
  }
  if (to == DType::boolean) return "(" + value + " != 0)";
  if (is_floating(from) && (is_integer(to) || is_time(to)))
    return "sr::" + of_prelude("truncated") + "<" + std::string(type_text(to)) + ">(" + value + ")";
  return converted(to, value);
}

Text literal(const Scalar& s) {
  switch (s.dtype) {
    case DType::boolean:
      return s.i ? "true" : "false";
    case DType::float16:
      return of_prelude("half") + fmt::format("{{{:#06x}}}", to_half(s.f).bits);
    case DType::float32:
    case DType::float64:
      return float_text(s.f, s.dtype == DType::float32);
    case DType::complex64:
    case DType::complex128: {
      const bool single = s.dtype == DType::complex64;
      return complex_type(s.dtype) + "{" + float_text(s.f, single) + ", " +
             float_text(s.im, single) + "}";
    }
    default:
      return integer_text(s);
  }
}

Text zero(DType t) {
  Scalar z = is_floating(t) || is_complex(t) ? Scalar::of(0.0) : Scalar::of(int64_t{0});
  z.dtype = t;
  return literal(z);
}

}  // namespace serrate::cuda
