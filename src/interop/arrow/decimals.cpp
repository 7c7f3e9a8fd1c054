// Decimals to doubles and back.
#include "interop/arrow/decimals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

namespace serrate::interop::arrow {
namespace {

// Digits of a little-endian integer of `width` bytes, with its sign.
std::string digits(const std::byte* p, int width) {
  uint32_t words[8] = {};
  std::memcpy(words, p, static_cast<size_t>(width));
  const int n = width / 4;
  const bool negative = (words[n - 1] >> 31) != 0;
  if (negative) {
    uint64_t carry = 1;
    for (int i = 0; i < n; ++i) {
      carry += static_cast<uint32_t>(~words[i]);
      words[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  std::string out;
  while (std::any_of(words, words + n, [](uint32_t w) { return w != 0; })) {
    uint64_t rest = 0;
    for (int i = n; i-- > 0;) {
      rest = rest << 32 | words[i];
      words[i] = static_cast<uint32_t>(rest / 1000000000);
      rest %= 1000000000;
    }
    for (int k = 0; k < 9; ++k, rest /= 10) out += static_cast<char>('0' + rest % 10);
  }
  if (out.empty()) out = "0";
  if (negative) out += '-';
  std::reverse(out.begin(), out.end());
  return out;
}

Buffer to_decimals(int64_t n, int width, auto&& value) {
  void* made = nullptr;
  Buffer b = Buffer::allocate(n * width, &made);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = value(i);
    auto* to = static_cast<std::byte*>(made) + i * width;
    std::memset(to, v < 0 ? 0xff : 0, static_cast<size_t>(width));
    std::memcpy(to, &v, static_cast<size_t>(std::min(width, 8)));
  }
  return b;
}

}  // namespace

int64_t power_of_ten(int n) {
  int64_t p = 1;
  for (int i = 0; i < n; ++i) p *= 10;
  return p;
}

double decimal_scale(int n) {
  const std::string text = fmt::format("1e{}", n);
  double x = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), x);
  return done.ec == std::errc{} ? x : n > 0 ? HUGE_VAL : 0;
}

Buffer decimals_to_doubles(const void* data, int64_t n, int width, int scale) {
  void* made = nullptr;
  Buffer b = Buffer::allocate(n * 8, &made);
  for (int64_t i = 0; i < n; ++i) {
    const std::string text = fmt::format(
        "{}e{}", digits(static_cast<const std::byte*>(data) + i * width, width), -scale);
    double x = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), x);
    if (done.ec != std::errc{}) x = scale > 0 ? 0 : text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    static_cast<double*>(made)[i] = x;
  }
  return b;
}

Buffer doubles_to_decimals(const double* data, int64_t n, int width, int scale) {
  const double s = decimal_scale(std::abs(scale));
  return to_decimals(n, width, [&](int64_t i) {
    const double x = scale < 0 ? data[i] / s : data[i] * s;
    return std::isfinite(x) && std::abs(x) < 1e18 ? std::llround(x) : int64_t{0};
  });
}

Buffer integers_to_decimals(const int64_t* data, int64_t n, int width, int scale) {
  const int64_t s = power_of_ten(-scale);
  return to_decimals(n, width, [&](int64_t i) { return data[i] / s; });
}

}  // namespace serrate::interop::arrow
