// Quotients, remainders, powers and common divisors of integers, each by its own number: vectors
// divide floats only.
#pragma once

#include "cpu/isa/steps/by_one.h"
#include "cpu/isa/steps/divisors.h"
#include "cpu/program/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

/// Operations that are quotients of integers or what these leave over, powers, or common divisors.
template <Op O, class T>
inline constexpr bool kByEach = std::is_integral_v<T> &&
                                (O == Op::floor_divide || O == Op::remainder || O == Op::fmod ||
                                 O == Op::power || O == Op::gcd || O == Op::lcm);

/// What the operation makes of a quotient that is rounded towards zero and what that leaves over.
template <Op O, class T>
[[gnu::always_inline]] inline T of_quotient(T q, T rest, T y) {
  if constexpr (O == Op::fmod) return rest;
  bool below = false;
  if constexpr (std::is_signed_v<T>) below = (rest != 0) & ((rest < 0) != (y < 0));
  return O == Op::floor_divide ? T(q - below) : T(rest + (below ? y : T(0)));
}

/// Of up to 32 bits. x / y is no nearer to a whole number that it isn't than 1 / y, which is more
/// than float32 of 16 bits, or float64 of 32, are rounded by. By 2 or more it fits int32_t.
template <Op O, class T>
[[gnu::always_inline]] inline T quotient_of_few_bits(T x, T y) {
  using Real = std::conditional_t<(sizeof(T) < 4), float, double>;
  const auto real = [](T v) {
    // Before AVX-512 no instruction converts 32 bits without a sign.
    if constexpr (std::is_same_v<T, uint32_t>) return Real(int32_t(v ^ 0x80000000u)) + Real(0x1p31);
    return Real(int32_t(v));
  };
  const bool unit = is_unit(y);
  const T q = T(int32_t(real(x) / real(unit ? T(2) : y)));
  const T rest = T(wide_uint(x) - wide_uint(q) * wide_uint(y));
  const T whole = unit ? T(wide_uint(x) * wide_uint(y)) : q;
  return of_quotient<O>(whole, unit ? T(0) : rest, y);
}

#if defined(__AVX2__)
/// Of 64 bits, none of them beyond 2**50: float64 holds them, and what each quotient leaves over. A
/// quotient is rounded by less than 1 / y, so it becomes a whole number only if it is one.
template <class T>
struct ShortIntegers {
  static constexpr bool kSigned = std::is_signed_v<T>;
  static constexpr uint64_t kMost = uint64_t{1} << 50;

  /// 2 * kMost or more where x is beyond.
  static uint64_t range(T x) { return uint64_t(x) + (kSigned ? kMost : 0); }
#if defined(__AVX512DQ__)
  static double real(T x) { return double(int64_t(x)); }
  static T whole(double x) { return T(int64_t(x)); }
#else
  static constexpr double kOne = 0x1.8p52;  // whole numbers are its last bits
  static double real(T x) {
    return __builtin_bit_cast(double, uint64_t(x) + __builtin_bit_cast(uint64_t, kOne)) - kOne;
  }
  static T whole(double x) {
    return T(__builtin_bit_cast(uint64_t, x + kOne) - __builtin_bit_cast(uint64_t, kOne));
  }
#endif
  template <Op O>
  static T of(T x, T y) {
    const double a = real(x), b = real(y), by = b == 0 ? 1 : b;
    const double quotient = a / by;
    const double q = O == Op::fmod ? __builtin_trunc(quotient) : __builtin_floor(quotient);
    if constexpr (O == Op::floor_divide) return whole(b == 0 ? 0 : q);
    return whole(a - q * by);
  }
};
#endif

#if defined(__AVX512DQ__)
template <class T>
[[gnu::always_inline]] inline bool are_below_62_bits(const T* y, int n) {
  bool large = false;
  for (int k = 0; k < n; k++)
    large |= y[k] >= T(1) << 62 || (std::is_signed_v<T> && y[k] <= -(T(1) << 62));
  return !large;
}

/// Of 64 bits, |y| less than 2**62: a rounded quotient misses by 2**12 at most, what it leaves is
/// divided again, and that quotient misses by one.
template <Op O, class T>
[[gnu::always_inline]] inline T quotient_of_64_bits(T x, T y) {
  using U = uint64_t;
  const bool unit = is_unit(y), is_signed = std::is_signed_v<T>;
  const bool minus = is_signed && x < 0, by_minus = is_signed && y < 0;
  const U size = minus ? -U(x) : U(x);
  const auto by = int64_t(unit ? 2 : by_minus ? -U(y) : U(y));
  const double inverse = 1 / double(by);
  U q = U(double(size) * inverse);
  auto rest = int64_t(size - q * U(by));
  const auto more = int64_t(double(rest) * inverse);
  q += U(more), rest -= more * by;
  const bool below = rest < 0;
  q -= below, rest += below ? by : 0;
  const bool above = rest >= by;
  q += above, rest -= above ? by : 0;
  const T whole = unit ? T(U(x) * U(y)) : T(minus != by_minus ? -q : q);
  return of_quotient<O>(whole, unit ? T(0) : T(minus ? -rest : rest), y);
}
#endif

