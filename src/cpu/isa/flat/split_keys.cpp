// Blocks of keys beside pivots, for selection: see cpu/lists/sort_kernels.h.
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "cpu/lists/sort_kernels.h"
#include "cpu/machine/compress.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

#if defined(__AVX512F__)
// Compressing to a register, then a store under a mask: compressing stores are slow on AMD.
template <class K>
struct Register;
template <>
struct Register<int32_t> {
  static constexpr int64_t kLanes = 16;
  using Mask = __mmask16;
  static __m512i all(int32_t k) { return _mm512_set1_epi32(k); }
  static __m512i load(Mask m, const int32_t* p) { return _mm512_maskz_loadu_epi32(m, p); }
  static Mask below(Mask m, __m512i a, __m512i b) { return _mm512_mask_cmplt_epi32_mask(m, a, b); }
  static __m512i largest(__m512i old, Mask m, __m512i v) {
    return _mm512_mask_max_epi32(old, m, old, v);
  }
  /// Items of 1, 2 or 4 bytes, widened.
  template <int size>
  static __m512i items(Mask m, const char* p) {
    if constexpr (size == 4) return _mm512_maskz_loadu_epi32(m, p);
    if constexpr (size == 2) return _mm512_maskz_cvtepu16_epi32(m, _mm256_maskz_loadu_epi16(m, p));
    return _mm512_maskz_cvtepu8_epi32(m, _mm_maskz_loadu_epi8(m, p));
  }
  template <int size>
  static void save(char* p, Mask m, __m512i v) {
    if constexpr (size == 4)
      _mm512_mask_storeu_epi32(p, m, v);
    else if constexpr (size == 2)
      _mm256_mask_storeu_epi16(p, m, _mm512_maskz_cvtepi32_epi16(0xffff, v));
    else
      _mm_mask_storeu_epi8(p, m, _mm512_maskz_cvtepi32_epi8(0xffff, v));
  }
};
template <>
struct Register<int64_t> {
  static constexpr int64_t kLanes = 8;
  using Mask = __mmask8;
  static __m512i all(int64_t k) { return _mm512_set1_epi64(k); }
  static __m512i load(Mask m, const int64_t* p) { return _mm512_maskz_loadu_epi64(m, p); }
  static Mask below(Mask m, __m512i a, __m512i b) { return _mm512_mask_cmplt_epi64_mask(m, a, b); }
  static __m512i largest(__m512i old, Mask m, __m512i v) {
    return _mm512_mask_max_epi64(old, m, old, v);
  }
  template <int>
  static __m512i items(Mask m, const char* p) {
    return _mm512_maskz_loadu_epi64(m, p);
  }
  template <int>
  static void save(char* p, Mask m, __m512i v) {
    _mm512_mask_storeu_epi64(p, m, v);
  }
};

/// f(mask of the lanes that are there, first item) for each register of n items.
template <class R, class F>
[[gnu::always_inline]] inline void each_register(int64_t n, F f) {
  constexpr auto kAll = static_cast<typename R::Mask>(-1);
  int64_t i = 0;
  for (; i + R::kLanes <= n; i += R::kLanes) f(kAll, i);
  if (i < n) f(static_cast<typename R::Mask>((1u << (n - i)) - 1), i);
}

template <class K>
bool between(BlockBetween<K>& b) {
  using R = Register<K>;
  const __m512i low = R::all(b.low), high = R::all(b.high);
  __m512i most = R::all(b.most);
  int64_t less = 0, more = 0, kept = 0;
  each_register<R>(b.n, [&](typename R::Mask m, int64_t i) {
    const __m512i v = R::load(m, b.keys + i);
    const typename R::Mask below = R::below(m, v, low), above = R::below(m, high, v);
    const auto inside = static_cast<typename R::Mask>(m & ~(below | above));
    most = R::largest(most, m, v);
    less += __builtin_popcount(below);
    if (b.inside != nullptr) {
      _mm512_storeu_si512(b.inside + kept, compressed<sizeof(K)>(inside, v));
      kept += __builtin_popcount(inside);
    } else {
      more += __builtin_popcount(above);
    }
  });
  b.less = less;
  b.kept = b.inside != nullptr ? kept : b.n - less - more;
  K lanes[R::kLanes];
  _mm512_storeu_si512(lanes, most);
  for (const K k : lanes) b.most = k > b.most ? k : b.most;
  return true;
}

template <int size, class K>
void move_items(BlockSplit<K>& b) {
  using R = Register<K>;
  using Mask = typename R::Mask;
  const __m512i pivot = R::all(b.pivot);
  char* to[3];
  for (int k = 0; k < 3; k++) to[k] = static_cast<char*>(b.to[k]);
  const char* from = static_cast<const char*>(b.items);
  int64_t moved[3] = {};
  each_register<R>(b.n, [&](Mask m, int64_t i) {
    const __m512i v = R::load(m, b.keys + i), item = R::template items<size>(m, from + i * size);
    const auto move = [&](int k, Mask of) {
      const int some = __builtin_popcount(of);
      R::template save<size>(to[k] + moved[k] * size, static_cast<Mask>((1u << some) - 1),
                             compressed<sizeof(K)>(of, item));
      moved[k] += some;
    };
    const Mask below = R::below(m, v, pivot), above = R::below(m, pivot, v);
    const auto equal = static_cast<Mask>(m & ~(below | above));
    move(0, below);
    if (equal) move(1, equal);
    move(2, above);
  });
  for (int k = 0; k < 3; k++) b.moved[k] = moved[k];
}
#else

template <class K>
bool between(BlockBetween<K>& b) {
  // Nothing of the struct in the loop: bytes that are written could be its own.
  const K* __restrict keys = b.keys;
  uint8_t* __restrict mask = b.mask;
  const K low = b.low, high = b.high;
  const int64_t n = b.n;
  K less = 0, kept = 0, most = b.most;
  for (int64_t i = 0; i < n; i++) {
    const K k = keys[i];
    const bool inside = (k >= low) & (k <= high);
    less += k < low;
    kept += inside;
    most = k > most ? k : most;
    mask[i] = inside;
  }
  b.less = less;
  b.kept = kept;
  b.most = most;
  return false;
}
#endif

template <class K>
bool split(BlockSplit<K>& b) {
#if defined(__AVX512F__)
  if (b.items != nullptr) {
    if (sizeof(K) == 8 || b.size == 4)
      move_items<sizeof(K)>(b);
    else if (b.size == 2)
      move_items<sizeof(K) == 8 ? 8 : 2>(b);
    else
      move_items<sizeof(K) == 8 ? 8 : 1>(b);
    return true;
  }
#endif
  // Nothing of the struct in the loop: bytes that are written could be its own.
  const K* __restrict keys = b.keys;
  uint8_t* __restrict lows = b.masks[0], * __restrict equals = b.masks[1], * __restrict highs = b.masks[2];
  const K pivot = b.pivot;
  const int64_t n = b.n;
  K less = 0, greater = 0;
  for (int64_t i = 0; i < n; i++) {
    const K k = keys[i];
    const bool below = k<pivot, above = k> pivot;
    lows[i] = below;
    equals[i] = !(below | above);
    highs[i] = above;
    less += below;
    greater += above;
  }
  b.moved[0] = less;
  b.moved[1] = n - less - greater;
  b.moved[2] = greater;
  return false;
}

}  // namespace

void add_split_kernels(SortKernels& table) {
  table.narrow_blocks = {&between<int32_t>, &split<int32_t>};
  table.wide_blocks = {&between<int64_t>, &split<int64_t>};
}

}  // namespace serrate::cpu::SERRATE_ISA
