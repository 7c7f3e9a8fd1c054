// Foreign memory: byte order, alignment, booleans; and the names of buffers.
#include "interop/foreign.h"

#include <algorithm>
#include <cstring>

#include "serrate/error.h"
#include "serrate/io.h"

namespace serrate {
namespace interop {

Buffer swapped(const Buffer& b, DType t) {
  const int unit = is_complex(t) ? itemsize(t) / 2 : itemsize(t);
  void* out = nullptr;
  Buffer copy = Buffer::allocate(b.bytes(), &out);
  auto* to = static_cast<std::byte*>(out);
  if (b.bytes()) std::memcpy(to, b.data(), static_cast<size_t>(b.bytes()));
  if (unit > 1) {
    for (int64_t i = 0; i + unit <= b.bytes(); i += unit) std::reverse(to + i, to + i + unit);
  }
  return copy;
}

Buffer usable(const Buffer& b, DType t, bool swap) {
  if (swap && itemsize(t) > 1) return swapped(b, t);
  const int unit = is_complex(t) ? itemsize(t) / 2 : itemsize(t);
  if (reinterpret_cast<uintptr_t>(b.data()) % static_cast<uintptr_t>(unit))
    return Buffer::copy_of(b.data(), b.bytes());
  return b;
}

/// Whether all bytes are 0 or 1; words side by side, so that none waits for the one before.
bool are_zeros_and_ones(const uint8_t* bytes, int64_t n) {
  constexpr int64_t kWords = 8, kWord = sizeof(uint64_t);
  uint64_t all[kWords] = {};
  int64_t i = 0;
  for (; i + kWords * kWord <= n; i += kWords * kWord) {
    for (int64_t k = 0; k < kWords; k++) {
      uint64_t word;
      std::memcpy(&word, bytes + i + k * kWord, sizeof word);
      all[k] |= word;
    }
  }
  uint64_t any = 0;
  for (; i < n; i++) any |= bytes[i];
  for (const uint64_t word : all) any |= word;
  return (any & ~uint64_t{0x0101010101010101}) == 0;
}

Buffer zeros_and_ones(const Buffer& b, bool one) {
  const auto* in = b.as<uint8_t>();
  if (one && are_zeros_and_ones(in, b.bytes())) return b;
  void* out = nullptr;
  Buffer copy = Buffer::allocate(b.bytes(), &out);
  for (int64_t i = 0; i < b.bytes(); ++i) static_cast<uint8_t*>(out)[i] = (in[i] != 0) == one;
  return copy;
}

}  // namespace interop

BufferKey buffer_key(std::string pattern) {
  const auto has = [&](const char* name) { return pattern.find(name) != std::string::npos; };
  check<ValueError>(has("{form_key}") && has("{attribute}"),
                    "buffer_key: expected a pattern with {{form_key}} and {{attribute}}, got {}",
                    pattern);
  return [pattern = std::move(pattern)](const std::string& form_key, const std::string& attribute) {
    std::string out;
    for (size_t i = 0; i < pattern.size();) {
      const std::string_view rest = std::string_view(pattern).substr(i);
      if (rest.starts_with("{form_key}")) {
        out += form_key;
        i += 10;
      } else if (rest.starts_with("{attribute}")) {
        out += attribute;
        i += 11;
      } else {
        out += pattern[i++];
      }
    }
    return out;
  };
}

}  // namespace serrate
