// Copies by non-temporal stores, for what is read again only after it has left the caches: lines
// that are overwritten are neither read from memory first nor kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace serrate {

inline void stream_copy(void* to, const void* from, size_t bytes) {
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
#if defined(__SSE2__)
  constexpr size_t kLine = 64;
  if (bytes >= 2 * kLine) {
    const size_t head = -reinterpret_cast<uintptr_t>(out) % kLine;
    std::memcpy(out, in, head);
    out += head, in += head, bytes -= head;
    for (; bytes >= kLine; out += kLine, in += kLine, bytes -= kLine)
      for (size_t i = 0; i < kLine; i += sizeof(__m128i))
        _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
    _mm_sfence();
  }
#endif
  std::memcpy(out, in, bytes);
}

}  // namespace serrate
