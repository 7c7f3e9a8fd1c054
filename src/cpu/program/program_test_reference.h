// What NumPy gives for one item, written for clearness: long double for floating point, 128 bits
// for integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "serrate/op.h"

namespace serrate::cpu {

template <class T>
std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    return {T(0),
            T(1),
            T(2),
            T(3),
            T(7),
            T(8),
            T(31),
            T(33),
            T(63),
            T(64),
            T(100),
            L::max(),
            L::min(),
            T(L::max() - 1),
            T(L::min() + 1),
            T(-1),
            T(-2),
            T(-7)};
  } else {
    const T inf = L::infinity();
    return {0,
            T(-0.0),
            1,
            -1,
            T(0.5),
            T(-0.5),
            T(1.5),
            T(2.5),
            T(-2.5),
            T(0.1),
            T(3.3),
            T(-3.3),
            10,
            20,
            T(-20.7),
            100,
            T(1e-3),
            T(1e-10),
            T(12345.678),
            L::max(),
            L::lowest(),
            L::min(),
            L::denorm_min(),
            L::epsilon(),
            inf,
            -inf,
            L::quiet_NaN(),
            T(0.999),
            T(-0.999)};
  }
}

// What the result is kept in: exact for integers, 64 bits of mantissa for floating point.
template <class T>
using Exact = std::conditional_t<std::is_floating_point_v<T>, long double, __int128>;

template <class T>
Exact<T> reference_float(Op op, T a, T b) {
  const long double x = a, y = b;
  const auto floored = [&] {
    if (b == 0) return static_cast<long double>(a / b);
    const T r = std::fmod(a, b);
    T q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) q -= 1;
    return static_cast<long double>(q == 0 ? std::copysign(T(0), a / b) : std::round(q));
  };
  const auto remainder = [&] {
    long double r = std::fmod(x, y);
    if (b == 0) return r;
    if (r == 0) return std::copysign(0.0L, y);
    return (y < 0) != (r < 0) ? static_cast<long double>(static_cast<T>(r) + b) : r;
  };
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::floor_divide:
      return floored();
    case Op::remainder:
      return remainder();
    case Op::fmod:
      return std::fmod(x, y);
    case Op::power:
    case Op::float_power:
      return std::pow(x, y);
    case Op::negative:
      return -x;
    case Op::positive:
    case Op::conjugate:
    case Op::real:
      return x;
    case Op::imag:
      return 0;
    case Op::angle:
      return std::isnan(x) ? x : x < 0 ? static_cast<long double>(T(M_PIl)) : 0;
    case Op::modf_integer:
      return std::trunc(x);
    case Op::modf_fraction:
      return std::isinf(x) ? std::copysign(0.0L, x) : std::copysign(x - std::trunc(x), x);
    case Op::frexp_mantissa: {
      int e = 0;
      return std::frexp(a, &e);
    }
    case Op::frexp_exponent: {
      int e = 0;
      std::frexp(a, &e);
      return a - a == 0 ? e : 0;
    }
    case Op::absolute:
    case Op::fabs:
      return std::fabs(x);
    case Op::sign:
      return std::isnan(x) ? x : (x > 0) - (x < 0);
    case Op::square:
      return a * a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::cbrt:
      return std::cbrt(x);
    case Op::reciprocal:
      return 1 / a;
    case Op::equal:
      return x == y;
    case Op::not_equal:
      return x != y;
    case Op::less:
      return x < y;
    case Op::less_equal:
      return x <= y;
    case Op::greater:
      return x > y;
    case Op::greater_equal:
      return x >= y;
    case Op::maximum:
      return std::isnan(x) ? x : std::isnan(y) ? y : std::max(x, y);
    case Op::minimum:
      return std::isnan(x) ? x : std::isnan(y) ? y : std::min(x, y);
    case Op::fmax:
      return std::fmax(x, y);
    case Op::fmin:
      return std::fmin(x, y);
    case Op::logical_and:
      return x != 0 && y != 0;
    case Op::logical_or:
      return x != 0 || y != 0;
    case Op::logical_xor:
      return (x != 0) != (y != 0);
    case Op::logical_not:
      return x == 0;
    case Op::sin:
      return std::sin(x);
    case Op::cos:
      return std::cos(x);
    case Op::tan:
      return std::tan(x);
    case Op::arcsin:
      return std::asin(x);
    case Op::arccos:
      return std::acos(x);
    case Op::arctan:
      return std::atan(x);
    case Op::arctan2:
      return std::atan2(x, y);
    case Op::hypot:
      return std::hypot(x, y);
    case Op::sinh:
      return std::sinh(x);
    case Op::cosh:
      return std::cosh(x);
    case Op::tanh:
      return std::tanh(x);
    case Op::arcsinh:
      return std::asinh(x);
    case Op::arccosh:
      return std::acosh(x);
    case Op::arctanh:
      return std::atanh(x);
    case Op::deg2rad:
    case Op::radians:
      return a * T(M_PIl / 180);
    case Op::rad2deg:
    case Op::degrees:
      return a * T(180 / M_PIl);
    case Op::exp:
      return std::exp(x);
    case Op::exp2:
      return std::exp2(x);
    case Op::expm1:
      return std::expm1(x);
    case Op::log:
      return std::log(x);
    case Op::log2:
      return std::log2(x);
    case Op::log10:
      return std::log10(x);
    case Op::log1p:
      return std::log1p(x);
    case Op::logaddexp:
      return x == y ? x + M_LN2l : std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
    case Op::logaddexp2:
      return x == y ? x + 1 : std::fmax(x, y) + M_LOG2El * std::log1p(std::exp2(-std::fabs(x - y)));
    case Op::rint:
      return std::rint(x);
    case Op::floor:
      return std::floor(x);
    case Op::ceil:
      return std::ceil(x);
    case Op::trunc:
      return std::trunc(x);
    case Op::isnan:
      return std::isnan(x);
    case Op::isinf:
      return std::isinf(x);
    case Op::isfinite:
      return std::isfinite(x);
    case Op::signbit:
      return std::signbit(x);
    case Op::copysign:
      return std::copysign(x, y);
    case Op::nextafter:
      return std::nextafter(a, b);
    case Op::spacing:
      return a == 0 ? std::numeric_limits<T>::denorm_min()
                    : std::nextafter(a, std::copysign(std::numeric_limits<T>::infinity(), a)) - a;
    case Op::heaviside:
      return std::isnan(x) ? x : x < 0 ? 0 : x > 0 ? 1 : y;
    default:
      return -12345;
  }
}

