// Registers of numbers, whatever instruction set they are of: for networks and splits.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>

#if defined(__AVX512F__) && !defined(__clang__)
// GCC 12 takes the undefined register that its own unmasked intrinsics begin with for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "cpu/machine/compress.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

/// Lane i of the result is lane i ^ kFlip.
template <int kFlip, class V, int... L>
[[gnu::always_inline]] inline V flipped_lanes(V v, std::integer_sequence<int, L...>) {
  return __builtin_shufflevector(v, v, (L ^ kFlip)...);
}

/// What no item is larger or smaller than.
template <class T>
inline constexpr T kLargest = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                          : std::numeric_limits<T>::max();
template <class T>
inline constexpr T kSmallest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                           : std::numeric_limits<T>::min();

/// Registers of so many bytes, whatever numbers they hold.
template <class T, int kBytes>
struct Vectors {
  typedef T V __attribute__((vector_size(kBytes)));
  static constexpr int kLanes = kBytes / int{sizeof(T)};

  static V all(T x) { return V{} + x; }
  static V load(const T* p) {
    V v;
    memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, V v) { memcpy(p, &v, sizeof v); }
  /// Lane i of the result is lane i ^ kFlip.
  template <int kFlip>
  static V flipped(V v) {
    return flipped_lanes<kFlip>(v, std::make_integer_sequence<int, kLanes>());
  }
};

#if defined(__AVX512F__)
/// Registers of numbers of 16, 32 or 64 bits, whatever these are.
template <class T>
struct Register : Vectors<T, 64> {
  using typename Vectors<T, 64>::V;
  using Vectors<T, 64>::all;
  using Mask = LaneMask<int{sizeof(T)}>;
  static constexpr Mask kAll = Mask(-1);
  static __m512i raw(V v) { return reinterpret_cast<__m512i>(v); }
  static V cooked(__m512i v) { return reinterpret_cast<V>(v); }

  static Mask first(int64_t n) { return Mask((uint64_t{1} << n) - 1); }
  /// n items, the largest number, or another one, behind them.
  static V load_first(const T* p, int64_t n, T fill = kLargest<T>) {
    const __m512i most = raw(all(fill));
    if constexpr (sizeof(T) == 8)
      return cooked(_mm512_mask_loadu_epi64(most, first(n), p));
    else if constexpr (sizeof(T) == 4)
      return cooked(_mm512_mask_loadu_epi32(most, first(n), p));
    else
      return cooked(_mm512_mask_loadu_epi16(most, first(n), p));
  }
  static void store_first(T* p, int64_t n, V v) {
    if constexpr (sizeof(T) == 8)
      _mm512_mask_storeu_epi64(p, first(n), raw(v));
    else if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(p, first(n), raw(v));
    else
      _mm512_mask_storeu_epi16(p, first(n), raw(v));
  }
  /// The lanes that are set first, then zeros or, if kKeepsOthers, the other lanes: by a table,
  /// which takes a third of the time of compressing on CPUs of AMD.
  static constexpr bool kKeepsOthers = sizeof(T) == 8;
  static V lanes_first(Mask set, V v) {
    if constexpr (kKeepsOthers) {
      const __m512i lanes = _mm512_cvtepu8_epi64(SERRATE_ISA::lanes_first(set));
      return cooked(_mm512_permutexvar_epi64(lanes, raw(v)));
    } else {
      return cooked(compressed<int{sizeof(T)}>(set, raw(v)));
    }
  }
};

/// Of signed integers.
template <class T>
struct Lanes : Register<T> {
  using typename Register<T>::V, typename Register<T>::Mask;
  using Register<T>::raw, Register<T>::cooked;

  static V least(V a, V b) { return a < b ? a : b; }
  static V most(V a, V b) { return a > b ? a : b; }
  /// The smaller one, where the mask says so the larger one.
  template <uint32_t kMost>
  static V either(V a, V b) {
    const __m512i low = raw(least(a, b));
    if constexpr (sizeof(T) == 8)
      return cooked(_mm512_mask_max_epi64(low, Mask(kMost), raw(a), raw(b)));
    else if constexpr (sizeof(T) == 4)
      return cooked(_mm512_mask_max_epi32(low, Mask(kMost), raw(a), raw(b)));
    else
      return cooked(_mm512_mask_max_epi16(low, Mask(kMost), raw(a), raw(b)));
  }
  static Mask above(V a, V b) {
    if constexpr (sizeof(T) == 8)
      return _mm512_cmpgt_epi64_mask(raw(a), raw(b));
    else if constexpr (sizeof(T) == 4)
      return _mm512_cmpgt_epi32_mask(raw(a), raw(b));
    else
      return _mm512_cmpgt_epi16_mask(raw(a), raw(b));
  }
  static Mask negative(V v) { return _mm512_movepi64_mask(raw(v)); }
};

/// Of floating numbers, none of which is NaN. Minima of doubles take half the time of those of
/// 64-bit integers on CPUs of Intel.
template <class T>
requires std::is_floating_point_v<T>
struct Lanes<T> : Register<T> {
  using typename Register<T>::V, typename Register<T>::Mask;
  static constexpr bool kDouble = sizeof(T) == 8;

