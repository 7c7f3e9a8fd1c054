// Conversions between types: steps of programs and inner loops.
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>

#include "cpu/isa/masks.h"
#include "cpu/program/inner_loops.h"

namespace serrate::cpu::SERRATE_ISA {

#include "core/math/scalar_math.h"
#include "cpu/program/half.h"

template <class To, class From>
inline To convert(From x) {
  if constexpr (std::is_same_v<From, Half>)
    return convert<To>(to_float(x));
  else if constexpr (std::is_same_v<To, Half>)
    return to_half(std::conditional_t<std::is_same_v<From, double>, double, float>(x));
  else if constexpr (std::is_same_v<To, bool>)
    return x != 0;
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return truncate_to<To>(x);
  else
    return To(x);
}

/// n items, a multiple of kItems. Of booleans as bytes: conversions of bool itself are not
/// vectorised.
template <class To, class From>
[[gnu::always_inline]] inline void convert_items(const From* x, To* out, int64_t n) {
  if constexpr (std::is_same_v<From, bool> && !std::is_same_v<To, bool>) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(x);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) out[i] = convert<To>(int(bytes[i]));
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) out[i] = convert<To>(x[i]);
  }
}
#if defined(__F16C__)
template <>
[[gnu::always_inline]] inline void convert_items(const Half* x, float* out, int64_t n) {
  for (int64_t i = 0; i < n; i += 8)
    _mm256_storeu_ps(out + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
}
template <>
[[gnu::always_inline]] inline void convert_items(const float* x, Half* out, int64_t n) {
  for (int64_t i = 0; i < n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
}
#endif

#if !defined(__AVX512DQ__)
// No register converts these, but compilers vectorise what they are made of.

/// Both halves as numbers that hold them exactly, by the exponent put before their bits; the sum is
/// rounded once.
constexpr uint64_t kTo52 = 0x4330000000000000, kTo84 = 0x4530000000000000;  // 2**52, 2**84
inline double double_of(uint64_t x) {
  const double low = std::bit_cast<double>((x & 0xffffffff) | kTo52);
  const double high = std::bit_cast<double>((x >> 32) | kTo84);
  return (high - 0x1.00000001p84) + low;
}
/// With 2**63 added, and taken away again.
inline double double_of(int64_t x) {
  const auto bits = uint64_t(x);
  const double low = std::bit_cast<double>((bits & 0xffffffff) | kTo52);
  const double high = std::bit_cast<double>((bits >> 32) ^ (kTo84 | 0x80000000));
  return (high - 0x1.00000801p84) + low;
}
inline bool has_over_53_bits(uint64_t x) { return x >> 53 != 0; }
inline bool has_over_53_bits(int64_t x) { return (uint64_t(x) + (uint64_t{1} << 53)) >> 54 != 0; }

/// By way of double, to which what has more bits is rounded to odd, so that it is rounded once.
template <class T>
[[gnu::always_inline]] inline void convert_to_float(const T* x, float* out, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const auto bits = uint64_t(x[i]), low = bits & 0xfff;
    const T odd = T((bits - low) | (low != 0 ? 0x800 : 0));
    out[i] = float(double_of(has_over_53_bits(x[i]) ? odd : x[i]));
  }
}
template <class T>
[[gnu::always_inline]] inline void convert_to_double(const T* x, double* out, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) out[i] = double_of(x[i]);
}
template <>
[[gnu::always_inline]] inline void convert_items(const uint64_t* x, double* out, int64_t n) {
  convert_to_double(x, out, n);
}
template <>
[[gnu::always_inline]] inline void convert_items(const int64_t* x, double* out, int64_t n) {
  convert_to_double(x, out, n);
}
template <>
[[gnu::always_inline]] inline void convert_items(const uint64_t* x, float* out, int64_t n) {
  convert_to_float(x, out, n);
}
/// Blocks by convert(item) where rest(item) is 0 for all items, others by
/// convert_others(x, out).
template <class From, class To, class Rest, class Convert, class Others>
[[gnu::always_inline]] inline void convert_blocks(const From* x, To* out, int64_t n, Rest rest,
                                                  Convert convert, Others convert_others) {
  for (int64_t i = 0; i < n; i += kItems) {
    decltype(rest(*x)) others = 0;  // found first: out may be where x is
#pragma GCC ivdep
    for (int k = 0; k < kItems; k++) others |= rest(x[i + k]);
    if (others != 0) {
      convert_others(x + i, out + i);
      continue;
    }
#pragma GCC ivdep
    for (int k = 0; k < kItems; k++) out[i + k] = convert(x[i + k]);
  }
}
/// Those of 32 bits are converted as such.
template <>
[[gnu::always_inline]] inline void convert_items(const int64_t* x, float* out, int64_t n) {
  convert_blocks(
      x, out, n, [](int64_t v) { return (uint64_t(v) + (uint64_t{1} << 31)) >> 32; },
      [](int64_t v) { return float(int32_t(v)); },
      [](const int64_t* from, float* to) { convert_to_float(from, to, kItems); });
}
template <class From>
[[gnu::always_inline]] inline void convert_each(const From* x, uint32_t* out) {
  for (int k = 0; k < kItems; k++) out[k] = convert<uint32_t>(x[k]);
}

