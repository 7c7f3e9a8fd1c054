// Complex numbers as matrices are folded and multiplied: as core/math/complex.h has them, without
// C99's recovery of infinities.
#pragma once

namespace serrate::cpu::SERRATE_ISA {

template <class T>
struct Complex {
  T re, im;
  bool is_zero() const { return re == 0 && im == 0; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
};

}  // namespace serrate::cpu::SERRATE_ISA
