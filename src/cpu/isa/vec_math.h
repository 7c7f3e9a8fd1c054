// Functions of vectors: the names that the table's expressions use, for float32 and float64.
#pragma once

#include <sleef.h>

#include <limits>

#include "cpu/isa/vec.h"
#include "cpu/isa/vec_math_power.h"
#include "cpu/isa/vec_math_precise.h"
#include "cpu/isa/vec_math_single.h"
#include "cpu/isa/vec_math_tables.h"
#include "cpu/isa/vec_math_wide.h"

namespace serrate::cpu::SERRATE_ISA {

#include "core/math/scalar_math.h"

using ::acos, ::acosh, ::asin, ::asinh, ::atan, ::atan2, ::atanh, ::cbrt, ::ceil, ::copysign, ::cos,
    ::cosh, ::exp, ::exp2, ::expm1, ::fabs, ::floor, ::fmod, ::hypot, ::log, ::log10, ::log1p,
    ::log2, ::pow, ::rint, ::sin, ::sinh, ::sqrt, ::tan, ::tanh, ::trunc;

#if defined(__FMA__) || defined(__AVX512F__)
inline constexpr bool kHasFma = true;
inline double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
#else
inline constexpr bool kHasFma = false;
template <class T>
T fused(T, T, T);
#endif

inline Vec<double> absolute(Vec<double> x) { return (Vec<double>)((Vec<int64_t>)x & INT64_MAX); }
inline Vec<float> absolute(Vec<float> x) { return (Vec<float>)((Vec<int32_t>)x & INT32_MAX); }

// One instruction set's names in SLEEF: F64(sin, u10) is Sleef_sind8_u10avx512f.
#if defined(__AVX512F__)
#define F64(name, ulp) Sleef_##name##d8_##ulp##avx512f
#define F32(name, ulp) Sleef_##name##f16_##ulp##avx512f
#elif defined(__AVX2__)
#define F64(name, ulp) Sleef_##name##d4_##ulp##avx2
#define F32(name, ulp) Sleef_##name##f8_##ulp##avx2
#elif defined(__SSE2__)
#define F64(name, ulp) Sleef_##name##d2_##ulp##sse2
#define F32(name, ulp) Sleef_##name##f4_##ulp##sse2
#endif

#if defined(F64)
#define UNARY(name, ulp64, ulp32)                                        \
  inline Vec<double> name(Vec<double> x) { return F64(name, ulp64)(x); } \
  inline Vec<float> name(Vec<float> x) { return F32(name, ulp32)(x); }
#define BINARY(as, name, ulp64, ulp32)                                                   \
  inline Vec<double> as(Vec<double> x, Vec<double> y) { return F64(name, ulp64)(x, y); } \
  inline Vec<float> as(Vec<float> x, Vec<float> y) { return F32(name, ulp32)(x, y); }
#else
// No vector library for this CPU: item by item.
#define UNARY(name, ulp64, ulp32)                                            \
  template <class V>                                                         \
  requires(sizeof(V) == kBytes) inline V name(V x) {                         \
    for (unsigned i = 0; i < kBytes / sizeof(x[0]); i++) x[i] = name(+x[i]); \
    return x;                                                                \
  }
#define BINARY(as, name, ulp64, ulp32)                                              \
  template <class V>                                                                \
  requires(sizeof(V) == kBytes) inline V as(V x, V y) {                             \
    for (unsigned i = 0; i < kBytes / sizeof(x[0]); i++) x[i] = name(+x[i], +y[i]); \
    return x;                                                                       \
  }
#endif
// The errors are the table's promise (elementwise.def); the tests hold them to it.
UNARY(sin, u10, u35)
UNARY(cos, u10, u35)
UNARY(asin, u10, u10)
UNARY(acos, u10, u10)
#if defined(__AVX512F__)
inline Vec<double> tan(Vec<double> x) {
  const auto large = absolute(x) > tables::kTanMost;
  if (any(large)) [[unlikely]]
    return large ? F64(tan, u10)(x) : tables::tan(x);
  return tables::tan(x);
}
inline Vec<float> tan(Vec<float> x) {
  const auto large = absolute(x) > single::kTanMost;
  if (any(large)) [[unlikely]]
    return large ? F32(tan, u10)(x) : single::tan(x);
  return single::tan(x);
}
#else
UNARY(tan, u10, u10)
#endif
#if defined(__AVX512F__)
inline Vec<double> atan(Vec<double> x) { return angles::atan(x); }
inline Vec<float> atan(Vec<float> x) { return single::atan(x); }
#elif defined(__AVX2__)
inline Vec<double> atan(Vec<double> x) { return arctangent::of<double>(x); }
inline Vec<float> atan(Vec<float> x) { return arctangent::of<float>(x); }
#else
UNARY(atan, u10, u10)
#endif
#if defined(F32)
// What lies far beyond the ends would go through powers of two with other signs, and small results,
// which are slow: exp of 104 is infinity, tanh of 9 is 1. NaN stays.
inline Vec<float> at_most(Vec<float> x, float bound) {
#if defined(__AVX512F__)
  return (Vec<float>)_mm512_maskz_min_ps(0xffff, _mm512_set1_ps(bound), (__m512)x);
#elif defined(__AVX2__)
  return (Vec<float>)_mm256_min_ps(_mm256_set1_ps(bound), (__m256)x);
#else
  return (Vec<float>)_mm_min_ps(_mm_set1_ps(bound), (__m128)x);
#endif
}
#endif
#if defined(__AVX512F__)
#define OWN(name)                                                    \
  inline Vec<double> name(Vec<double> x) { return tables::name(x); } \
  inline Vec<float> name(Vec<float> x) { return single::name(x); }
OWN(exp)
OWN(exp2)
OWN(log)
OWN(log2)
OWN(log10)
#undef OWN
#else
#if defined(F32)
inline Vec<double> exp(Vec<double> x) { return F64(exp, u10)(x); }
inline Vec<float> exp(Vec<float> x) { return F32(exp, u10)(at_most(x, 104)); }
#else
UNARY(exp, u10, u10)
#endif
UNARY(exp2, u10, u10)
UNARY(log, u10, u10)
UNARY(log2, u10, u10)
UNARY(log10, u10, u10)
#endif
BINARY(nearly_pow, pow, u10, u10)
#if defined(__AVX512F__)
inline Vec<double> atan2(Vec<double> y, Vec<double> x) { return angles::atan2(y, x); }
inline Vec<float> atan2(Vec<float> y, Vec<float> x) { return angles::atan2(y, x); }
#else
BINARY(atan2, atan2, u10, u10)
#endif

// SLEEF's overflow early: sinh and cosh a little, others where the square of x does. Such items are
// rare: one after the other, by libm.
template <class V, class T>
inline V replace_large(V x, V r, T large, T (*exact)(T)) {
  const V size = absolute(x);
  if (any(size > large)) [[unlikely]]
    for (unsigned i = 0; i < kBytes / sizeof(T); i++)
      if (size[i] > large) r[i] = exact(x[i]);
  return r;
}
#if defined(F64)
#define SMALL64(name, ulp, large)                              \
  inline Vec<double> name(Vec<double> x) {                     \
    return replace_large(x, F64(name, ulp)(x), large, ::name); \
  }
#define SMALL32(name, ulp, large)                                 \
  inline Vec<float> name(Vec<float> x) {                          \
    return replace_large(x, F32(name, ulp)(x), large, ::name##f); \
  }
#endif
#if defined(__AVX2__)
// Our own are faster: of float64 (precise), of float32 by way of float64 (wide) or in it (single).
#define OWN64(name) \
  inline Vec<double> name(Vec<double> x) { return precise::name(x); }
#define OWN(name) \
  OWN64(name)     \
  inline Vec<float> name(Vec<float> x) { return wide::name(x); }
OWN64(sinh)
OWN64(tanh)
#if defined(__AVX512F__)
inline Vec<double> cosh(Vec<double> x) { return tables::cosh(x); }
inline Vec<float> tanh(Vec<float> x) { return single::tanh(x); }
#else
OWN64(cosh)
inline Vec<float> tanh(Vec<float> x) {
  if (any(absolute(x) > 9)) [[unlikely]]
    x = -at_most(-at_most(x, 9), 9);
  return F32(tanh, u35)(x);
}
#endif
inline Vec<double> hypot(Vec<double> x, Vec<double> y) { return precise::hypot(x, y); }
inline Vec<float> hypot(Vec<float> x, Vec<float> y) { return wide::hypot(x, y); }
OWN64(asinh)
OWN64(acosh)
OWN(atanh)
#if defined(__AVX512F__)
inline Vec<float> asinh(Vec<float> x) { return single::asinh(x); }
inline Vec<float> acosh(Vec<float> x) { return single::acosh(x); }
inline Vec<double> expm1(Vec<double> x) { return tables::expm1(x); }
inline Vec<double> log1p(Vec<double> x) { return tables::log1p(x); }
inline Vec<float> expm1(Vec<float> x) { return single::expm1(x); }
inline Vec<float> log1p(Vec<float> x) { return single::log1p(x); }
#else
inline Vec<float> asinh(Vec<float> x) { return wide::asinh(x); }
inline Vec<float> acosh(Vec<float> x) { return wide::acosh(x); }
OWN(expm1)
OWN(log1p)
#endif
OWN64(cbrt)
inline Vec<float> cbrt(Vec<float> x) { return single::cbrt(x); }
#undef OWN
#undef OWN64
#else
BINARY(hypot, hypot, u05, u05)
UNARY(tanh, u10, u35)
UNARY(atanh, u10, u10)
UNARY(expm1, u10, u10)
UNARY(cbrt, u10, u10)
#if defined(F64)
#define SMALL(name, large64, large32) \
  SMALL64(name, u10, large64)         \
  SMALL32(name, u10, large32)
SMALL(asinh, 1e150, 1e18f)
SMALL(acosh, 1e150, 1e18f)
SMALL(log1p, 1e150, 1e18f)
#undef SMALL
SMALL64(sinh, u10, 708.0)
SMALL64(cosh, u10, 708.0)
#else
UNARY(asinh, u10, u10)
UNARY(acosh, u10, u10)
UNARY(log1p, u10, u10)
UNARY(sinh, u10, u10)
UNARY(cosh, u10, u10)
#endif
#endif
#if defined(__AVX512F__)
inline Vec<float> sinh(Vec<float> x) { return single::sinh(x); }
inline Vec<float> cosh(Vec<float> x) { return single::cosh(x); }
#elif defined(F64)
SMALL32(sinh, u35, 88.0f)
SMALL32(cosh, u35, 88.0f)
#endif
#if defined(F64)
#undef SMALL64
#undef SMALL32
#endif
#undef UNARY
#undef BINARY
#undef F64
#undef F32

// Single instructions, or two: the compiler finds them in the loop.
#define EXACT(name)                                                                     \
  template <class V>                                                                    \
  [[gnu::always_inline]] inline V name##_each(V x) {                                    \
    for (unsigned i = 0; i < kBytes / sizeof(x[0]); i++) x[i] = __builtin_##name(x[i]); \
    return x;                                                                           \
  }                                                                                     \
  template <>                                                                           \
  [[gnu::always_inline]] inline Vec<float> name##_each(Vec<float> x) {                  \
    for (int i = 0; i < kLanes<float>; i++) x[i] = __builtin_##name##f(x[i]);           \
    return x;                                                                           \
  }                                                                                     \
  inline Vec<double> name(Vec<double> x) { return name##_each(x); }                     \
  inline Vec<float> name(Vec<float> x) { return name##_each(x); }
EXACT(sqrt)
EXACT(rint)
EXACT(floor)
EXACT(ceil)
EXACT(trunc)
#undef EXACT

inline Vec<double> reciprocal(Vec<double> x) { return 1 / x; }
inline Vec<float> reciprocal(Vec<float> x) { return 1 / x; }
inline auto sign_bit(Vec<double> x) { return (Vec<int64_t>)x < 0; }
inline auto sign_bit(Vec<float> x) { return (Vec<int32_t>)x < 0; }
inline Vec<double> copysign(Vec<double> x, Vec<double> y) {
  return (Vec<double>)((Vec<int64_t>)absolute(x) | ((Vec<int64_t>)y & INT64_MIN));
}
inline Vec<float> copysign(Vec<float> x, Vec<float> y) {
  return (Vec<float>)((Vec<int32_t>)absolute(x) | ((Vec<int32_t>)y & INT32_MIN));
}

// The same for both types; expressions find the functions by the vectors' types.
#define BOTH(name, ...)                                                               \
  template <class V>                                                                  \
  inline V name##_each(V x, V y) {                                                    \
    using T = std::remove_cvref_t<decltype(x[0])>;                                    \
    constexpr unsigned lanes = kBytes / sizeof(T);                                    \
    const V zero = {};                                                                \
    (void)lanes, (void)zero;                                                          \
    __VA_ARGS__                                                                       \
  }                                                                                   \
  inline Vec<double> name(Vec<double> x, Vec<double> y) { return name##_each(x, y); } \
  inline Vec<float> name(Vec<float> x, Vec<float> y) { return name##_each(x, y); }

// SLEEF's overflows a little early: infinities of finite numbers are left to libm, but where a
// somewhat smaller power is infinite, too.
BOTH(
    careful_pow, V r = nearly_pow(x, y); constexpr T most = std::numeric_limits<T>::max();
    auto odd = (absolute(r) > most) & (x - x == y - y); if (any(odd)) [[unlikely]] {
      odd &= ~(nearly_pow(absolute(x), y * T(0.99)) > most);
      if (any(odd))
        for (unsigned i = 0; i < lanes; i++)
          if (odd[i]) r[i] = T(pow(+x[i], +y[i]));
    } return r;)
inline Vec<double> pow(Vec<double> x, Vec<double> y) {
#if defined(__AVX2__)
  Vec<int64_t> special;
  const Vec<double> r = precise::pow(x, y, special);
  if (!any(special)) [[likely]]
    return r;
  // Zeros are so common, of integers and truth values, that libm's calls would be most of the time.
  const Vec<int64_t> zero = (x == 0) & (absolute(y) <= precise::kMostParity);
  const Vec<double> known = zero ? precise::pow_of_zero(x, y) : r;
  if (!any(special & ~zero)) return known;
  return special & ~zero ? careful_pow(x, y) : known;
#else
  return careful_pow(x, y);
#endif
}
inline Vec<float> pow(Vec<float> x, Vec<float> y) {
#if defined(__AVX2__)
  Vec<int32_t> special;
  const Vec<float> r = wide::pow(x, y, special);
  if (!any(special)) [[likely]]
    return r;
  return special ? careful_pow(x, y) : r;
#else
  return careful_pow(x, y);
#endif
}
BOTH(power, return pow(x, y);)

// A fused multiplication makes the remainder exact, also that of a quotient that was rounded up to
// the next integer. Quotients that are no integers of T, infinities and NaN are left to libm.
BOTH(
    truncated_remainder, const V quotient = x / y, whole = trunc(quotient); V r = x;
    bool all_done = false; if constexpr (kHasFma) {
      for (unsigned i = 0; i < lanes; i++) r[i] = fused(-whole[i], y[i], x[i]);
      r = (r != 0) & ((r < 0) != (x < 0)) ? r + copysign(y, x) : r;
      r = r == 0 ? copysign(r, x) : r;
      all_done = true;
    } const auto easy = (absolute(quotient) < (sizeof(T) == 8 ? T(0x1p52) : T(0x1p23))) &
                           (y - y == zero);
    all_done &= !any(~easy);
    if (!all_done) [[unlikely]] for (unsigned i = 0; i < lanes; i++) if (!kHasFma || !easy[i])
        r[i] = truncated_remainder(+x[i], +y[i]);
    return r;)
BOTH(remainder, const V r = truncated_remainder(x, y); return r != 0
                                                                  ? ((y < 0) != (r < 0) ? r + y : r)
                                                              : y == 0 ? r
                                                                       : copysign(zero, y);)
BOTH(floor_divide, const V r = truncated_remainder(x, y), quotient = x / y; V q = (x - r) / y;
     q = (r != 0) & ((y < 0) != (r < 0)) ? q - 1 : q;
     const V below = floor(q), nearest = q - below > T(0.5) ? below + 1 : below;
     return y == 0   ? quotient
            : q == 0 ? copysign(zero, quotient)
                     : nearest;)

// The larger one, and what the smaller one adds; the difference of equal infinities is NaN.
BOTH(logaddexp, const V d = x - y, most = d > 0 ? x : y;
     return x == y   ? x + T(0.693147180559945309417)
            : d != d ? d
                     : most + log1p(exp(zero - absolute(d)));)
BOTH(logaddexp2, const V d = x - y, most = d > 0 ? x : y;
     return x == y   ? x + T(1)
            : d != d ? d
                     : most + T(1.44269504088896340736) * log1p(exp2(zero - absolute(d)));)
#undef BOTH

inline Vec<double> degrees_to_radians(Vec<double> x) { return x * (3.14159265358979323846 / 180); }
inline Vec<float> degrees_to_radians(Vec<float> x) {
  return x * float(3.14159265358979323846 / 180);
}
inline Vec<double> radians_to_degrees(Vec<double> x) { return x * (180 / 3.14159265358979323846); }
inline Vec<float> radians_to_degrees(Vec<float> x) {
  return x * float(180 / 3.14159265358979323846);
}

}  // namespace serrate::cpu::SERRATE_ISA
