// Text of numbers and strings, as Python and NumPy write them.
#include "io/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "serrate/io.h"

namespace serrate {
namespace io {
namespace {

// Code points beyond ASCII that Python's repr escapes: controls, formats, surrogates, private use,
// separators.
struct Range {
  char32_t first, last;
};
constexpr Range kEscaped[] = {
    {0x0, 0x1f},        {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
    {0x8e2, 0x8e2},     {0x1680, 0x1680},   {0x180e, 0x180e},   {0x2000, 0x200f},
    {0x2028, 0x202f},   {0x205f, 0x2064},   {0x2066, 0x206f},   {0x3000, 0x3000},
    {0xd800, 0xf8ff},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},
    {0x110cd, 0x110cd}, {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0001, 0xe0001}, {0xe0020, 0xe007f}, {0xf0000, 0xffffd}, {0x100000, 0x10fffd}};

// One UTF-8 sequence at s[i]: its code point and bytes, or 0 bytes if it is malformed.
struct CodePoint {
  char32_t value = 0;
  size_t bytes = 0;
};
CodePoint decode(std::string_view s, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(s[i + k]); };
  const unsigned char b = byte(0);
  if (b < 0x80) return {b, 1};
  const size_t n = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
  if (b < 0xc2 || b > 0xf4 || i + n > s.size()) return {};
  char32_t c = b & (0xff >> (n + 1));
  for (size_t k = 1; k < n; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {};
    c = c << 6 | (byte(k) & 0x3f);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return {};
  return {c, n};
}

std::string real_text(double x, int precision) {
  if (std::isnan(x)) return "nan";
  return fmt::format("{:.{}g}", x, std::max(precision, 1));
}

}  // namespace

int64_t width(std::string_view s) {
  return std::count_if(s.begin(), s.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

std::string_view first_columns(std::string_view s, int64_t n) {
  size_t i = 0;
  for (; i < s.size(); ++i) {
    if ((static_cast<unsigned char>(s[i]) & 0xc0) != 0x80 && n-- <= 0) break;
  }
  return s.substr(0, i);
}

bool is_printable(char32_t c) {
  const auto* r = std::upper_bound(std::begin(kEscaped), std::end(kEscaped), c,
                                   [](char32_t x, const Range& e) { return x < e.first; });
  return r == std::begin(kEscaped) || c > r[-1].last;
}

std::string half_text(uint16_t bits) {
  const double x = half_to_double(bits);
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  // The fewest digits that give the same float16 again.
  std::string digits;
  for (int p = 0; p < 6; ++p) {
    digits = fmt::format("{:.{}e}", x, p);
    if (double_to_half(std::strtod(digits.c_str(), nullptr)) == bits) break;
  }
  const double a = std::fabs(x);
  if (a != 0 && (a < 1e-4 || a >= 1e3)) return digits;
  std::string plain = fmt::format("{}", std::strtod(digits.c_str(), nullptr));
  if (plain.find('.') == std::string::npos) plain += ".0";
  return plain;
}

std::string number_text(const View& v, int64_t i, int precision) {
  switch (v.dtype) {
    case DType::boolean:
      return v.number<uint8_t>(i) ? "True" : "False";
    case DType::int8:
      return fmt::format("{}", v.number<int8_t>(i));
    case DType::int16:
      return fmt::format("{}", v.number<int16_t>(i));
    case DType::int32:
      return fmt::format("{}", v.number<int32_t>(i));
    case DType::int64:
      return fmt::format("{}", v.number<int64_t>(i));
    case DType::uint8:
      return fmt::format("{}", v.number<uint8_t>(i));
    case DType::uint16:
      return fmt::format("{}", v.number<uint16_t>(i));
    case DType::uint32:
      return fmt::format("{}", v.number<uint32_t>(i));
    case DType::uint64:
      return fmt::format("{}", v.number<uint64_t>(i));
    case DType::float16:
      return half_text(v.number<uint16_t>(i));
    case DType::float32:
      return real_text(v.number<float>(i), precision);
    case DType::float64:
      return real_text(v.number<double>(i), precision);
    case DType::complex64:
      return real_text(v.number<float>(2 * i), precision) + "+" +
             real_text(v.number<float>(2 * i + 1), precision) + "j";
    case DType::complex128:
      return real_text(v.number<double>(2 * i), precision) + "+" +
             real_text(v.number<double>(2 * i + 1), precision) + "j";
    case DType::datetime64:
      return datetime_text(v.number<int64_t>(i), v.unit);
    case DType::timedelta64:
      return timedelta_text(v.number<int64_t>(i), v.unit);
  }
  return {};
}

}  // namespace io

std::string python_repr(std::string_view s) {
  const bool doubled = s.find('\'') != s.npos && s.find('"') == s.npos;
  const char quote = doubled ? '"' : '\'';
  std::string out(1, quote);
  for (size_t i = 0; i < s.size();) {
    const io::CodePoint c = io::decode(s, i);
    if (c.bytes == 0) {
      // As Python decodes with surrogateescape: byte 0xff is U+DCFF.
      out += fmt::format("\\udc{:02x}", static_cast<unsigned char>(s[i]));
      i += 1;
      continue;
    }
    if (c.value == '\n')
      out += "\\n";
    else if (c.value == '\r')
      out += "\\r";
    else if (c.value == '\t')
      out += "\\t";
    else if (c.value == '\\' || c.value == static_cast<unsigned char>(quote))
      (out += '\\') += static_cast<char>(c.value);
    else if (c.value < 0x20 || c.value == 0x7f || (c.value < 0x100 && !io::is_printable(c.value)))
      out += fmt::format("\\x{:02x}", static_cast<uint32_t>(c.value));
    else if (io::is_printable(c.value))
      out += s.substr(i, c.bytes);
    else
      out += c.value < 0x10000 ? fmt::format("\\u{:04x}", static_cast<uint32_t>(c.value))
                               : fmt::format("\\U{:08x}", static_cast<uint32_t>(c.value));
    i += c.bytes;
  }
  return out += quote;
}

std::string python_bytes_repr(std::string_view s) {
  const bool doubled = s.find('\'') != s.npos && s.find('"') == s.npos;
  const char quote = doubled ? '"' : '\'';
  std::string out = "b";
  out += quote;
  for (const char ch : s) {
    const auto c = static_cast<unsigned char>(ch);
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (ch == '\\' || ch == quote)
      (out += '\\') += ch;
    else if (c < 0x20 || c >= 0x7f)
      out += fmt::format("\\x{:02x}", c);
    else
      out += ch;
  }
  return out += quote;
}

}  // namespace serrate
