// Conversions between real types: steps of programs and inner loops.
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "cpu/isa/vec.h"
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

/// Of booleans as bytes: conversions of bool itself are not vectorised.
template <class To, class From>
[[gnu::always_inline]] inline void convert_items(const From* x, To* out, int64_t n) {
  if constexpr (std::is_same_v<From, bool> && std::is_arithmetic_v<To> &&
                !std::is_same_v<To, bool>) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(x);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) out[i] = To(int(bytes[i]));
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) out[i] = convert<To>(x[i]);
  }
}

template <class To, class From>
static void cast(const Instruction* ip, char* const* mem) {
  convert_items(reinterpret_cast<const From*>(mem[ip->a]), reinterpret_cast<To*>(mem[ip->out]),
                kItems);
  return next_loop(ip, mem);
}

#if defined(__F16C__)
template <>
void cast<float, Half>(const Instruction* ip, char* const* mem) {
  const auto* x = reinterpret_cast<const __m128i_u*>(mem[ip->a]);
  float* out = reinterpret_cast<float*>(mem[ip->out]);
  for (int i = 0; i < kItems / 8; i++) _mm256_storeu_ps(out + 8 * i, _mm256_cvtph_ps(x[i]));
  return next_loop(ip, mem);
}
template <>
void cast<Half, float>(const Instruction* ip, char* const* mem) {
  const float* x = reinterpret_cast<const float*>(mem[ip->a]);
  auto* out = reinterpret_cast<__m128i_u*>(mem[ip->out]);
  for (int i = 0; i < kItems / 8; i++)
    out[i] = _mm256_cvtps_ph(_mm256_loadu_ps(x + 8 * i), _MM_FROUND_TO_NEAREST_INT);
  return next_loop(ip, mem);
}
#endif

/// The same of whole blocks.
template <class To, class From>
static void cast_items(const char* from, const char*, char* to, int64_t steps) {
  convert_items(reinterpret_cast<const From*>(from), reinterpret_cast<To*>(to), steps * kItems);
}

struct Cast {
  Step step;
  StepsLoop loop;  // null of float16
};

template <class To, class From>
static Cast cast_to() {
  constexpr bool is_half = std::is_same_v<From, Half> || std::is_same_v<To, Half>;
  if constexpr (is_half)
    return {as_step(&cast<To, From>), nullptr};
  else
    return {as_step(&cast<To, From>), &cast_items<To, From>};
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
    default:
      return {};
  }
}

Step find_cast(DType from, DType to);
Step find_cast(DType from, DType to) { return cast_between(from, to).step; }

StepsLoop cast_loop(DType from, DType to);
StepsLoop cast_loop(DType from, DType to) { return cast_between(from, to).loop; }

}  // namespace serrate::cpu::SERRATE_ISA