/// Of n items each, or one where F says so, which is read before anything is written.
template <Op O, Operands F, class T, class Quotient>
[[gnu::always_inline]] inline void each_quotient(const T* x, const T* y, T* out, int64_t n,
                                                 Quotient quotient) {
  const T one_x = *x, one_y = *y;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++)
    out[i] = quotient(F == Operands::first_is_one ? one_x : x[i],
                      F == Operands::second_is_one ? one_y : y[i]);
}

/// n is a multiple of kItems.
template <Op O, Operands F, class T>
void quotients(const T* x, const T* y, T* out, int64_t n) {
  if constexpr (sizeof(T) < 8) {
    each_quotient<O, F>(x, y, out, n, [](T a, T b) { return quotient_of_few_bits<O>(a, b); });
  } else {
    const auto by_instruction = [](T a, T b) { return T(Row<O>::of(a, b)); };
#if defined(__AVX2__)
    using Short = ShortIntegers<T>;
    constexpr bool kOneX = F == Operands::first_is_one, kOneY = F == Operands::second_is_one;
    const T one_x = *x, one_y = *y;
    for (int64_t i = 0; i < n; i += kItems) {
      const T *some_x = kOneX ? &one_x : x + i, *some_y = kOneY ? &one_y : y + i;
      uint64_t range = 0;
      for (int k = 0; k < (kOneX ? 1 : kItems); k++) range |= Short::range(some_x[k]);
      for (int k = 0; k < (kOneY ? 1 : kItems); k++) range |= Short::range(some_y[k]);
      if (range < 2 * Short::kMost)
        each_quotient<O, F>(some_x, some_y, out + i, kItems,
                            [](T a, T b) { return Short::template of<O>(a, b); });
#if defined(__AVX512DQ__)
      else if (are_below_62_bits(some_y, kOneY ? 1 : kItems))
        each_quotient<O, F>(some_x, some_y, out + i, kItems,
                            [](T a, T b) { return quotient_of_64_bits<O>(a, b); });
#endif
      else
        each_quotient<O, F>(some_x, some_y, out + i, kItems, by_instruction);
    }
#else
    each_quotient<O, F>(x, y, out, n, by_instruction);
#endif
  }
}

/// Powers by squaring, of a block at a time, as often as its largest exponent has bits.
template <Operands F, class T>
void powers_by_each(const T* x, const T* y, T* out, int64_t n) {
  using U = std::make_unsigned_t<T>;
  using Wide = std::conditional_t<(sizeof(T) < 4), uint16_t, U>;  // nothing multiplies 8 bits
  const T one = *x;
  for (int64_t i = 0; i < n; i += kItems) {
    Wide base[kItems], exponent[kItems], r[kItems];
    Wide bits = 0;
    bool negative = false;
    for (int k = 0; k < kItems; k++) {
      base[k] = Wide(F == Operands::first_is_one ? one : x[i + k]);
      exponent[k] = Wide(U(y[i + k])), r[k] = 1;
      bits |= exponent[k];
      negative |= y[i + k] < 0;
    }
    if (negative) {
      for (int k = 0; k < kItems; k++) out[i + k] = T(Row<Op::power>::of(T(base[k]), y[i + k]));
      continue;
    }
    for (; bits != 0; bits = Wide(bits >> 1))
      for (int k = 0; k < kItems; k++) {
        r[k] = Wide(exponent[k] & 1 ? uint64_t{r[k]} * base[k] : r[k]);
        base[k] = Wide(uint64_t{base[k]} * base[k]);
        exponent[k] = Wide(exponent[k] >> 1);
      }
    for (int k = 0; k < kItems; k++) out[i + k] = T(r[k]);
  }
}

/// n is a multiple of kItems.
template <Op O, Operands F, class T>
[[gnu::always_inline]] inline void by_each(const T* x, const T* y, T* out, int64_t n) {
  if constexpr (O == Op::power)
    powers_by_each<F>(x, y, out, n);
  else if constexpr (O == Op::gcd || O == Op::lcm)
    divisors_by_each<O, F>(x, y, out, n);
  else
    quotients<O, F>(x, y, out, n);
}

/// As a loop of flat arrays.
template <Op O, class T, Operands F>
void loop_by_each(const char* x, const char* y, char* out, int64_t steps) {
  by_each<O, F>(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(y),
                reinterpret_cast<T*>(out), steps * kItems);
}

/// As a step of a program.
template <Op O, class T>
void step_by_each(const Instruction* ip, char* const* mem) {
  by_each<O, Operands::arrays>(reinterpret_cast<const T*>(mem[ip->a]),
                               reinterpret_cast<const T*>(mem[ip->b]),
                               reinterpret_cast<T*>(mem[ip->out]), kItems);
  return next_loop(ip, mem);
}

}  // namespace serrate::cpu::SERRATE_ISA