template <class T>
Exact<T> reference_integer(Op op, __int128 x, __int128 y) {
  constexpr int width = std::is_same_v<T, bool> ? 1 : int(sizeof(T)) * 8;
  const auto floored = [&] { return x / y - (x % y != 0 && (x < 0) != (y < 0)); };
  const auto positive = [](__int128 v) { return v < 0 ? -v : v; };
  const auto gcd = [&] {
    __int128 a = positive(x), b = positive(y);
    while (b != 0) std::swap(a %= b, b);
    return a;
  };
  switch (op) {
    case Op::add:
      return std::is_same_v<T, bool> ? (x | y) : x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return static_cast<__int128>(static_cast<unsigned __int128>(x) *
                                   static_cast<unsigned __int128>(y));
    case Op::floor_divide:
      return y == 0 ? 0 : floored();
    case Op::remainder:
      return y == 0 ? 0 : x - floored() * y;
    case Op::fmod:
      return y == 0 ? 0 : x % y;
    case Op::power: {
      if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 != 0 ? -1 : 1) : 0;
      unsigned __int128 r = 1, base = static_cast<unsigned __int128>(x);
      for (; y != 0; y /= 2, base *= base)
        if (y % 2 != 0) r *= base;
      return static_cast<__int128>(r);
    }
    case Op::negative:
      return -x;
    case Op::positive:
    case Op::conjugate:
    case Op::real:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
      return x;
    case Op::imag:
      return 0;
    case Op::absolute:
      return positive(x);
    case Op::sign:
      return (x > 0) - (x < 0);
    case Op::square:
      return static_cast<__int128>(static_cast<unsigned __int128>(x) *
                                   static_cast<unsigned __int128>(x));
    case Op::reciprocal:
      return x == 0 ? 0 : 1 / x;
    case Op::equal:
      return x == y;
    case Op::not_equal:
      return x != y;
    case Op::less:
      return x < y;
    case Op::less_equal:
      return x <= y;
    case Op::greater:
      return x > y;
    case Op::greater_equal:
      return x >= y;
    case Op::maximum:
    case Op::fmax:
      return x > y ? x : y;
    case Op::minimum:
    case Op::fmin:
      return x < y ? x : y;
    case Op::logical_and:
      return x != 0 && y != 0;
    case Op::logical_or:
      return x != 0 || y != 0;
    case Op::logical_xor:
      return (x != 0) != (y != 0);
    case Op::logical_not:
      return x == 0;
    case Op::bitwise_and:
      return x & y;
    case Op::bitwise_or:
      return x | y;
    case Op::bitwise_xor:
      return x ^ y;
    case Op::invert:
      return std::is_same_v<T, bool> ? x ^ 1 : ~x;
    case Op::bitwise_count:
      return std::popcount(static_cast<uint64_t>(positive(x)));
    case Op::left_shift:
      return y < 0 || y >= width ? 0 : x * (__int128(1) << y);
    case Op::right_shift:
      return y < 0 || y >= width ? (x < 0 ? -1 : 0) : x >> y;
    case Op::isnan:
    case Op::isinf:
      return 0;
    case Op::isfinite:
      return 1;
    case Op::gcd:
      return gcd();
    case Op::lcm: {
      const __int128 g = gcd();
      using U = unsigned __int128;
      return g == 0 ? 0
                    : static_cast<__int128>(static_cast<U>(positive(x) / g) *
                                            static_cast<U>(positive(y)));
    }
    default:
      return -12345;
  }
}

