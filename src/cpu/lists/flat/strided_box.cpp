// Copies of strided boxes: see strided_box.h.
#include "cpu/lists/flat/strided_box.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "core/unsigned_of_size.h"
#include "cpu/lists/flat/strided.h"

namespace serrate::cpu {
namespace {

/// Shorter rows are copied item by item: a call costs as much as so many.
constexpr int64_t kShort = 16;
constexpr size_t kPiece = 16;  // bytes

template <class T>
class Copy {
 public:
  Copy(const StridedBox& of, void* out)
      : sizes_(of.sizes),
        strides_(of.strides),
        table_dimension_(static_cast<size_t>(of.table_dimension)),
        table_(of.table),
        out_(static_cast<T*>(out)) {}

  void run(const T* from, size_t dimension) {
    const size_t left = sizes_.size() - dimension;
    if (left == 0) {
      *out_++ = *from;
    } else if (left > 2 || (left == 2 && table_dimension_ == dimension)) {
      for (int64_t i = 0; i < sizes_[dimension]; i++) {
        const bool is_told = table_dimension_ == dimension;
        run(from + (is_told ? table_[i] : i * strides_[dimension]), dimension + 1);
      }
    } else if (left == 2) {
      rows(from, sizes_[dimension], strides_[dimension], sizes_[dimension + 1],
           strides_[dimension + 1]);
    } else if (table_dimension_ == dimension) {
      row_of_table(from, sizes_[dimension]);
    } else {
      row(from, sizes_[dimension], strides_[dimension]);
    }
  }

 private:
  void rows(const T* from, int64_t rows, int64_t to_next, int64_t n, int64_t step) {
    const bool is_told = table_dimension_ + 1 == sizes_.size();
    if (n == 2) {
      rows_of_few<2>(from, rows, to_next, is_told, step);
    } else if (n == 3) {
      rows_of_few<3>(from, rows, to_next, is_told, step);
    } else if (n == 4 && is_told) {
      rows_of_few<4>(from, rows, to_next, is_told, step);
    } else if (is_told) {
      for (int64_t i = 0; i < rows; i++) row_of_table(from + i * to_next, n);
    } else if (n >= kShort) {
      for (int64_t i = 0; i < rows; i++) row(from + i * to_next, n, step);
    } else if (step == 1 && n * sizeof(T) >= kPiece) {
      for (int64_t i = 0; i < rows; i++) short_row(from + i * to_next, n * sizeof(T));
    } else if (step == 0 && n * sizeof(T) >= kPiece) {
      for (int64_t i = 0; i < rows; i++) short_fill(from[i * to_next], n * sizeof(T));
    } else {
      for (int64_t i = 0; i < rows; i++, from += to_next)
        for (int64_t j = 0; j < n; j++) *out_++ = from[j * step];
    }
  }

  /// Where items are in their rows is held in registers.
  template <size_t n>
  void rows_of_few(const T* from, int64_t rows, int64_t to_next, bool is_told, int64_t step) {
    std::array<int64_t, n> places;
    for (size_t j = 0; j < n; j++) places[j] = is_told ? table_[j] : static_cast<int64_t>(j) * step;
    for (int64_t i = 0; i < rows; i++, from += to_next, out_ += n)
      for (size_t j = 0; j < n; j++) out_[j] = from[places[j]];
  }

  void row_of_table(const T* from, int64_t n) {
    for (int64_t j = 0; j < n; j++) out_[j] = from[table_[j]];
    out_ += n;
  }

  /// In pieces, the one at byte i from what of(i) says; the last may overlap the one before.
  template <class F>
  void in_pieces(size_t bytes, F of) {
    const auto piece = [&](size_t i) {
      std::memcpy(reinterpret_cast<std::byte*>(out_) + i, of(i), kPiece);
    };
    for (size_t i = 0; i + kPiece < bytes; i += kPiece) piece(i);
    piece(bytes - kPiece);
    out_ += bytes / sizeof(T);
  }

  void short_row(const T* from, size_t bytes) {
    in_pieces(bytes, [&](size_t i) { return reinterpret_cast<const std::byte*>(from) + i; });
  }

  void short_fill(T value, size_t bytes) {
    std::array<T, std::max<size_t>(1, kPiece / sizeof(T))> piece;
    piece.fill(value);
    in_pieces(bytes, [&](size_t) { return piece.data(); });
  }

  void row(const T* from, int64_t n, int64_t step) {
    if (step == 1 && n < kShort && n * sizeof(T) >= kPiece) return short_row(from, n * sizeof(T));
    if (step == 1)
      std::copy_n(from, n, out_);
    else
      copy_(sizeof(T), from, step, n, out_);
    out_ += n;
  }

  const std::span<const int64_t> sizes_;
  const int64_t* const strides_;
  const size_t table_dimension_;
  const int64_t* const table_;
  T* out_;
  const CopyStrided copy_ = copy_strided();
};

}  // namespace

void copy_box(const StridedBox& of, void* out) {
  with_bytes(of.size,
             [&]<class T>(T) { Copy<T>(of, out).run(static_cast<const T*>(of.items), 0); });
}

}  // namespace serrate::cpu
