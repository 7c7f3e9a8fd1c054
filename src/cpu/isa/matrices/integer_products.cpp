// A panel of the right matrix is packed, so that its rows lie side by side; four rows of the result
// stay in registers while their sums grow (Goto, van de Geijn 2008).
#include "cpu/lists/matrices/integer_products.h"

#include <algorithm>
#include <cstring>

#include "cpu/machine/scratch.h"

namespace serrate::cpu::SERRATE_ISA {

void integer_product(const IntegerProduct& of, const IntegerPanel& panel, void* out);

namespace {

constexpr int64_t kInner = 512;  // rows of the right matrix that are packed at a time
constexpr int kRows = 4;

/// `rows` rows of `width` sums each, of `inner` items of the left matrix's rows.
template <int rows, int width, class T>
void add_rows(const T* left, int64_t stride, const T* right, int64_t inner, T* out) {
  T sums[rows][width];
  std::memcpy(sums, out, sizeof sums);
  for (int64_t j = 0; j < inner; j++) {
    const T* y = right + j * width;
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
      const T x = left[r * stride + j];
#pragma GCC ivdep
      for (int c = 0; c < width; c++) sums[r][c] = static_cast<T>(sums[r][c] + x * y[c]);
    }
  }
  std::memcpy(out, sums, sizeof sums);
}

template <class T>
void product(const IntegerProduct& of, const IntegerPanel& panel, T* out) {
  constexpr int kWidth = 64 / sizeof(T);
  const T* left = static_cast<const T*>(of.left);
  const T* right = static_cast<const T*>(of.right) + panel.first_column;
  ScratchScope scope;
  const int64_t rows = panel.last_row - panel.first_row;
  T* packed = scope.get<T>(kInner * kWidth);
  T* sums = scope.get<T>(static_cast<size_t>(rows * kWidth));
  std::fill_n(sums, rows * kWidth, T(0));
  std::fill_n(packed, kInner * kWidth, T(0));
  for (int64_t j = 0; j < of.inner; j += kInner) {
    const int64_t inner = std::min(kInner, of.inner - j);
    for (int64_t k = 0; k < inner; k++)
      std::copy_n(right + (j + k) * of.columns, panel.columns, packed + k * kWidth);
    const T* from = left + panel.first_row * of.inner + j;
    int64_t r = 0;
    for (; r + kRows <= rows; r += kRows)
      add_rows<kRows, kWidth>(from + r * of.inner, of.inner, packed, inner, sums + r * kWidth);
    for (; r < rows; r++)
      add_rows<1, kWidth>(from + r * of.inner, of.inner, packed, inner, sums + r * kWidth);
  }
  for (int64_t r = 0; r < rows; r++)
    std::copy_n(sums + r * kWidth, panel.columns,
                out + (panel.first_row + r) * of.columns + panel.first_column);
}

/// Bits of so many columns of the right matrix are a row of 64 bytes.
using Bits = uint64_t[8];

void pack(const uint8_t* from, int64_t n, Bits& bits) {
  for (uint64_t& word : bits) word = 0;
  int64_t c = 0;
  for (; c + 8 <= n; c += 8) {  // eight booleans, the first one in the lowest bit
    uint64_t bytes;
    std::memcpy(&bytes, from + c, sizeof bytes);
    bits[c / 64] |= (bytes * 0x0102040810204080) >> 56 << c % 64;
  }
  for (; c < n; c++) bits[c / 64] |= uint64_t{from[c]} << c % 64;
}

/// Of booleans a row of the result is all rows of the right matrix together where the left has a
/// true item.
void tests(const IntegerProduct& of, const IntegerPanel& panel, uint8_t* out) {
  const auto* left = static_cast<const uint8_t*>(of.left);
  const auto* right = static_cast<const uint8_t*>(of.right) + panel.first_column;
  ScratchScope scope;
  auto* packed = scope.get<Bits>(static_cast<size_t>(of.inner));
  for (int64_t j = 0; j < of.inner; j++) pack(right + j * of.columns, panel.columns, packed[j]);
  for (int64_t r = panel.first_row; r < panel.last_row; r++) {
    Bits found{};
    for (int64_t j = 0; j < of.inner; j++) {
      const uint64_t all = -uint64_t{left[r * of.inner + j]};
      for (int w = 0; w < 8; w++) found[w] |= packed[j][w] & all;
    }
    uint8_t* to = out + r * of.columns + panel.first_column;
    for (int64_t c = 0; c < panel.columns; c++) to[c] = found[c / 64] >> c % 64 & 1;
  }
}

}  // namespace

void integer_product(const IntegerProduct& of, const IntegerPanel& panel, void* out) {
  switch (itemsize(of.type)) {  // products of signed integers have the same bits
    case 1:
      if (of.type == DType::boolean) return tests(of, panel, static_cast<uint8_t*>(out));
      return product(of, panel, static_cast<uint8_t*>(out));
    case 2:
      return product(of, panel, static_cast<uint16_t*>(out));
    case 4:
      return product(of, panel, static_cast<uint32_t*>(out));
    default:
      return product(of, panel, static_cast<uint64_t*>(out));
  }
}

}  // namespace serrate::cpu::SERRATE_ISA
