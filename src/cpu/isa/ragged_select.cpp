// Selection by masks and by indexes.
#include "cpu/isa/ragged_bits.h"
#include "cpu/isa/ragged_parts.h"
#include "cpu/machine/compress.h"
#include "cpu/machine/isa.h"

namespace serrate::cpu::SERRATE_ISA {
namespace {

struct Bytes16 {
  uint64_t a, b;
};

int64_t select(const uint8_t* mask, int64_t n, int32_t* out) {
  int64_t k = 0, i = 0;
#if defined(__AVX512F__)
  // Compressing to a register and storing it whole: compressing stores are slow on AMD.
  const __m512i iota = _mm512_loadu_si512(kIota32.value);
  for (; i + 64 <= n; i += 64) {
    const uint64_t bits = bits_of_64(mask + i);
    for (int part = 0; part < 4; part++) {
      const __mmask16 m = static_cast<__mmask16>(bits >> (16 * part));
      const __m512i v = _mm512_add_epi32(iota, _mm512_set1_epi32(static_cast<int>(i) + 16 * part));
      _mm512_storeu_si512(out + k, _mm512_maskz_compress_epi32(m, v));
      k += __builtin_popcount(m);
    }
  }
#elif defined(__AVX2__)
  for (; i + 64 <= n; i += 64) {
    const uint64_t bits = bits_of_64(mask + i);
    for (int part = 0; part < 8; part++) {
      const unsigned m = static_cast<uint8_t>(bits >> (8 * part));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + k),
                          _mm256_add_epi32(_mm256_cvtepu8_epi32(lanes_first(m)),
                                           _mm256_set1_epi32(static_cast<int>(i) + 8 * part)));
      k += __builtin_popcount(m);
    }
  }
#endif
  for (; i < n; i++) {
    out[k] = static_cast<int32_t>(i);
    k += mask[i];
  }
  return k;
}

void select_offsets(const uint8_t* mask, const int32_t* off, int64_t lists, int32_t* out) {
  const int64_t n = off[lists];
  BitTile tile;
  int64_t p = 0, base = 0;
  for (int64_t begin = 0; begin < n; begin += BitTile::kItems) {
    const int64_t end = least(n, begin + BitTile::kItems);
    tile.set_const(mask + begin, end - begin);
    // Offsets at the end of a tile belong to the next one, where their rank is 0.
    const auto one_by_one = [&](int64_t stop) {
      for (; p < stop && off[p] < end; p++)
        out[p] = static_cast<int32_t>(base + tile.rank(off[p] - begin));
    };
#if defined(__AVX2__)
    constexpr int kLists = ListBits::kLists;
    while (p + kLists <= lists && off[p + kLists] < end) {
      if (ListBits::fit(off + p)) {
        const int64_t first = off[p] - begin;
        const auto ones = ListBits::ones(ListBits::before(tile.from(first), off + p));
        store(out + p, ListBits::narrow(ones) + static_cast<int32_t>(base + tile.rank(first)));
        p += kLists;
      } else {
        one_by_one(p + kLists);
      }
    }
#endif
    one_by_one(lists + 1);
    base += tile.rank(end - begin);
  }
  for (; p <= lists; p++) out[p] = static_cast<int32_t>(base);
}

int64_t count_ones(const uint8_t* mask, int64_t n) {
  int64_t ones = 0, i = 0;
  for (; i + 64 <= n; i += 64) ones += __builtin_popcountll(bits_of_64(mask + i));
  for (; i < n; i++) ones += mask[i];
  return ones;
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/// Eight items, those whose bits are set first, by a shuffle of their bytes.
inline void compress_eight(const uint8_t* values, unsigned mask, uint8_t* out) {
  const __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(values));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(v, lanes_first(mask)));
}
inline void compress_eight(const uint16_t* values, unsigned mask, uint16_t* out) {
  // Item j is the bytes 2 j and 2 j + 1.
  const __m128i bytes =
      _mm_add_epi16(_mm_mullo_epi16(_mm_cvtepu8_epi16(lanes_first(mask)), _mm_set1_epi16(0x0202)),
                    _mm_set1_epi16(0x0100));
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(out),
      _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)), bytes));
}
#endif

template <class T>
int64_t compress_as(const T* values, const uint8_t* mask, int64_t n, T* out) {
  int64_t k = 0, i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) <= 8) {
    constexpr int kSize = sizeof(T), kLanes = 64 / kSize;
    const int64_t whole = kSize >= 4 || compresses_16_bits() ? n / 64 * 64 : 0;
    for (; i < whole; i += 64) {
      const uint64_t bits = bits_of_64(mask + i);
      for (int part = 0; part < 64; part += kLanes) {
        const auto m = static_cast<LaneMask<kSize>>(bits >> part);
        const __m512i v = _mm512_loadu_si512(values + i + part);
        _mm512_storeu_si512(out + k, compressed<kSize>(m, v));
        k += __builtin_popcountll(m);
      }
    }
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    constexpr int lanes = 32 / sizeof(T);
    for (; i + 64 <= n; i += 64) {
      const uint64_t bits = bits_of_64(mask + i);
      for (int part = 0; part < 64 / lanes; part++) {
        const unsigned m = static_cast<unsigned>(bits >> (lanes * part)) & ((1u << lanes) - 1);
        const __m256i v =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i + lanes * part));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + k), compressed<sizeof(T)>(m, v));
        k += __builtin_popcount(m);
      }
    }
  } else if constexpr (sizeof(T) <= 2) {
    for (; i + 64 <= n; i += 64) {
      const uint64_t bits = bits_of_64(mask + i);
      for (int part = 0; part < 8; part++) {
        const auto m = static_cast<uint8_t>(bits >> (8 * part));
        compress_eight(values + i + 8 * part, m, out + k);
        k += __builtin_popcount(m);
      }
    }
  }
#endif
  for (; i < n; i++) {
    const T value = values[i];
    out[k] = value;
    k += mask[i];
  }
  return k;
}

// Calls f with an unsigned value of `itemsize` bytes.
template <class F>
[[gnu::always_inline]] inline auto with_itemsize(int itemsize, F&& f) {
  switch (itemsize) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Bytes16{});
  }
}

int64_t compress(int itemsize, const void* values, const uint8_t* mask, int64_t n, void* out) {
  return with_itemsize(itemsize, [&](auto t) {
    using T = decltype(t);
    return compress_as(static_cast<const T*>(values), mask, n, static_cast<T*>(out));
  });
}

template <class T, class I>
void take_as(const T* values, const I* index, int64_t n, T* __restrict out) {
  for (int64_t k = 0; k < n; k++) out[k] = values[index[k]];
}

void take(int itemsize, const void* values, const int32_t* index, int64_t n, void* out) {
  with_itemsize(itemsize, [&](auto t) {
    using T = decltype(t);
    take_as(static_cast<const T*>(values), index, n, static_cast<T*>(out));
  });
}
void take64(int itemsize, const void* values, const int64_t* index, int64_t n, void* out) {
  with_itemsize(itemsize, [&](auto t) {
    using T = decltype(t);
    take_as(static_cast<const T*>(values), index, n, static_cast<T*>(out));
  });
}

}  // namespace

void add_select_kernels(RaggedKernels& table) {
  table.select = select;
  table.select_offsets = select_offsets;
  table.count_ones = count_ones;
  table.compress = compress;
  table.take = take;
  table.take64 = take64;
}

}  // namespace serrate::cpu::SERRATE_ISA