  static V least(V a, V b) {
    if constexpr (kDouble)
      return (V)_mm512_min_pd((__m512d)a, (__m512d)b);
    else
      return (V)_mm512_min_ps((__m512)a, (__m512)b);
  }
  static V most(V a, V b) {
    if constexpr (kDouble)
      return (V)_mm512_max_pd((__m512d)a, (__m512d)b);
    else
      return (V)_mm512_max_ps((__m512)a, (__m512)b);
  }
  template <uint32_t kMost>
  static V either(V a, V b) {
    const V low = least(a, b);
    if constexpr (kDouble)
      return (V)_mm512_mask_max_pd((__m512d)low, Mask(kMost), (__m512d)a, (__m512d)b);
    else
      return (V)_mm512_mask_max_ps((__m512)low, Mask(kMost), (__m512)a, (__m512)b);
  }
  static Mask above(V a, V b) { return compared<_CMP_GT_OQ>(a, b); }
  static Mask unordered(V a, V b) { return compared<_CMP_UNORD_Q>(a, b); }

 private:
  template <int kHow>
  static Mask compared(V a, V b) {
    if constexpr (kDouble)
      return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, kHow);
    else
      return _mm512_cmp_ps_mask((__m512)a, (__m512)b, kHow);
  }
};

#else

/// Registers of numbers of 32 or 64 bits.
template <class T>
struct Register : Vectors<T, 32> {
  using typename Vectors<T, 32>::V;
  using Vectors<T, 32>::all, Vectors<T, 32>::kLanes, Vectors<T, 32>::store;
  using Mask = uint8_t;  // a bit for each lane
  static constexpr Mask kAll = (1 << kLanes) - 1;
  static __m256i raw(V v) { return reinterpret_cast<__m256i>(v); }
  static V cooked(__m256i v) { return reinterpret_cast<V>(v); }

  static Mask first(int64_t n) { return Mask((1u << n) - 1); }
  /// n items, the largest number, or another one, behind them.
  static V load_first(const T* p, int64_t n, T fill = kLargest<T>) {
    const __m256i words = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32(int(n) * int{sizeof(T) / 4}), words);
    const __m256i items = _mm256_maskload_epi32(reinterpret_cast<const int*>(p), there);
    return cooked(_mm256_blendv_epi8(raw(all(fill)), items, there));
  }
  /// By halves: stores under a mask are slow on CPUs of AMD.
  static void store_first(T* p, int64_t n, V v) {
    if (n == kLanes) return store(p, v);
    auto* to = reinterpret_cast<char*>(p);
    const auto bytes = n * int64_t{sizeof(T)};
    __m128i part = _mm256_castsi256_si128(raw(v));
    if (bytes & 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), part);
      to += 16;
      part = _mm256_extracti128_si256(raw(v), 1);
    }
    if (bytes & 8) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to), part);
      to += 8;
      part = _mm_srli_si128(part, 8);
    }
    if (bytes & 4) _mm_storeu_si32(to, part);
  }
  /// The lanes that are set first, then the others.
  static constexpr bool kKeepsOthers = true;
  static V lanes_first(Mask set, V v) { return cooked(compressed<int{sizeof(T)}>(set, raw(v))); }
  /// b where the mask says so, else a.
  template <uint32_t kMask>
  static V blended(V a, V b) {
    if constexpr (sizeof(T) == 8)
      return reinterpret_cast<V>(_mm256_blend_pd((__m256d)raw(a), (__m256d)raw(b), kMask));
    else
      return reinterpret_cast<V>(_mm256_blend_ps((__m256)raw(a), (__m256)raw(b), kMask));
  }
  /// The lanes whose first bit is set.
  static Mask signs(__m256i v) {
    return Mask(sizeof(T) == 8 ? _mm256_movemask_pd((__m256d)v) : _mm256_movemask_ps((__m256)v));
  }
};

/// Of signed integers.
template <class T>
struct Lanes : Register<T> {
  using typename Register<T>::V, typename Register<T>::Mask;

  static V least(V a, V b) { return a < b ? a : b; }
  static V most(V a, V b) { return a < b ? b : a; }
  /// The smaller one, where the mask says so the larger one.
  template <uint32_t kMost>
  static V either(V a, V b) {
    return Register<T>::template blended<kMost>(least(a, b), most(a, b));
  }
  static Mask above(V a, V b) { return Register<T>::signs((__m256i)(a > b)); }
};

/// Of floating numbers, none of which is NaN.
template <class T>
requires std::is_floating_point_v<T>
struct Lanes<T> : Register<T> {
  using typename Register<T>::V, typename Register<T>::Mask;
  static constexpr bool kDouble = sizeof(T) == 8;

  static V least(V a, V b) {
    if constexpr (kDouble)
      return (V)_mm256_min_pd((__m256d)a, (__m256d)b);
    else
      return (V)_mm256_min_ps((__m256)a, (__m256)b);
  }
  static V most(V a, V b) {
    if constexpr (kDouble)
      return (V)_mm256_max_pd((__m256d)a, (__m256d)b);
    else
      return (V)_mm256_max_ps((__m256)a, (__m256)b);
  }
  template <uint32_t kMost>
  static V either(V a, V b) {
    return Register<T>::template blended<kMost>(least(a, b), most(a, b));
  }
  static Mask above(V a, V b) { return Register<T>::signs((__m256i)(a > b)); }
};
#endif

}  // namespace
}  // namespace serrate::cpu::SERRATE_ISA
#endif
