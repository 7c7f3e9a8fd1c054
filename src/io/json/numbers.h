// Numbers of JSON.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace serrate::io {

struct JsonNumber {
  bool integer;  // that int64 holds
  int64_t i;
  double d;
};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
/// What may stand behind a number or a literal.
inline bool ends_scalar(char c) {
  switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
    case ',':
    case ']':
    case '}':
    case ':':
    case '[':
    case '{':
      return true;
    default:
      return false;
  }
}

/// Whether the 8 bytes are digits, and the number that they are (Lemire's parse_eight_digits).
inline bool eight_digits(const char* p, uint64_t& out) {
  uint64_t x;
  std::memcpy(&x, p, 8);
  if constexpr (std::endian::native == std::endian::big) return false;
  constexpr uint64_t kHigh = 0xf0f0f0f0f0f0f0f0, kZeros = 0x3030303030303030;
  if (((x & kHigh) | (((x + 0x0606060606060606) & kHigh) >> 4)) != (kZeros | kZeros >> 4))
    return false;
  x = (x & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
  x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  out = (x & 0x0000ffff0000ffff) * 42949672960001 >> 32;
  return true;
}

enum class NumberError : uint8_t { none, no_number, too_large };

/// The double nearest to the decimal `mantissa` * 10^exponent, which is the text begin .. end:
/// Clinger's fast path (1990), then Eisel, Lemire (Lemire 2021), then all digits. False if it is
/// infinite. `exact`: the mantissa has all digits.
bool to_double(const char* begin, const char* end, uint64_t mantissa, int64_t exponent, bool exact,
               double& out);

/// The number at p, of a text that goes on behind it (with anything that is no part of it) up to
/// `end`.
inline NumberError read_number(const char* p, const char* end, JsonNumber& out) {
  const char* const begin = p;
  const bool negative = *p == '-';
  p += negative;
  const char* const digits = p;
  uint64_t mantissa = 0;
  while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<uint64_t>(*p++ - '0');
  int64_t n = p - digits;
  if (n == 0 || (n > 1 && *digits == '0')) return NumberError::no_number;
  bool whole = true;
  int64_t exponent = 0;
  if (*p == '.') {
    whole = false;
    const char* const fraction = ++p;
    for (uint64_t eight; end - p >= 8 && eight_digits(p, eight); p += 8)
      mantissa = 100'000'000 * mantissa + eight;
    while (is_digit(*p)) mantissa = 10 * mantissa + static_cast<uint64_t>(*p++ - '0');
    exponent = fraction - p;
    if (exponent == 0) return NumberError::no_number;
    n -= exponent;
  }
  if (*p == 'e' || *p == 'E') {
    whole = false;
    ++p;
    const bool minus = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    if (!is_digit(*p)) return NumberError::no_number;
    int64_t e = 0;
    for (; is_digit(*p); ++p) {
      if (e < 100'000) e = 10 * e + (*p - '0');
    }
    exponent += minus ? -e : e;
  }
  if (!ends_scalar(*p)) return NumberError::no_number;
  // 19 digits fit 64 bits.
  constexpr uint64_t kMost = uint64_t{1} << 63;
  if (whole && n <= 19 && mantissa < kMost + negative) {
    out.integer = true;
    out.i = static_cast<int64_t>(negative ? -mantissa : mantissa);
    return NumberError::none;
  }
  out.integer = false;
  if (n > 19) {
    const char* first = digits;
    while (*first == '0' || *first == '.') ++first;
    n -= first - digits - (first > digits + 1);
  }
  return to_double(begin, p, mantissa, exponent, n <= 19, out.d) ? NumberError::none
                                                                 : NumberError::too_large;
}

}  // namespace serrate::io
