// Are places inside of an array? See cpu/lists/flat/places.h. By signs: unsigned comparisons of 64
// bits are no instructions of most vectors.
#include <cstdint>
#include <type_traits>

#include "core/types/with_number.h"
#include "serrate/dtype.h"

namespace serrate::cpu::SERRATE_ISA {

unsigned look_at_places(DType type, const void* places, int64_t n, int64_t size);

namespace {

template <class I>
unsigned look(const I* places, int64_t n, uint64_t size) {
  uint64_t outside = 0, below = 0;
  for (int64_t i = 0; i < n; i++) {
    const auto at = static_cast<uint64_t>(static_cast<int64_t>(places[i]));
    const uint64_t beyond = size - 1 - at;
    // What wraps around has a sign, too.
    if constexpr (std::is_same_v<I, uint64_t>) {
      outside |= at | beyond;
    } else if constexpr (std::is_signed_v<I>) {
      outside |= (at + size) | beyond;
      below |= at;
    } else {
      outside |= beyond;
    }
  }
  // kOutside, kBelow
  return static_cast<unsigned>((outside >> 63) | (below >> 63 << 1));
}

}  // namespace

unsigned look_at_places(DType type, const void* places, int64_t n, int64_t size) {
  return with_integer(type, [&]<class I>(I) {
    return look(static_cast<const I*>(places), n, static_cast<uint64_t>(size));
  });
}

}  // namespace serrate::cpu::SERRATE_ISA
