// Fuzzer of from_buffers: a form in JSON, a zero byte, then bytes that become all its buffers. What
// is accepted must print, walk and come back the same from to_buffers.
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>

#include "serrate/error.h"
#include "serrate/io.h"

namespace {

// A size of five digits in a form makes arrays that no buffer backs: gigabytes for nothing.
bool has_long_number(std::string_view text) {
  int digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
    if (digits > 4) return true;
  }
  return false;
}

// Offsets and indexes are small: one byte of input each.
serrate::Buffer buffer(const std::string& key, const std::string& bytes) {
  if (key.ends_with("data") || key.ends_with("mask") || key.ends_with("tags"))
    return serrate::Buffer::copy_of(bytes.data(), static_cast<int64_t>(bytes.size()));
  std::string wide(8 * bytes.size(), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int64_t x = static_cast<signed char>(bytes[i]);
    std::memcpy(&wide[8 * i], &x, 8);
  }
  return serrate::Buffer::copy_of(wide.data(), static_cast<int64_t>(wide.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  if (end == std::string::npos || end + 1 >= size) return 0;
  const std::string form = input.substr(0, end);
  if (has_long_number(form)) return 0;
  const int64_t length = input[end + 1] & 15;
  const std::string rest = input.substr(end + 2);
  const auto container = [&](const std::string& key) {
    const size_t start = rest.empty() ? 0 : static_cast<unsigned char>(key[0]) % rest.size();
    return buffer(key, rest.substr(start));
  };
  serrate::Array x;
  try {
    x = serrate::from_buffers(form, length, container);
  } catch (const std::exception&) {
    return 0;
  }
  // Long arrays of nothing are valid too, but not worth the time.
  if (form.find("\"size\"") != form.npos && form.size() > 2000) return 0;
  const std::string text = serrate::to_string(x);
  serrate::show(x);
  serrate::repr(x);
  const serrate::Buffers out = serrate::to_buffers(x);
  const std::map<std::string, serrate::Buffer> buffers(out.buffers.begin(), out.buffers.end());
  const serrate::Array y = serrate::from_buffers(
      out.form_json, out.length, [&](const std::string& key) { return buffers.at(key); });
  if (x.type() != y.type() || serrate::to_string(y) != text) std::abort();
  return 0;
}
