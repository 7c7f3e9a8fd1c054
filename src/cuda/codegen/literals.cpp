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

void append_float(std::string& out, double v, bool single) {
  const std::string_view suffix = single ? "f" : "", type = single ? "<float>" : "<double>";
  if (std::isnan(v)) {
    out.append("sr::nan").append(type);
  } else if (std::isinf(v)) {
    out.append(v < 0 ? "(-sr::infinity" : "sr::infinity").append(type) += v < 0 ? ")" : "";
  } else {
    // With a decimal point: else it were an int.
    const bool negative = std::signbit(v);
    out += negative ? "(" : "";
    out += single ? fmt::format("{:#}", static_cast<float>(v)) : fmt::format("{:#}", v);
    out.append(suffix).append(negative ? ")" : "");
  }
}

void append_integer(std::string& out, const Scalar& s) {
  const DType t = is_time(s.dtype) ? DType::int64 : s.dtype;
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

void append_cast(std::string& out, DType from, DType to, std::string_view value) {
  if (type_text(from) == type_text(to)) {
    out += value;
  } else if (from == DType::float16) {
    append_cast(out, DType::float32, to, fmt::format("half_to_float({})", value));
  } else if (is_complex(from) && to == DType::boolean) {
    out += fmt::format("({} != 0)", value);
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

}  // namespace serrate::cuda
