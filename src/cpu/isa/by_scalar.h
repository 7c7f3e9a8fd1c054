// Steps whose second operand is one number for all items: what it is decides how they compute.
#pragma once

#include "cpu/isa/rows.h"

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

/// What signed integers of 8 or 16 bits are multiplied by and shifted to be divided by 1 < d
/// (Granlund, Montgomery 1994): of N bits, floor(t / d) is t * factor >> (N - 1 + log) for 0 <= t,
/// where factor is 2**(N - 1 + log) / d, rounded up, and log is that of d to the base of 2, too.
template <class T>
struct Reciprocal {
  uint32_t factor;
  int shift;  // behind the N bits of a high half
  explicit Reciprocal(T d) {
    const int log = 32 - __builtin_clz(static_cast<unsigned>(d) - 1);
    const uint32_t power = uint32_t{1} << (int(8 * sizeof(T)) - 1 + log);
    factor = (power + static_cast<uint32_t>(d) - 1) / static_cast<uint32_t>(d);
    shift = log - 1;
  }
};

/// The same without a sign, for which a factor has a bit more than the numbers: the rest of it. The
/// quotient is (high + (x - high) / 2) >> shift, where high is the high half of x * factor.
template <class T>
struct Factor {
  uint32_t factor;
  int shift;
  explicit Factor(T d) {
    constexpr int bits = 8 * sizeof(T);
    const int log = 32 - __builtin_clz(static_cast<unsigned>(d) - 1);
    factor = ((uint32_t{1} << log) - uint32_t{d}) * (uint32_t{1} << bits) / uint32_t{d} + 1;
    shift = log - 1;
  }
};

/// The largest whole numbers not above x / d, or what is left over, for 0 < d < 2**62.
///
/// Those of up to 16 bits by a product: of negative x, -1 - x is divided. Else up to 32 bits
/// (x + 1/2) / d is no nearer to a whole number than 1/2d, far more than it is rounded by. Of 64
/// bits the rounded quotient misses by 2**11 at most before it is divided again; that of the rest
/// by one.
///
/// `kNegative`: x / -d instead, where what is left over is not above zero.
template <bool kQuotient, bool kNegative, class T>
[[gnu::always_inline]] inline void divided(const T* x, T d, T* out, int64_t n = kItems) {
  using Real = std::conditional_t<(sizeof(T) < 4), float, double>;
  const Real inverse = 1 / Real(d);
  const auto result = [d](T q, T r) {
    if constexpr (kNegative) return kQuotient ? T(-q - (r != 0)) : r != 0 ? T(r - d) : T(0);
    return kQuotient ? q : r;
  };
  if constexpr (sizeof(T) <= 2 && std::is_signed_v<T>) {
    using U = std::make_unsigned_t<T>;
    using Wide = std::conditional_t<sizeof(T) == 1, uint16_t, uint32_t>;
    const Reciprocal<T> by(d);
    const auto factor = static_cast<Wide>(by.factor);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      const T sign = T(x[i] < 0 ? -1 : 0);
      const U high = U(Wide(Wide(U(x[i] ^ sign)) * factor) >> (8 * sizeof(T)));
      const T q = T(T(high >> by.shift) ^ sign);
      out[i] = result(q, T(U(x[i]) - U(U(q) * U(d))));
    }
  } else if constexpr (sizeof(T) == 1) {
    // The compiler would make bytes wider and narrower again.
    const Factor<T> by(d);
    const auto product = [](Vec<uint16_t> v, uint32_t f) { return v * static_cast<uint16_t>(f); };
    for (int64_t i = 0; i < n; i += kItems) {
      const auto v = load<T>(reinterpret_cast<const char*>(x + i));
      const auto even = (Vec<uint16_t>)v & 0xff, odd = (Vec<uint16_t>)v >> 8;
      const auto high =
          (Vec<T>)(product(even, by.factor) >> 8 | (product(odd, by.factor) & 0xff00));
      const Vec<T> q = (high + ((v - high) >> 1)) >> by.shift;
      save(reinterpret_cast<char*>(out + i), (Vec<T>)(kQuotient ? q : v - q * d));
    }
  } else if constexpr (sizeof(T) == 2) {
    const Factor<T> by(d);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      const T high = T(uint32_t(uint32_t(x[i]) * by.factor) >> 16);
      const T q = T(T(high + T(T(x[i] - high) >> 1)) >> by.shift);
      out[i] = result(q, T(x[i] - T(q * d)));
    }
  } else if constexpr (sizeof(T) < 8) {
    using Whole = std::conditional_t<std::is_same_v<T, uint32_t>, int64_t, int32_t>;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      const Real q = (Real(x[i]) + Real(0.5)) * inverse;
      const Whole whole = Whole(q), below = Whole(whole - (Real(whole) > q));
      out[i] = result(T(below), T(x[i] - T(below * Whole(d))));
    }
  } else {
    using U = uint64_t;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      U q = U(T(double(x[i]) * inverse));
      const auto rest = int64_t(U(x[i]) - q * U(d));
      const double left = double(rest) * inverse;
      auto more = int64_t(left);
      more -= double(more) > left;
      q += U(more);
      int64_t r = int64_t(U(rest) - U(more) * U(d));
      const bool below = r < 0;
      q -= below, r += below ? int64_t(d) : 0;
      const bool above = r >= int64_t(d);
      q += above, r -= above ? int64_t(d) : 0;
      out[i] = result(T(q), T(r));
    }
  }
}

/// The same of 1, 0 (which gives 0) or, where there are signs, -1.
template <bool kQuotient, class T>
[[gnu::always_inline]] inline void divided_by_unit(const T* x, T d, T* out, int64_t n = kItems) {
  const T factor = kQuotient ? d : T(0);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) out[i] = T(wide_uint(x[i]) * wide_uint(factor));
}
template <class T>
[[gnu::always_inline]] inline bool is_unit(T d) {
  return d == 0 || d == 1 || (std::is_signed_v<T> && d == T(-1));
}

/// n integers, a multiple of kItems, and one number.
template <Op O, class T>
[[gnu::always_inline]] inline void integers_by(const T* x, T y, T* out, int64_t n) {
  constexpr T kMost = sizeof(T) == 8 ? T(int64_t{1} << 62) : std::numeric_limits<T>::max();
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
  } else if (y > 1 && y < kMost) {
    return divided<kQuotient, false>(x, y, out, n);
  } else if (is_unit(y)) {
    return divided_by_unit<kQuotient>(x, y, out, n);
  } else if constexpr (std::is_signed_v<T>) {
    if (y < -1 && y > -kMost) return divided<kQuotient, true>(x, T(-y), out, n);
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
