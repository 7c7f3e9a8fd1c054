// Functions of one complex number as NumPy's umath defines them, where std::complex differs or has
// none.
#pragma once

#include <cmath>
#include <complex>

namespace serrate::cpu::complex_math {

template <class T>
using C = std::complex<T>;

template <class T>
bool is_nan(C<T> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}

// The order of pairs; nothing is less than a pair with a NaN.
template <class T>
bool less(C<T> x, C<T> y) {
  return (x.real() < y.real() && !std::isnan(x.imag()) && !std::isnan(y.imag())) ||
         (x.real() == y.real() && x.imag() < y.imag());
}
template <class T>
bool less_equal(C<T> x, C<T> y) {
  return (x.real() < y.real() && !std::isnan(x.imag()) && !std::isnan(y.imag())) ||
         (x.real() == y.real() && x.imag() <= y.imag());
}

// Without C99's recovery of infinities, as NumPy.
template <class T>
C<T> multiply(C<T> x, C<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// Smith's algorithm (1962).
template <class T>
C<T> divide(C<T> x, C<T> y) {
  const T a = std::abs(y.real()), b = std::abs(y.imag());
  if (a >= b) {
    if (a == 0 && b == 0) return {x.real() / a, x.imag() / a};
    const T ratio = y.imag() / y.real(), scale = T(1) / (y.real() + y.imag() * ratio);
    return {(x.real() + x.imag() * ratio) * scale, (x.imag() - x.real() * ratio) * scale};
  }
  const T ratio = y.real() / y.imag(), scale = T(1) / (y.imag() + y.real() * ratio);
  return {(x.real() * ratio + x.imag()) * scale, (x.imag() * ratio - x.real()) * scale};
}

template <class T>
C<T> reciprocal(C<T> x) {
  if (std::abs(x.imag()) <= std::abs(x.real())) {
    const T ratio = x.imag() / x.real(), size = x.real() + x.imag() * ratio;
    return {T(1) / size, -ratio / size};
  }
  const T ratio = x.real() / x.imag(), size = x.real() * ratio + x.imag();
  return {ratio / size, T(-1) / size};
}

template <class T>
C<T> power(C<T> x, C<T> y) {
  if (y.real() == 0 && y.imag() == 0) return {1, 0};
  if (x.real() == 0 && x.imag() == 0) {
    if (y.real() > 0) return {0, 0};
    const T nan = std::numeric_limits<T>::quiet_NaN();
    return {nan, nan};
  }
  if (y.imag() == 0 && std::abs(y.real()) < 100 && y.real() == std::trunc(y.real())) {
    // Small whole exponents by multiplication.
    int n = static_cast<int>(std::abs(y.real()));
    if (y.real() == 1) return x;
    C<T> r{1, 0};
    for (C<T> base = x; n != 0; n >>= 1, base = multiply(base, base))
      if (n & 1) r = multiply(r, base);
    return y.real() < 0 ? divide(C<T>{1, 0}, r) : r;
  }
  return std::pow(x, y);
}

template <class T>
C<T> sign(C<T> x) {
  const T length = std::abs(x);
  if (std::isnan(length)) return {length, length};
  if (length == 0) return {0, 0};
  if (std::isinf(length)) {
    if (std::isinf(x.real()) && std::isinf(x.imag())) {
      const T nan = std::numeric_limits<T>::quiet_NaN();
      return {nan, nan};
    }
    return std::isinf(x.real()) ? C<T>{x.real() > 0 ? T(1) : T(-1), 0}
                                : C<T>{0, x.imag() > 0 ? T(1) : T(-1)};
  }
  return {x.real() / length, x.imag() / length};
}

template <class T>
C<T> expm1(C<T> x) {
  const T half = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
          std::exp(x.real()) * std::sin(x.imag())};
}

template <class T>
C<T> log1p(C<T> x) {
  return {std::log(std::hypot(x.real() + 1, x.imag())), std::atan2(x.imag(), x.real() + 1)};
}

}  // namespace serrate::cpu::complex_math
