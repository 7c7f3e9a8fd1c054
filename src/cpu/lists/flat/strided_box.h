// Items at equal strides along several dimensions, as slices of matrices and boxes look at.
#pragma once

#include <cstdint>
#include <span>

namespace serrate::cpu {

/// Items of `size` bytes: 1, 2, 4, 8 or 16; item [i, j, ...] is at i * strides[0] + j * strides[1]
/// ..., counted in items. Strides may be negative or 0; along one dimension a table may stand for
/// i * stride.
struct StridedBox {
  const void* items = nullptr;
  int size = 8;
  std::span<const int64_t> sizes;
  const int64_t* strides = nullptr;
  int table_dimension = -1;
  const int64_t* table = nullptr;
};

/// Copies them one behind the other, the last dimension fastest.
void copy_box(const StridedBox& of, void* out);

}  // namespace serrate::cpu
