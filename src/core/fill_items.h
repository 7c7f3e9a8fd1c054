// Memory that holds one item again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace serrate {

/// n items that are all the first one's bytes.
inline void fill_items(void* to, const void* item, size_t size, size_t n) {
  if (n == 0) return;
  auto* out = static_cast<char*>(to);
  const auto* bytes = static_cast<const unsigned char*>(item);
  if (std::all_of(bytes, bytes + size, [&](unsigned char b) { return b == bytes[0]; })) {
    std::memset(out, bytes[0], size * n);
    return;
  }
  // What is there is copied again and again, from the first cache.
  constexpr size_t kMost = 4096;
  std::memcpy(out, item, size);
  for (size_t have = size, all = size * n; have < all;) {
    const size_t more = std::min({have, all - have, kMost});
    std::memcpy(out + have, out, more);
    have += more;
  }
}

}  // namespace serrate
