// Decimal to binary: see numbers.h.
#include "io/json/numbers.h"

#if defined(SERRATE_SIMDJSON)
#include <simdjson.h>
#endif

#include <charconv>
#include <cmath>

namespace serrate::io {
namespace {

constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool by_eisel_lemire([[maybe_unused]] uint64_t mantissa, [[maybe_unused]] int64_t exponent,
                     [[maybe_unused]] bool negative, [[maybe_unused]] double& out) {
#if defined(SERRATE_SIMDJSON)
  if (exponent < -342 || exponent > 308) return false;
  return simdjson::SIMDJSON_BUILTIN_IMPLEMENTATION::numberparsing::compute_float_64(
      exponent, mantissa, negative, out);
#else
  return false;
#endif
}

}  // namespace

bool to_double(const char* begin, const char* end, uint64_t mantissa, int64_t exponent, bool exact,
               double& out) {
  const bool negative = *begin == '-';
  if (exact && mantissa <= uint64_t{1} << 53 && exponent >= -22 && exponent <= 22) {
    double x = static_cast<double>(mantissa);
    x = exponent < 0 ? x / kPowers[-exponent] : x * kPowers[exponent];
    out = negative ? -x : x;
    return true;
  }
  if (exact && mantissa != 0 && by_eisel_lemire(mantissa, exponent, negative, out))
    return std::isfinite(out);
  const std::from_chars_result r = std::from_chars(begin, end, out);
  if (r.ec == std::errc{}) return std::isfinite(out);
  // Out of range: zero if it is too small, as it is where its first digit stands far behind the
  // point.
  int64_t magnitude = exponent;
  const char* p = begin + negative;
  while (*p == '0' || *p == '.') ++p;
  for (; p != end && (is_digit(*p) || *p == '.'); ++p) magnitude += *p != '.';
  if (magnitude > 0) return false;
  out = negative ? -0.0 : 0.0;
  return true;
}

}  // namespace serrate::io
