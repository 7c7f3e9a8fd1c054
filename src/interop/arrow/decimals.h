// Arrow's decimals: integers of up to 256 bits, with as many digits behind the point as their scale
// says.
#pragma once

#include <cstdint>

#include "serrate/buffer.h"

namespace serrate::interop::arrow {

/// Whether int64 holds all numbers of so many digits with that scale.
constexpr bool is_whole(int precision, int scale) { return scale <= 0 && precision - scale <= 18; }
/// Whether each of them is the nearest one to its nearest double.
constexpr bool is_exact(int precision, int scale) {
  return is_whole(precision, scale) || precision <= 15;
}
/// 10^n, n up to 18; and as a double, of any n.
int64_t power_of_ten(int n);
double decimal_scale(int n);

/// The nearest doubles of n decimals of `width` bytes.
Buffer decimals_to_doubles(const void* data, int64_t n, int width, int scale);
/// And back, rounded: for numbers that is_exact.
Buffer doubles_to_decimals(const double* data, int64_t n, int width, int scale);
Buffer integers_to_decimals(const int64_t* data, int64_t n, int width, int scale);

}  // namespace serrate::interop::arrow
