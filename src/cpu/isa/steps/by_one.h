// Quotients and remainders of integers by one number, as products: T. Granlund and P. L.
// Montgomery, "Division by Invariant Integers using Multiplication" (1994).
#pragma once

#include <bit>

#include "cpu/isa/rows.h"

namespace serrate::cpu::SERRATE_ISA {

/// All bits of a lane set where it is negative, or none.
template <class U>
[[gnu::always_inline]] inline Vec<U> signs(Vec<U> x) {
  constexpr int last = 8 * sizeof(U) - 1;
#if !defined(__AVX512F__)
  // Lanes of 64 bits have no shifts with a sign.
  if constexpr (last == 63) return Vec<U>{} - (x >> last);
#endif
  return (Vec<U>)((Vec<std::make_signed_t<U>>)x >> last);
}

/// What N bits are multiplied by and shifted, to be divided by d > 1. Without a sign the factor has
/// a bit more than the numbers; this is the rest of it.
template <class T>
struct Reciprocal {
  using U = std::make_unsigned_t<T>;
  U factor;
  int shift;  // behind the N bits of a high half

  explicit Reciprocal(T d) {
    __extension__ using Wide = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>;
    constexpr int bits = 8 * sizeof(T);
    const int log = std::bit_width(static_cast<U>(d - 1));
    if constexpr (std::is_signed_v<T>)  // 2**(bits - 1 + log) / d, rounded up
      factor = static_cast<U>(((Wide{1} << (bits - 1 + log)) + Wide(d) - 1) / Wide(d));
    else
      factor = static_cast<U>((((Wide{1} << log) - d) << bits) / d + 1);
    shift = log - 1;
  }

  /// Lanes of W, N bits wide or more, divided and rounded down; high(x) are the high halves of
  /// x * factor. Of negative x, -1 - x is divided.
  template <class W, class High>
  [[gnu::always_inline]] Vec<W> quotient(Vec<W> x, High high) const {
    if constexpr (std::is_signed_v<T>) {
      const Vec<W> sign = signs<W>(x);
      return high(x ^ sign) >> shift ^ sign;
    } else {
      const Vec<W> h = high(x);
      return (h + ((x - h) >> 1)) >> shift;
    }
  }
};

/// The high halves of products.
[[gnu::always_inline]] inline Vec<uint16_t> high_half(Vec<uint16_t> x, uint16_t by) {
#if defined(__AVX512BW__)
  return (Vec<uint16_t>)_mm512_maskz_mulhi_epu16(~0u, (__m512i)x,
                                                 _mm512_set1_epi16(static_cast<int16_t>(by)));
#elif defined(__AVX2__)
  return (Vec<uint16_t>)_mm256_mulhi_epu16((__m256i)x, _mm256_set1_epi16(static_cast<int16_t>(by)));
#elif defined(__SSE2__)
  return (Vec<uint16_t>)_mm_mulhi_epu16((__m128i)x, _mm_set1_epi16(static_cast<int16_t>(by)));
#else
  for (int i = 0; i < kLanes<uint16_t>; i++) x[i] = uint16_t(uint32_t{x[i]} * by >> 16);
  return x;
#endif
}
/// Of the lower 32 bits of lanes.
[[gnu::always_inline]] inline Vec<uint64_t> product_of_low(Vec<uint64_t> x, Vec<uint64_t> y) {
#if defined(__AVX512F__)
  return (Vec<uint64_t>)_mm512_maskz_mul_epu32(0xff, (__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
  return (Vec<uint64_t>)_mm256_mul_epu32((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
  return (Vec<uint64_t>)_mm_mul_epu32((__m128i)x, (__m128i)y);
#else
  return (x & 0xffffffff) * (y & 0xffffffff);
#endif
}
[[gnu::always_inline]] inline Vec<uint32_t> high_half(Vec<uint32_t> x, uint32_t by) {
  const auto v = (Vec<uint64_t>)x, factor = Vec<uint64_t>{} + by;
  const Vec<uint64_t> odd = product_of_low(v >> 32, factor);
  return (Vec<uint32_t>)(product_of_low(v, factor) >> 32 | (odd & ~uint64_t{0xffffffff}));
}
[[gnu::always_inline]] inline Vec<uint64_t> high_half(Vec<uint64_t> x, uint64_t by) {
  const Vec<uint64_t> low = Vec<uint64_t>{} + by, high = low >> 32, x_high = x >> 32;
  const Vec<uint64_t> middle = product_of_low(x_high, low) + (product_of_low(x, low) >> 32);
  const Vec<uint64_t> other = product_of_low(x, high) + (middle & 0xffffffff);
  return product_of_low(x_high, high) + (middle >> 32) + (other >> 32);
}

/// Of the largest whole numbers q not above x / d, these or x - q * d. `kNegative`: x / -d instead,
/// where what is left over is not above zero. As lanes without a sign, which wrap around.
template <bool kQuotient, bool kNegative, class W>
[[gnu::always_inline]] inline Vec<W> of_floor(Vec<W> x, Vec<W> q, W d) {
  if constexpr (kQuotient && !kNegative) return q;
  const Vec<W> rest = x - q * d;
  if constexpr (!kNegative) return rest;
  const auto some = (Vec<W>)(rest != 0);  // -1, or 0
  return kQuotient ? some - q : rest - (some & d);
}

/// Of x / d for d > 1, or x / -d.
template <bool kQuotient, bool kNegative, class T>
[[gnu::always_inline]] inline void divided(const T* x, T d, T* out, int64_t n) {
  using U = std::make_unsigned_t<T>;
  const Reciprocal<T> by(d);
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    const auto v = load<U>(reinterpret_cast<const char*>(x + i));
    Vec<U> r;
    if constexpr (sizeof(T) == 1) {
      // Registers have no products of bytes: those at even places and at odd ones, each in 16 bits.
      using Wide = Vec<uint16_t>;
      const auto lower = [](Wide w) {
        return std::is_signed_v<T> ? (Wide)((Vec<int16_t>)w >> 8) : w >> 8;
      };
      const auto half = [&](Wide w) {
        const auto high = [&](Wide u) { return u * uint16_t{by.factor} >> 8; };
        const Wide q = by.template quotient<uint16_t>(w, high);
        return of_floor<kQuotient, kNegative, uint16_t>(w, q, uint16_t{U(d)});
      };
      const Wide even = half(lower((Wide)v << 8)), odd = half(lower((Wide)v));
      r = (Vec<U>)((even & 0xff) | odd << 8);
    } else {
      const auto high = [&](Vec<U> u) { return high_half(u, by.factor); };
      r = of_floor<kQuotient, kNegative, U>(v, by.template quotient<U>(v, high), U(d));
    }
    save(reinterpret_cast<char*>(out + i), r);
  }
}

/// The same of 1, 0 (which gives 0) or, where there are signs, -1.
template <bool kQuotient, class T>
[[gnu::always_inline]] inline void divided_by_unit(const T* x, T d, T* out, int64_t n) {
  const T factor = kQuotient ? d : T(0);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) out[i] = T(wide_uint(x[i]) * wide_uint(factor));
}
template <class T>
[[gnu::always_inline]] inline bool is_unit(T d) {
  return d == 0 || d == 1 || (std::is_signed_v<T> && d == T(-1));
}

}  // namespace serrate::cpu::SERRATE_ISA
