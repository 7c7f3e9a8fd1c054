// Vectors of 4-byte items as those of 8 bytes, and floats back, by one instruction: of what
// __builtin_convertvector says GCC 12 makes halves of registers, joined in a third.
#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace serrate::cpu::SERRATE_ISA {

template <class V>
using ItemOf = std::remove_cvref_t<decltype(V{}[0])>;

/// As many items of another type.
template <class To, class From>
[[gnu::always_inline]] inline To converted(From x) {
#if defined(__AVX2__)
  using T = ItemOf<To>;
  using F = ItemOf<From>;
  constexpr bool floats = std::is_same_v<F, float>, doubles = std::is_same_v<T, double>;
  constexpr bool longs = std::is_integral_v<T> && sizeof(T) == 8;
#if defined(__AVX512F__)
  // Under a mask of all lanes: GCC 12 takes the undefined register of the others for a mistake.
  if constexpr (floats && doubles && sizeof(To) == 64)
    return (To)_mm512_maskz_cvtps_pd(0xff, (__m256)x);
  else if constexpr (std::is_same_v<T, float> && std::is_same_v<F, double> && sizeof(From) == 64)
    return (To)_mm512_maskz_cvtpd_ps(0xff, (__m512d)x);
  else if constexpr (std::is_same_v<F, int32_t> && longs && sizeof(To) == 64)
    return (To)_mm512_maskz_cvtepi32_epi64(0xff, (__m256i)x);
  else if constexpr (std::is_same_v<F, uint32_t> && longs && sizeof(To) == 64)
    return (To)_mm512_maskz_cvtepu32_epi64(0xff, (__m256i)x);
  else if constexpr (std::is_same_v<F, int32_t> && doubles && sizeof(To) == 64)
    return (To)_mm512_maskz_cvtepi32_pd(0xff, (__m256i)x);
  else
#endif
      if constexpr (floats && doubles && sizeof(To) == 32)
    return (To)_mm256_cvtps_pd((__m128)x);
  else if constexpr (std::is_same_v<T, float> && std::is_same_v<F, double> && sizeof(From) == 32)
    return (To)_mm256_cvtpd_ps((__m256d)x);
  else if constexpr (std::is_same_v<F, int32_t> && longs && sizeof(To) == 32)
    return (To)_mm256_cvtepi32_epi64((__m128i)x);
  else if constexpr (std::is_same_v<F, uint32_t> && longs && sizeof(To) == 32)
    return (To)_mm256_cvtepu32_epi64((__m128i)x);
  else if constexpr (std::is_same_v<F, int32_t> && doubles && sizeof(To) == 32)
    return (To)_mm256_cvtepi32_pd((__m128i)x);
  else
#endif
    return __builtin_convertvector(x, To);
}

}  // namespace serrate::cpu::SERRATE_ISA
