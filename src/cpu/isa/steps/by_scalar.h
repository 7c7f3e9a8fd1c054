// Steps whose second operand is one number for all items: what it is decides how they compute.
#pragma once

#include "cpu/isa/rows.h"
#include "cpu/isa/steps/by_one.h"

namespace serrate::cpu::SERRATE_ISA {

/// Operations of which one number, known when a block begins, saves most of the work.
template <Op O, class T>
inline constexpr bool kByScalar =
    std::is_floating_point_v<T> ? O == Op::power || O == Op::float_power
                                : O == Op::power || O == Op::floor_divide || O == Op::remainder;

/// x cubed. What both products were rounded by is added at the end: the error stays below 0.6 ULP.
template <class V>
[[gnu::always_inline]] inline V cubed(V x) {
  const V square = x * x, r = square * x;
  V square_low = square, low = r;
  for (unsigned i = 0; i < kBytes / sizeof(x[0]); i++) {
    square_low[i] = fused(x[i], x[i], -square[i]);
    low[i] = fused(square[i], x[i], -r[i]);
  }
  low += square_low * x;
  // Not of what is infinite, nor of zeros, which keep their sign.
  return (low != 0) & (r - r == 0) ? r + low : r;
}

/// x to the power 1/2 as pow has it: 0.0 of -0.0, and infinity of both infinities.
template <class V>
[[gnu::always_inline]] inline V square_root(V x) {
  using T = std::remove_cvref_t<decltype(x[0])>;
  return x < -std::numeric_limits<T>::max() ? -x : sqrt(x + T(0));
}

/// x to the power of one number: 2, 3, 1/2, 1, 0 and -1 are a few instructions.
template <class T, class R = Registers<T>>
struct PowerOf;
template <class T, size_t... R>
struct PowerOf<T, std::index_sequence<R...>> {
  template <size_t>
  using V = Vec<T>;
  using Acc = AccOf<T>;

  static void acc_one(const Instruction* ip, char* const* mem, V<R>... v) {
    T exponent;
    memcpy(&exponent, mem[ip->b], sizeof exponent);
    if (exponent == 2) return Acc::next(ip, mem, v * v...);
    if (exponent == T(0.5)) return Acc::next(ip, mem, square_root(v)...);
    if (exponent == -1) return Acc::next(ip, mem, 1 / v...);
    if (exponent == 1) return Acc::next(ip, mem, v...);
    if (exponent == 0) return Acc::next(ip, mem, ((void)v, 1 - Vec<T>{})...);
    if constexpr (kHasFma)
      if (exponent == 3) return Acc::next(ip, mem, cubed(v)...);
    return general(ip, mem, v...);
  }
  // A function of its own, whose registers the others need not save.
  [[gnu::noinline]] static void general(const Instruction* ip, char* const* mem, V<R>... v) {
    const Vec<T> exponent = splat<T>(mem[ip->b]);
    return Acc::next(ip, mem, pow(v, exponent)...);
  }
};

/// Integers to the power of one number, by squaring; they wrap around.
template <class T>
void powers(const T* x, T exponent, T* out) {
  using U = std::make_unsigned_t<T>;
  using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, U>;
  Wide base[kItems], r[kItems];
  for (int i = 0; i < kItems; i++) base[i] = Wide(x[i]), r[i] = 1;
  for (auto e = U(exponent);;) {
    if (e & 1)
      for (int i = 0; i < kItems; i++) r[i] *= base[i];
    e = U(e >> 1);
    if (e == 0) break;
    for (int i = 0; i < kItems; i++) base[i] *= base[i];
  }
  for (int i = 0; i < kItems; i++) out[i] = T(r[i]);
}

/// n integers, a multiple of kItems, and one number.
template <Op O, class T>
[[gnu::always_inline]] inline void integers_by(const T* x, T y, T* out, int64_t n) {
  constexpr bool kQuotient = O == Op::floor_divide;
  if constexpr (O == Op::power) {
    if (y == 2) {
      using U = std::make_unsigned_t<T>;
      for (int64_t i = 0; i < n; i += kLanes<T>) {
        const auto v = (Vec<U>)load<T>(reinterpret_cast<const char*>(x + i));
        save(reinterpret_cast<char*>(out + i), (Vec<T>)(v * v));
      }
      return;
    }
    if (y >= 0) {
      for (int64_t i = 0; i < n; i += kItems) powers(x + i, y, out + i);
      return;
    }
  } else if (y > 1) {
    return divided<kQuotient, false>(x, y, out, n);
  } else if (is_unit(y)) {
    return divided_by_unit<kQuotient>(x, y, out, n);
  } else if constexpr (std::is_signed_v<T>) {
    if (y < -1 && y != std::numeric_limits<T>::min())
      return divided<kQuotient, true>(x, T(-y), out, n);
  }
  for (int64_t i = 0; i < n; i++) out[i] = T(Row<O>::of(x[i], y));
}

/// A block of integers and one number.
template <Op O, class T>
void loop_one(const Instruction* ip, char* const* mem) {
  T y;
  memcpy(&y, mem[ip->b], sizeof y);
  integers_by<O>(reinterpret_cast<const T*>(mem[ip->a]), y, reinterpret_cast<T*>(mem[ip->out]),
                 kItems);
  return next_loop(ip, mem);
}

}  // namespace serrate::cpu::SERRATE_ISA