/// What int32 or uint32 holds, by way of int32; all else, which is rare, by way of int64.
template <class From>
[[gnu::always_inline]] inline void convert_to_uint32(const From* x, uint32_t* out, int64_t n) {
  constexpr From kHalf = From(2147483648.0), kAll = From(4294967296.0);
  convert_blocks(
      x, out, n, [](From v) { return int{!(v >= -kHalf)} | int{!(v < kAll)}; },
      [](From v) {
        const bool upper = v >= kHalf;
        const auto bits = uint32_t(int32_t(v - (upper ? kHalf : From(0))));
        return bits ^ (upper ? 1u << 31 : 0);
      },
      convert_each<From>);
}
template <>
[[gnu::always_inline]] inline void convert_items(const float* x, uint32_t* out, int64_t n) {
  convert_to_uint32(x, out, n);
}
#if defined(__SSE4_1__)
/// The lower halves of whole numbers of up to 51 bits, of those with a sign, too: they stand behind
/// the exponent that is put before them.
template <>
[[gnu::always_inline]] inline void convert_items(const double* x, uint32_t* out, int64_t n) {
  constexpr double kMost = 0x1p51, kBits = 0x1.8p52;
  convert_blocks(
      x, out, n, [](double v) { return int{!(__builtin_fabs(v) < kMost)}; },
      [](double v) { return uint32_t(std::bit_cast<uint64_t>(__builtin_trunc(v) + kBits)); },
      convert_each<double>);
}
#else
template <>
[[gnu::always_inline]] inline void convert_items(const double* x, uint32_t* out, int64_t n) {
  convert_to_uint32(x, out, n);
}
#endif
#endif

/// Complex numbers: pairs of items.
template <class T>
struct Pair {
  T re, im;
};

template <class To, class From>
[[gnu::always_inline]] inline void convert_items(const Pair<From>* x, Pair<To>* out, int64_t n) {
  convert_items(&x->re, &out->re, 2 * n);
}
template <class To, class From>
[[gnu::always_inline]] inline void convert_items(const From* x, Pair<To>* out, int64_t n) {
  To parts[kItems];
  for (int64_t i = 0; i < n; i += kItems) {
    convert_items(x + i, parts, kItems);
#pragma GCC ivdep
    for (int k = 0; k < kItems; k++) out[i + k] = {parts[k], To(0)};
  }
}
/// Zeros above the bits.
template <>
[[gnu::always_inline]] inline void convert_items(const float* x, Pair<float>* out, int64_t n) {
  static_assert(std::endian::native == std::endian::little);
  auto* const bytes = reinterpret_cast<char*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const uint64_t pair = std::bit_cast<uint32_t>(x[i]);
    std::memcpy(bytes + 8 * i, &pair, sizeof pair);
  }
}
template <class From>
[[gnu::always_inline]] inline void convert_items(const Pair<From>* x, bool* out, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) out[i] = bool(int(x[i].re != 0) | int(x[i].im != 0));
}

