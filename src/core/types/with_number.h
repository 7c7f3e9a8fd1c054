// A DType as a type of C++.
#pragma once

#include <cstdint>

#include "serrate/dtype.h"

namespace serrate {

/// f of a value of the integer type t; booleans are read as bytes.
template <class F>
decltype(auto) with_integer(DType t, F&& f) {
  switch (t) {
    case DType::int8:
      return f(int8_t{});
    case DType::int16:
      return f(int16_t{});
    case DType::int32:
      return f(int32_t{});
    case DType::boolean:
    case DType::uint8:
      return f(uint8_t{});
    case DType::uint16:
      return f(uint16_t{});
    case DType::uint32:
      return f(uint32_t{});
    case DType::uint64:
      return f(uint64_t{});
    default:
      return f(int64_t{});
  }
}

/// The same of float32 and float64, too.
template <class F>
decltype(auto) with_number(DType t, F&& f) {
  if (t == DType::float32) return f(float{});
  if (t == DType::float64) return f(double{});
  return with_integer(t, f);
}

}  // namespace serrate
