// Strings of JSON, values that are passed over, and errors: see cursor.h.
#include "io/json/cursor.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace serrate::io {
namespace {

// Four hexadecimal digits, or -1.
int hex4(const char* p) {
  int out = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = p[i];
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    out = 16 * out + digit;
  }
  return out;
}

void append_utf8(std::string& s, int c) {
  const auto add = [&s](int byte) { s += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xc0 | c >> 6);
    add(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    add(0xe0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  } else {
    add(0xf0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3f));
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  }
}

char unescaped(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

}  // namespace

const char* JsonCursor::find_special(const char* p) const {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  for (; end_ - p >= 16; p += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const int found =
        _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash)));
    if (found != 0) return p + __builtin_ctz(static_cast<unsigned>(found));
  }
#endif
  while (*p != '"' && *p != '\\') ++p;
  return p;
}

std::string_view JsonCursor::decode(const char* p, const char* escape, std::string& scratch) const {
  scratch.assign(p, escape);
  for (p = escape; *p != '"';) {
    if (*p != '\\') {
      const char* q = find_special(p);
      scratch.append(p, q);
      p = q;
      continue;
    }
    if (p[1] != 'u') {
      const char c = unescaped(p[1]);
      if (c == '\0') fail(p, "no such escape sequence");
      scratch += c;
      p += 2;
      continue;
    }
    // There is a quote further on, so hex4 stops before the text's end.
    int c = hex4(p + 2);
    const char* q = p + 6;
    if (c >= 0xd800 && c < 0xdc00) {
      const int low = q[0] == '\\' && q[1] == 'u' ? hex4(q + 2) : -1;
      c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : -1;
      q += 6;
    } else if (c >= 0xdc00 && c < 0xe000) {
      c = -1;
    }
    if (c < 0) fail(p, "no such code point");
    append_utf8(scratch, c);
    p = q;
  }
  return scratch;
}

void JsonCursor::pass(const char* p, std::string& scratch) {
  switch (*p) {
    case '"':
      string(p + 1, scratch);
      return;
    case 't':
      return literal(p, "true");
    case 'f':
      return literal(p, "false");
    case 'n':
      return literal(p, "null");
    case '[': {
      const Level level(*this, p);
      if (peek() == ']') return skip();
      do {
        pass(next(), scratch);
      } while (more(']'));
      return;
    }
    case '{': {
      const Level level(*this, p);
      if (peek() == '}') return skip();
      do {
        string(key(), scratch);
        colon();
        pass(next(), scratch);
      } while (more('}'));
      return;
    }
    default:
      number(p);
  }
}

void JsonCursor::fail(const char* p, std::string what) const {
  throw JsonError{static_cast<size_t>(p - text_), std::move(what)};
}

void JsonCursor::fail_value(const char* p) const { fail(p, "expected a value"); }

void JsonCursor::fail_number(const char* p, NumberError error) const {
  if (error == NumberError::too_large) fail(p, "a number too large for float64");
  if (*p == '-' || is_digit(*p)) fail(p, "no number as JSON writes them");
  fail_value(p);
}

}  // namespace serrate::io