/// Magnitudes of both parts as one number: subnormal ones, NaN and infinities are true.
template <size_t... R>
[[gnu::always_inline]] inline void truths(const char* x, char* out, std::index_sequence<R...>) {
  const Vec<uint64_t> magnitudes = Vec<uint64_t>{} + 0x7fffffff7fffffff;
  save(out, bytes_of(((load<uint64_t>(x + R * kBytes) & magnitudes) != 0)...));
}
template <>
[[gnu::always_inline]] inline void convert_items(const Pair<float>* x, bool* out, int64_t n) {
  for (int64_t i = 0; i < n; i += kItems)
    truths(reinterpret_cast<const char*>(x + i), reinterpret_cast<char*>(out + i),
           Registers<uint64_t>());
}

template <class To, class From>
static void cast(const Instruction* ip, char* const* mem) {
  convert_items(reinterpret_cast<const From*>(mem[ip->a]), reinterpret_cast<To*>(mem[ip->out]),
                kItems);
  return next_loop(ip, mem);
}

/// The same of whole blocks.
template <class To, class From>
static void cast_items(const char* from, const char*, char* to, int64_t steps) {
  convert_items(reinterpret_cast<const From*>(from), reinterpret_cast<To*>(to), steps * kItems);
}

struct Cast {
  Step step;
  StepsLoop loop;
};

template <class To, class From>
static Cast cast_to() {
  return {as_step(&cast<To, From>), &cast_items<To, From>};
}

/// Programs take the real part of complex numbers first, and float32 of float16.
template <class T>
static Cast cast_from_pair(DType to) {
  switch (to) {
    case DType::boolean:
      return cast_to<bool, Pair<T>>();
    case DType::complex64:
      return cast_to<Pair<float>, Pair<T>>();
    case DType::complex128:
      return cast_to<Pair<double>, Pair<T>>();
    default:
      return {};
  }
}

template <class From>
static Cast cast_from(DType to) {
  switch (to) {
    case DType::boolean:
      return cast_to<bool, From>();
    case DType::int8:
      return cast_to<int8_t, From>();
    case DType::int16:
      return cast_to<int16_t, From>();
    case DType::int32:
      return cast_to<int32_t, From>();
    case DType::int64:
      return cast_to<int64_t, From>();
    case DType::uint8:
      return cast_to<uint8_t, From>();
    case DType::uint16:
      return cast_to<uint16_t, From>();
    case DType::uint32:
      return cast_to<uint32_t, From>();
    case DType::uint64:
      return cast_to<uint64_t, From>();
    case DType::float16:
      return cast_to<Half, From>();
    case DType::float32:
      return cast_to<float, From>();
    case DType::float64:
      return cast_to<double, From>();
    case DType::complex64:
      return cast_to<Pair<float>, From>();
    case DType::complex128:
      return cast_to<Pair<double>, From>();
    default:
      return {};
  }
}

static Cast cast_between(DType from, DType to) {
  switch (from) {
    case DType::boolean:
      return cast_from<bool>(to);
    case DType::int8:
      return cast_from<int8_t>(to);
    case DType::int16:
      return cast_from<int16_t>(to);
    case DType::int32:
      return cast_from<int32_t>(to);
    case DType::int64:
      return cast_from<int64_t>(to);
    case DType::uint8:
      return cast_from<uint8_t>(to);
    case DType::uint16:
      return cast_from<uint16_t>(to);
    case DType::uint32:
      return cast_from<uint32_t>(to);
    case DType::uint64:
      return cast_from<uint64_t>(to);
    case DType::float16:
      return cast_from<Half>(to);
    case DType::float32:
      return cast_from<float>(to);
    case DType::float64:
      return cast_from<double>(to);
    case DType::complex64:
      return cast_from_pair<float>(to);
    case DType::complex128:
      return cast_from_pair<double>(to);
    default:
      return {};
  }
}

Step find_cast(DType from, DType to);
Step find_cast(DType from, DType to) { return cast_between(from, to).step; }

StepsLoop cast_loop(DType from, DType to);
StepsLoop cast_loop(DType from, DType to) { return cast_between(from, to).loop; }

}  // namespace serrate::cpu::SERRATE_ISA
