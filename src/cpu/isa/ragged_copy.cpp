// Copies of lists that lie anywhere, one behind the other.
#include "cpu/isa/ragged_parts.h"

#if defined(__AVX2__)
#include <immintrin.h>
#ifndef __clang__
// GCC 12 takes the undefined register that its own unmasked intrinsics begin with for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace serrate::cpu::SERRATE_ISA {
namespace {

// The first n items at `from`, as many as a vector has or fewer, and anything behind them. Masked
// loads touch no line of the cache, nor a page, that has none of them.
template <int size>
struct First {
#if defined(__AVX512BW__)
  static constexpr bool kMasked = true;
  using V = Vec<uint8_t, 64>;
  [[gnu::always_inline]] static V get(const char* from, int64_t n) {
    const auto bytes = static_cast<uint32_t>(n * size);
    if constexpr (size < 4)
      return reinterpret_cast<V>(_mm512_maskz_loadu_epi8(_bzhi_u64(~uint64_t{0}, bytes), from));
    else
      return reinterpret_cast<V>(
          _mm512_maskz_loadu_epi32(static_cast<__mmask16>(_bzhi_u32(0xffff, bytes / 4)), from));
  }
#elif defined(__AVX2__)
  static constexpr bool kMasked = size >= 4;
  using V = Vec<uint8_t, 32>;
  [[gnu::always_inline]] static V get(const char* from, int64_t n) {
    const __m256i ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i mask =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(n) * (size / 4)), ramp);
    return reinterpret_cast<V>(_mm256_maskload_epi32(reinterpret_cast<const int*>(from), mask));
  }
#else
  static constexpr bool kMasked = false;
#endif
};

// Nothing is read where a list without items says it begins.
template <int size>
void copy_items(const char* values, int64_t items, const int64_t* starts, const int32_t* off,
                int64_t lists, int64_t start, char* out) {
  using Copied = Vec<uint8_t, kNative>;
  constexpr int kItems = kNative / size;
  for (int64_t p = 0; p < lists; p++, start = 0) {
    const int64_t n = off[p + 1] - off[p], begin = starts[p] + start;
    char* to = out + int64_t{off[p]} * size;
    const char* from = values + begin * size;
    if (n <= kItems) [[likely]] {
      if constexpr (First<size>::kMasked)
        store(to, First<size>::get(from, n));
      else if (n > 0 && begin + kItems <= items)
        store(to, load<Copied>(from));
      else if (n > 0)
        __builtin_memcpy(to, from, static_cast<size_t>(n) * size);
      continue;
    }
    int64_t k = 0;
    for (; k + kItems <= n; k += kItems) store(to + k * size, load<Copied>(from + k * size));
    store(to + (n - kItems) * size, load<Copied>(from + (n - kItems) * size));
  }
}

void copy_lists(int itemsize, const void* values, int64_t items, const int64_t* starts,
                const int32_t* off, int64_t lists, int64_t start, void* out) {
  const auto* from = static_cast<const char*>(values);
  auto* to = static_cast<char*>(out);
  switch (itemsize) {
    case 1:
      return copy_items<1>(from, items, starts, off, lists, start, to);
    case 2:
      return copy_items<2>(from, items, starts, off, lists, start, to);
    case 4:
      return copy_items<4>(from, items, starts, off, lists, start, to);
    case 8:
      return copy_items<8>(from, items, starts, off, lists, start, to);
    default:
      return copy_items<16>(from, items, starts, off, lists, start, to);
  }
}

}  // namespace

void add_copy_kernels(RaggedKernels& table) { table.copy_lists = copy_lists; }

}  // namespace serrate::cpu::SERRATE_ISA
