// Numbers and strings of JSON text: see text.h.
#include "io/json/text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace serrate::io {
namespace {

// 0: as it is; 'u': by its number; else what stands behind the backslash.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> out{};
  for (size_t c = 0; c < 256; ++c) out[c] = c < 0x20 || c > 0x7e ? 'u' : '\0';
  out['"'] = '"';
  out['\\'] = '\\';
  out['\b'] = 'b';
  out['\f'] = 'f';
  out['\n'] = 'n';
  out['\r'] = 'r';
  out['\t'] = 't';
  return out;
}();

char* write_unit(char* out, unsigned unit) {
  *out++ = '\\';
  *out++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *out++ = "0123456789abcdef"[unit >> shift & 15];
  return out;
}

// The code point at p, moved behind it; of bytes that are no UTF-8 the surrogate of one byte.
unsigned code_point(const unsigned char*& p, const unsigned char* end) {
  const unsigned c = *p++;
  const int more = c < 0x80 ? 0 : c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : -1;
  if (more == 0) return c;
  if (more < 0 || c >= 0xf5 || end - p < more) return 0xdc00 + c;
  unsigned out = c & (0x3fu >> more);
  for (int i = 0; i < more; ++i) {
    if ((p[i] & 0xc0) != 0x80) return 0xdc00 + c;
    out = out << 6 | (p[i] & 0x3fu);
  }
  constexpr unsigned kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (out < kLeast[more] || out > 0x10ffff || (out >= 0xd800 && out < 0xe000)) return 0xdc00 + c;
  p += more;
  return out;
}

}  // namespace

char* write_integer(char* out, int64_t x) { return std::to_chars(out, out + 32, x).ptr; }
char* write_integer(char* out, uint64_t x) { return std::to_chars(out, out + 32, x).ptr; }

char* write_double(char* out, double x) {
  if (std::fabs(x) < 9007199254740992.0 && x == std::trunc(x)) {
    if (std::signbit(x)) *out++ = '-';
    out = write_integer(out, static_cast<int64_t>(std::fabs(x)));
    *out++ = '.';
    *out++ = '0';
    return out;
  }
  // d.ddde+xx, of which Python writes exponents from -4 to 15 as positions of the point.
  char text[40];
  const char* end = std::to_chars(text, text + 40, x, std::chars_format::scientific).ptr;
  const char* p = text;
  if (*p == '-') *out++ = *p++;
  const char* e = end - 1;
  while (*e != 'e') --e;
  int exponent = 0;
  std::from_chars(e + 1 + (e[1] == '+'), end, exponent);
  if (exponent < -4 || exponent >= 16) {
    std::memcpy(out, p, static_cast<size_t>(end - p));
    return out + (end - p);
  }
  char digits[24];
  int n = 0;
  for (; p != e; ++p) {
    if (*p != '.') digits[n++] = *p;
  }
  if (exponent < 0) {
    std::memcpy(out, "0.000", 5);
    out += 1 - exponent;
    std::memcpy(out, digits, static_cast<size_t>(n));
    return out + n;
  }
  const int whole = exponent + 1;
  for (int i = 0; i < whole; ++i) *out++ = i < n ? digits[i] : '0';
  *out++ = '.';
  if (n <= whole) *out++ = '0';
  for (int i = whole; i < n; ++i) *out++ = digits[i];
  return out;
}

void JsonText::quote(std::string_view s) {
  char* out = room(12 * s.size() + 2);
  const auto* p = reinterpret_cast<const unsigned char*>(s.data());
  const unsigned char* const end = p + s.size();
  *out++ = '"';
  while (p != end) {
    const char escape = kEscapes[*p];
    if (escape == '\0') {
      *out++ = static_cast<char>(*p++);
    } else if (escape != 'u') {
      *out++ = '\\';
      *out++ = escape;
      ++p;
    } else {
      const unsigned c = code_point(p, end);
      if (c < 0x10000) {
        out = write_unit(out, c);
      } else {
        out = write_unit(out, 0xd800 + ((c - 0x10000) >> 10));
        out = write_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
      }
    }
  }
  *out++ = '"';
  this->end(out);
}

}  // namespace serrate::io
