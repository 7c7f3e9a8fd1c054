// Memory that holds one item again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace serrate {

/// The first `have` bytes of `out` again and again, up to `all` of them: what is there is copied,
/// from the first cache.
inline void repeat_bytes(void* out, size_t have, size_t all) {
  constexpr size_t kNear = 4096;
  auto* const to = static_cast<char*>(out);
  size_t near = have;  // whole periods
  for (size_t done = have; done < all;) {
    const size_t more = std::min(near, all - done);
    std::memcpy(to + done, to, more);
    done += more;
    if (near < kNear) near = done;
  }
}

/// n items that are all the first one's bytes.
inline void fill_items(void* to, const void* item, size_t size, size_t n) {
  if (n == 0) return;
  auto* out = static_cast<char*>(to);
  const auto* bytes = static_cast<const unsigned char*>(item);
  if (std::all_of(bytes, bytes + size, [&](unsigned char b) { return b == bytes[0]; })) {
    std::memset(out, bytes[0], size * n);
    return;
  }
  std::memcpy(out, item, size);
  repeat_bytes(out, size, size * n);
}

}  // namespace serrate
