// Strings as NumPy's arrays of text: UTF-8 becomes UTF-32 where it is written, without an object of
// Python's for each.
#include "convert/numpy_text.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace serrate::python {
namespace {

/// The character of more than one byte that begins at s[0], and its bytes; none: 0 bytes.
std::pair<uint32_t, size_t> long_character(std::string_view s) {
  constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<uint8_t>(s[0]);
  const size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || s.size() <= more) return {0, 0};
  uint32_t c = lead & (0x3fU >> more);
  for (size_t i = 1; i <= more; i++) {
    const auto byte = static_cast<uint8_t>(s[i]);
    if ((byte & 0xc0) != 0x80) return {0, 0};
    c = c << 6 | (byte & 0x3fU);
  }
  const bool surrogate = c >= 0xd800 && c < 0xe000;
  if (c < kLeast[more] || surrogate || c > 0x10ffff) return {0, 0};
  return {c, more + 1};
}

/// f of each character; bytes that are no UTF-8 become lone surrogates, as in Python's lists.
template <class F>
void each_character(std::string_view s, F&& f) {
  for (size_t i = 0; i < s.size();) {
    const auto byte = static_cast<uint8_t>(s[i]);
    const auto [c, size] =
        byte < 0x80 ? std::pair<uint32_t, size_t>{byte, 1} : long_character(s.substr(i));
    f(size > 0 ? c : 0xdc00 + byte);
    i += std::max<size_t>(size, 1);
  }
}

int64_t characters(std::string_view s) {
  int64_t n = 0;
  each_character(s, [&](uint32_t) { n++; });
  return n;
}

void write(std::string_view s, uint32_t* out) {
  each_character(s, [&](uint32_t c) { *out++ = c; });
}
void write(std::string_view s, char* out) {
  if (!s.empty()) std::memcpy(out, s.data(), s.size());
}

template <class Unit>
nb::object text_of(const View& v, int64_t first, int64_t n) {
  constexpr bool kText = sizeof(Unit) > 1;
  int64_t longest = 1;
  for (int64_t i = first; i < first + n; i++) {
    const std::string_view s = v.text(i);
    longest = std::max(longest, kText ? characters(s) : static_cast<int64_t>(s.size()));
  }
  const nb::object out = numpy("zeros")(n, (kText ? "U" : "S") + std::to_string(longest));
  const auto bytes =
      nb::cast<nb::ndarray<nb::numpy, uint8_t, nb::c_contig>>(out.attr("view")("uint8"));
  auto* to = reinterpret_cast<Unit*>(bytes.data());
  for (int64_t i = first; i < first + n; i++, to += longest) write(v.text(i), to);
  return out;
}

}  // namespace

nb::object numpy_text(const View& v, int64_t first, int64_t n) {
  return v.kind == ViewKind::string ? text_of<uint32_t>(v, first, n) : text_of<char>(v, first, n);
}

}  // namespace serrate::python
