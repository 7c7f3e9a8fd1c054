// Products of matrices as cuBLAS makes them, item by item.
#pragma once

#include "cuda/device.h"

namespace emulated {

template <class T>
void multiply(const serrate::cuda::MatricesToMultiply& m) {
  const auto* left = static_cast<const T*>(m.left);
  const auto* right = static_cast<const T*>(m.right);
  auto* out = static_cast<T*>(m.out);
  for (int64_t p = 0; p < m.count; ++p) {
    for (int64_t i = 0; i < m.rows; ++i) {
      for (int64_t j = 0; j < m.columns; ++j) {
        T sum = 0;
        for (int64_t k = 0; k < m.inner; ++k)
          sum += left[i * m.inner + k] * right[k * m.columns + j];
        out[i * m.columns + j] = sum;
      }
    }
    left += m.rows * m.inner;
    right += m.inner * m.columns;
    out += m.rows * m.columns;
  }
}

}  // namespace emulated
