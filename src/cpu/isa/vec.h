// SIMD registers of one instruction set as GCC vector types, and how a step calls the next one.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cpu/program/kernels.h"

// Everything inline lives in a namespace per instruction set: the linker keeps one copy of equally
// named functions, and the one kept might use instructions that the CPU lacks.
namespace serrate::cpu::SERRATE_ISA {

#if defined(__AVX512F__)
inline constexpr int kBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kBytes = 32;
#else
inline constexpr int kBytes = 16;
#endif
// The accumulator is 8 registers of 8-byte items, 4 of 4-byte items, ..., so that a block is as
// many items of any type.
inline constexpr int kItems = kBytes;

template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(kBytes)));
};
template <>
struct VecOf<bool> : VecOf<uint8_t> {};
template <class T>
using Vec = typename VecOf<T>::type;
template <class T>
inline constexpr int kLanes = kBytes / int(sizeof(T));

template <class T>
inline Vec<T> load(const char* p) {
  Vec<T> v;
  memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
inline void save(char* p, V v) {
  memcpy(p, &v, sizeof v);
}
/// p is aligned to the vector.
template <class V>
inline void stream(char* p, V v) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(p), (__m512i)v);
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(p), (__m256i)v);
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(p), (__m128i)v);
#else
  save(p, v);
#endif
}
template <class T>
inline Vec<T> splat(const char* p) {
  T x;
  memcpy(&x, p, sizeof x);
  return x - Vec<T>{};  // not x + 0, which would lose the sign of -0.0
}

/// Whether a lane of a comparison is true. (Lane by lane GCC goes through memory, at 100 ns and
/// more.)
template <class V>
inline bool any(V mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif defined(__SSE2__)
  return _mm_movemask_epi8((__m128i)mask) != 0;
#else
  for (unsigned i = 0; i < kBytes / sizeof(mask[0]); i++)
    if (mask[i]) return true;
  return false;
#endif
}

/// The registers of an accumulator that holds items of T.
template <class T>
using Registers = std::make_index_sequence<sizeof(T)>;

template <class T, class R = Registers<T>>
struct AccOf;
template <class T, size_t... R>
struct AccOf<T, std::index_sequence<R...>> {
  template <size_t>
  using V = Vec<T>;
  using Fn = void (*)(const Instruction*, char* const*, V<R>...);

  /// Hands the accumulator to the next step. The compiler makes this a jump.
  [[gnu::always_inline]] static void next(const Instruction* ip, char* const* mem, V<R>... v) {
    return reinterpret_cast<Fn>(ip[1].run)(ip + 1, mem, v...);
  }
  /// The same with the registers read from memory.
  [[gnu::always_inline]] static void next_from(const Instruction* ip, char* const* mem,
                                               const char* p) {
    return next(ip, mem, load<T>(p + R * kBytes)...);
  }
};

/// After steps that leave nothing in registers.
using LoopFn = void (*)(const Instruction*, char* const*);
[[gnu::always_inline]] inline void next_loop(const Instruction* ip, char* const* mem) {
  return reinterpret_cast<LoopFn>(ip[1].run)(ip + 1, mem);
}
template <class F>
inline Step as_step(F* f) {
  return reinterpret_cast<Step>(f);
}

}  // namespace serrate::cpu::SERRATE_ISA
