// Conversions between real types.
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "cpu/isa/vec.h"

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

template <class To, class From>
static void cast(const Instruction* ip, char* const* mem) {
  const From* x = reinterpret_cast<const From*>(mem[ip->a]);
  To* out = reinterpret_cast<To*>(mem[ip->out]);
#pragma GCC ivdep
  for (int i = 0; i < kItems; i++) out[i] = convert<To>(x[i]);
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

template <class From>
static Step cast_from(DType to) {
  switch (to) {
    case DType::boolean:
      return as_step(&cast<bool, From>);
    case DType::int8:
      return as_step(&cast<int8_t, From>);
    case DType::int16:
      return as_step(&cast<int16_t, From>);
    case DType::int32:
      return as_step(&cast<int32_t, From>);
    case DType::int64:
      return as_step(&cast<int64_t, From>);
    case DType::uint8:
      return as_step(&cast<uint8_t, From>);
    case DType::uint16:
      return as_step(&cast<uint16_t, From>);
    case DType::uint32:
      return as_step(&cast<uint32_t, From>);
    case DType::uint64:
      return as_step(&cast<uint64_t, From>);
    case DType::float16:
      return as_step(&cast<Half, From>);
    case DType::float32:
      return as_step(&cast<float, From>);
    case DType::float64:
      return as_step(&cast<double, From>);
    default:
      return nullptr;
  }
}

Step find_cast(DType from, DType to) {
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
      return nullptr;
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
