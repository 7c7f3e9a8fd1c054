// Greatest common divisors and least common multiples of integers, each by its own: Euclid's
// algorithm with least absolute remainders (D. Knuth, "The Art of Computer Programming", 4.5.2 and
// 4.5.3), in floats, as vectors divide nothing else.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/isa/rows.h"
#include "cpu/program/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

/// What integers of T are computed in. Whole numbers below kBelow, products of which with a rounded
/// quotient are less than twice that, are themselves there.
template <class T>
struct Divisors {
  using U = std::make_unsigned_t<T>;
  using Real = std::conditional_t<(sizeof(T) < 4), float, double>;
  using Bits = std::conditional_t<(sizeof(T) < 4), uint32_t, uint64_t>;
  static constexpr int kMantissa = sizeof(Real) == 4 ? 23 : 52;
  static constexpr Bits kBelow = Bits{1} << (kMantissa - 1);
  static constexpr Real kOne = Real(Bits{1} << kMantissa), kRound = kOne + kOne / 2;

  static Bits magnitude(T x) {
    const U u = U(x);
    return Bits(std::is_signed_v<T> && x < 0 ? U(U(0) - u) : u);
  }
  static Bits bits(Real x) { return __builtin_bit_cast(Bits, x); }
  /// Whole numbers and back, by the exponent that is put before their bits.
  static Real real(Bits x) { return __builtin_bit_cast(Real, x | bits(kOne)) - kOne; }
  static Bits whole(Real x) { return bits(x + kOne) ^ bits(kOne); }

  /// a becomes the divisor, of b nothing is left.
  static void run(Real* a, Real* b) {
    Bits left;
    do {
      left = 0;
#pragma GCC ivdep
      for (int k = 0; k < kItems; k++) {
        const bool done = b[k] == 0;
        const Real by = done ? Real(1) : b[k];
        const Real quotient = (a[k] / by + kRound) - kRound;
        const Real rest = a[k] - quotient * by, size = rest < 0 ? -rest : rest;
        a[k] = done ? a[k] : by;
        b[k] = done ? Real(0) : size;
        left |= bits(b[k]);
      }
    } while (left != 0);
  }
};

/// n is a multiple of kItems.
template <Op O, Operands F, class T>
void divisors_by_each(const T* x, const T* y, T* out, int64_t n) {
  using D = Divisors<T>;
  using Bits = typename D::Bits;
  const T one_x = *x, one_y = *y;
  for (int64_t i = 0; i < n; i += kItems) {
    const auto x_at = [&](int k) { return F == Operands::first_is_one ? one_x : x[i + k]; };
    const auto y_at = [&](int k) { return F == Operands::second_is_one ? one_y : y[i + k]; };
    typename D::Real a[kItems], b[kItems];
    Bits all = 0;
    for (int k = 0; k < kItems; k++) {
      const Bits first = D::magnitude(x_at(k)), second = D::magnitude(y_at(k));
      all |= first | second;
      a[k] = D::real(first);
      b[k] = D::real(second);
    }
    if (sizeof(T) == 8 && all >= D::kBelow) {
      for (int k = 0; k < kItems; k++) out[i + k] = T(Row<O>::of(x_at(k), y_at(k)));
      continue;
    }
    D::run(a, b);
#pragma GCC ivdep
    for (int k = 0; k < kItems; k++) {
      if constexpr (O == Op::gcd) {
        out[i + k] = T(D::whole(a[k]));
      } else {
        const auto by = a[k] == 0 ? typename D::Real(1) : a[k];
        const Bits times = D::whole(D::real(D::magnitude(x_at(k))) / by);
        out[i + k] = T(times * D::magnitude(y_at(k)));
      }
    }
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