template <class T>
Exact<T> reference(Op op, T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return reference_float<T>(op, x, y);
  else
    return reference_integer<T>(op, x, y);
}

/// The error that the table allows for one result, in units in its last place.
template <class T>
double tolerance(Op op, [[maybe_unused]] T x, [[maybe_unused]] T y,
                 [[maybe_unused]] Exact<T> expected) {
  if constexpr (!std::is_floating_point_v<T>) {
    return 0.5;
  } else {
    // Which of two zeros is the larger is left open, as in NumPy: not exactly 0.5.
    if (op == Op::maximum || op == Op::minimum || op == Op::fmax || op == Op::fmin) return 0.51;
    if (info(op).cost < 20) return 0.5;
    if (op == Op::logaddexp || op == Op::logaddexp2) {
      // Where the sum cancels, the error is of the size of the arguments.
      const double size =
          static_cast<double>(std::max(std::fabs(x), std::fabs(y)) / std::fabs(expected));
      return std::isfinite(size) && size > 1 ? 4 * size : 4;
    }
    const bool fast =
        op == Op::sin || op == Op::cos || op == Op::sinh || op == Op::cosh || op == Op::tanh;
    return fast && sizeof(T) == 4 ? 3.5 : 1.0;
  }
}

template <class T>
bool agrees(T got, Exact<T> expected, double ulp) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
    const T rounded = static_cast<T>(expected);
    if (got == rounded) return got != 0 || ulp > 0.5 || std::signbit(got) == std::signbit(rounded);
    if (std::isinf(got) || std::isinf(rounded))
      return ulp > 0.5 && std::fabs(expected) >= 0.9999L * std::numeric_limits<T>::max() &&
             (got > 0) == (expected > 0);
    const T size = std::max(std::fabs(rounded), std::numeric_limits<T>::min());
    const long double unit =
        std::ldexp(1.0L, std::ilogb(size) + 1 - std::numeric_limits<T>::digits);
    return std::fabs(static_cast<long double>(got) - expected) <= ulp * unit;
  } else {
    return got == static_cast<T>(expected);
  }
}

}  // namespace serrate::cpu
