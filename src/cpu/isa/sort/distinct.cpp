// Numbers in order without those that equal the one before: see cpu/lists/sort_kernels.h.
#include <cstring>

#include "cpu/lists/sort_kernels.h"
#if defined(__AVX512F__)
#include "cpu/isa/sort/sort_quick.h"
#endif

namespace serrate::cpu::SERRATE_ISA {
namespace {

#if defined(__AVX512F__)
/// Lanes of v that differ from those before; the one before the first is the last of `last`.
template <class T>
auto differing(typename Lanes<T>::V last, typename Lanes<T>::V v, bool is_floating) {
  const __m512i a = Lanes<T>::raw(last), b = Lanes<T>::raw(v);
  if constexpr (sizeof(T) == 8) {
    const __m512i before = _mm512_alignr_epi64(b, a, 7);
    return is_floating ? _mm512_cmp_pd_mask(_mm512_castsi512_pd(before), _mm512_castsi512_pd(b),
                                            _CMP_NEQ_UQ)
                       : _mm512_cmpneq_epi64_mask(before, b);
  } else {
    const __m512i before = _mm512_alignr_epi32(b, a, 15);
    return is_floating ? _mm512_cmp_ps_mask(_mm512_castsi512_ps(before), _mm512_castsi512_ps(b),
                                            _CMP_NEQ_UQ)
                       : _mm512_cmpneq_epi32_mask(before, b);
  }
}

template <class T, class>
int64_t distinct(T* items, int64_t n, bool is_floating) {
  using L = Lanes<T>;
  using Mask = typename L::Mask;
  auto last = L::all(0);
  Mask differ = 1;  // the first item, whatever is before
  Upward<T> out{items};
  int64_t i = 0;
  for (; i + L::kLanes <= n; i += L::kLanes) {
    const auto v = L::load(items + i);
    out.store(Mask(differ | differing<T>(last, v, is_floating)), v);
    last = v;
    differ = 0;
  }
  const int64_t left = n - i;
  const auto v = L::load_first(items + i, left);
  out.store_few(Mask((differ | differing<T>(last, v, is_floating)) & L::first(left)), v);
  return out.at - items;
}
#else
/// V: what items are compared as.
template <class T, class V>
int64_t distinct(T* items, int64_t n, bool /*is_floating*/) {
  V last{};
  int64_t k = 0;
  for (int64_t i = 0; i < n; i++) {
    V v;
    memcpy(&v, items + i, sizeof v);
    memcpy(items + k, &v, sizeof v);
    k += i == 0 || v != last;
    last = v;
  }
  return k;
}
#endif

int64_t drop_repeats(DType t, void* items, int64_t n) {
  auto* wide = static_cast<int64_t*>(items);
  auto* narrow = static_cast<int32_t*>(items);
  switch (t) {
    case DType::float64:
      return distinct<int64_t, double>(wide, n, true);
    case DType::float32:
      return distinct<int32_t, float>(narrow, n, true);
    default:
      return itemsize(t) == 8 ? distinct<int64_t, int64_t>(wide, n, false)
                              : distinct<int32_t, int32_t>(narrow, n, false);
  }
}

}  // namespace

void add_distinct_kernels(SortKernels& table) { table.drop_repeats = &drop_repeats; }

}  // namespace serrate::cpu::SERRATE_ISA
