// Dense matrices transposed through tiles in shared memory (Ruetsch, Micikevicius: Optimizing
// Matrix Transpose in CUDA).
#include "cuda/plugin/primitives.h"

namespace serrate::cuda {
namespace {

constexpr int kTile = 32, kRowsOfThreads = 8, kThreads = kTile * kRowsOfThreads;
constexpr int64_t kNarrow = 12;  // rows or columns that would leave most of a tile empty
constexpr int64_t kMostBlocks = 1 << 20;

template <class T>
__global__ void __launch_bounds__(kThreads)
    transpose_tiles(const T* from, T* to, int64_t count, int64_t rows, int64_t columns) {
  __shared__ T tile[kTile][kTile + 1];  // a column more, or its items would share a bank
  const int64_t down = (rows + kTile - 1) / kTile, across = (columns + kTile - 1) / kTile;
  for (int64_t b = blockIdx.x; b < count * down * across; b += gridDim.x) {
    const int64_t first = b / (down * across) * rows * columns;
    const int64_t row = b / across % down * kTile, column = b % across * kTile;
    for (int k = threadIdx.y; k < kTile; k += kRowsOfThreads) {
      if (row + k < rows && column + threadIdx.x < columns)
        tile[k][threadIdx.x] = from[first + (row + k) * columns + column + threadIdx.x];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < kTile; k += kRowsOfThreads) {
      if (column + k < columns && row + threadIdx.x < rows)
        to[first + (column + k) * rows + row + threadIdx.x] = tile[threadIdx.x][k];
    }
    __syncthreads();
  }
}

/// A thread an item of the result: what it reads is in the lines of its neighbours.
template <class T>
__global__ void transpose_items(const T* from, T* to, int64_t count, int64_t rows,
                                int64_t columns) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count * rows * columns;
       i += step) {
    const int64_t first = i / (rows * columns) * (rows * columns), at = i - first;
    to[i] = from[first + at % rows * columns + at / rows];
  }
}

template <class T>
cudaError_t transpose(const MatricesToTranspose& m, cudaStream_t s) {
  const auto* const from = static_cast<const T*>(m.items);
  auto* const to = static_cast<T*>(m.out);
  const auto blocks = [](int64_t n) {
    return static_cast<unsigned>(n < kMostBlocks ? n : kMostBlocks);
  };
  if (m.rows < kNarrow || m.columns < kNarrow) {
    const int64_t n = m.count * m.rows * m.columns;
    transpose_items<<<blocks((n + kThreads - 1) / kThreads), kThreads, 0, s>>>(from, to, m.count,
                                                                               m.rows, m.columns);
  } else {
    const int64_t down = (m.rows + kTile - 1) / kTile, across = (m.columns + kTile - 1) / kTile;
    transpose_tiles<<<blocks(m.count * down * across), dim3(kTile, kRowsOfThreads), 0, s>>>(
        from, to, m.count, m.rows, m.columns);
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t transpose(const MatricesToTranspose& m, cudaStream_t s) {
  switch (m.itemsize) {
    case 1:
      return transpose<uint8_t>(m, s);
    case 2:
      return transpose<uint16_t>(m, s);
    case 4:
      return transpose<uint32_t>(m, s);
    case 8:
      return transpose<uint64_t>(m, s);
    case 16:
      return transpose<ulonglong2>(m, s);
  }
  return cudaErrorInvalidValue;
}

}  // namespace serrate::cuda
