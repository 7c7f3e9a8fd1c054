// Copies of numbers of any type: as unsigned integers of their size, or two of them.
#pragma once

#include <cstdint>

namespace serrate {

/// f of a value of the unsigned integer of 1, 2, 4 or 8 bytes.
template <class F>
decltype(auto) with_unsigned(int64_t size, F&& f) {
  switch (size) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

struct Bytes16 {
  uint64_t low, high;
};

/// The same, of 16 bytes, too.
template <class F>
decltype(auto) with_bytes(int64_t size, F&& f) {
  if (size == 16) return f(Bytes16{});
  return with_unsigned(size, f);
}

}  // namespace serrate
