// Bands of matrices, transposed: squares of four- and eight-byte items in registers, others by way
// of memory that stays in the first cache.
#include "cpu/lists/matrices/transpose.h"

#include <array>
#include <cstring>
#include <utility>

namespace serrate::cpu::SERRATE_ISA {

void transpose_band(const MatrixBand& band, int64_t itemsize);

namespace {

constexpr int64_t kTile = 32;

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif

struct Item16 {
  uint64_t halves[2];
};

/// Items that tiles leave: from + r * stride + c goes to to + c * to_stride + r.
template <class T>
void tile(const T* from, int64_t stride, T* to, int64_t to_stride, int64_t rows, int64_t columns) {
  std::array<T, kTile * kTile> items;
  for (int64_t r = 0; r < rows; r++) {
    const T* row = from + r * stride;
    for (int64_t c = 0; c < columns; c++) items[static_cast<size_t>(c * kTile + r)] = row[c];
  }
  for (int64_t c = 0; c < columns; c++)
    std::memcpy(to + c * to_stride, &items[static_cast<size_t>(c * kTile)],
                static_cast<size_t>(rows) * sizeof(T));
}

/// As many rows as a register has lanes. Interleaving rows i and i + n / 2 moves the highest bit of
/// a row's number behind the lowest of a lane's: after log2(n) times all of them are exchanged.
template <class T>
struct Square {
  static constexpr int n = kBytes / int{sizeof(T)};
  typedef T Row __attribute__((vector_size(kBytes)));
  using Lanes = std::make_integer_sequence<int, n>;

  template <int half, int... i>
  [[gnu::always_inline]] static Row interleave(Row a, Row b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (half * n / 2 + i / 2 + i % 2 * n)...);
  }
  [[gnu::always_inline]] static void run(const T* from, int64_t stride, T* to, int64_t to_stride) {
    Row a[n];
    for (int i = 0; i < n; i++) std::memcpy(&a[i], from + i * stride, sizeof(Row));
#pragma GCC unroll 4
    for (int done = 1; done < n; done *= 2) {
      Row b[n];
#pragma GCC unroll 16
      for (int i = 0; i < n / 2; i++) {
        b[2 * i] = interleave<0>(a[i], a[i + n / 2], Lanes{});
        b[2 * i + 1] = interleave<1>(a[i], a[i + n / 2], Lanes{});
      }
#pragma GCC unroll 16
      for (int i = 0; i < n; i++) a[i] = b[i];
    }
    for (int i = 0; i < n; i++) std::memcpy(to + i * to_stride, &a[i], sizeof(Row));
  }
};

template <class T>
void transpose(const MatrixBand& band) {
  const T* from = static_cast<const T*>(band.from);
  T* to = static_cast<T*>(band.to);
  const int64_t stride = band.stride, to_stride = band.to_stride;
  int64_t c = 0;
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using S = Square<T>;
    const int64_t whole = band.rows / S::n * S::n;
    for (; c + S::n <= band.columns; c += S::n) {
      for (int64_t r = 0; r < whole; r += S::n)
        S::run(from + r * stride + c, stride, to + c * to_stride + r, to_stride);
      if (whole < band.rows)
        tile(from + whole * stride + c, stride, to + c * to_stride + whole, to_stride,
             band.rows - whole, int64_t{S::n});
    }
  }
  for (; c < band.columns; c += kTile)
    tile(from + c, stride, to + c * to_stride, to_stride, band.rows,
         c + kTile < band.columns ? kTile : band.columns - c);
}

}  // namespace

void transpose_band(const MatrixBand& band, int64_t itemsize) {
  switch (itemsize) {
    case 1:
      return transpose<uint8_t>(band);
    case 2:
      return transpose<uint16_t>(band);
    case 4:
      return transpose<uint32_t>(band);
    case 8:
      return transpose<uint64_t>(band);
    default:
      return transpose<Item16>(band);
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
