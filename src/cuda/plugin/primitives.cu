// CUB's algorithms. The only file that includes CUB: it takes nvcc far longer than all others.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "cuda/plugin/primitives.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256;

struct Join {
  __device__ Lengths operator()(const Lengths& a, const Lengths& b) const {
    return {a.total + b.total, a.longest > b.longest ? a.longest : b.longest};
  }
};
// One tile of 2048 lengths a block; what a block found is told to those behind it in `state`:
// number of the call, total, longest. At most 128 blocks, which all run at once.
constexpr int kEach = 8;
__global__ void __launch_bounds__(kThreads)
    few_offsets(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen,
                volatile uint64_t* state, uint64_t number) {
  constexpr int warps = kThreads / 32;
  __shared__ int64_t totals[warps], longest[warps], before_all[2], tile[kThreads * (kEach + 1)];
  const auto slot = [](int i) { return i + i / kEach; };
  const int64_t begin = int64_t{blockIdx.x} * kThreads * kEach;
  for (int k = 0; k < kEach; k++) {
    const int i = threadIdx.x + k * kThreads;
    tile[slot(i)] = begin + i < n ? lengths[begin + i] : 0;
  }
  __syncthreads();
  const Join join;
  const auto up = [](const Lengths& l, int d) {
    return Lengths{__shfl_up_sync(~0u, (long long)l.total, d),
                   __shfl_up_sync(~0u, (long long)l.longest, d)};
  };
  Lengths mine{0, 0};
  for (int k = 0; k < kEach; k++) {
    const int64_t length = tile[slot(threadIdx.x * kEach + k)];
    mine = join(mine, {length, length});
  }
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  Lengths sum = mine;
  for (int d = 1; d < 32; d *= 2) {
    const Lengths other = up(sum, d);
    if (lane >= d) sum = join(sum, other);
  }
  if (lane == 31) {
    totals[warp] = sum.total;
    longest[warp] = sum.longest;
  }
  __syncthreads();
  Lengths all{0, 0};
  int64_t earlier = sum.total - mine.total;
  for (int w = 0; w < warps; w++) {
    if (w < warp) earlier += totals[w];
    all = join(all, {totals[w], longest[w]});
  }
  if (threadIdx.x == 0) {
    state[128 + blockIdx.x] = static_cast<uint64_t>(all.total);
    state[256 + blockIdx.x] = static_cast<uint64_t>(all.longest);
    __threadfence();
    state[blockIdx.x] = number;
  }
  if (warp == 0) {
    Lengths before{0, 0};
    for (int b = lane; b < static_cast<int>(blockIdx.x); b += 32) {
      while (state[b] != number) {
      }
      __threadfence();
      before = join(before,
                    {static_cast<int64_t>(state[128 + b]), static_cast<int64_t>(state[256 + b])});
    }
    for (int d = 1; d < 32; d *= 2) {
      const Lengths other = up(before, d);
      if (lane >= d) before = join(before, other);
    }
    if (lane == 31) {
      before_all[0] = before.total;
      before_all[1] = before.longest;
    }
  }
  __syncthreads();
  int64_t at = before_all[0] + earlier;
  for (int k = 0; k < kEach; k++) {
    int64_t& length = tile[slot(threadIdx.x * kEach + k)];
    at += length;
    length = at;
  }
  __syncthreads();
  for (int k = 0; k < kEach; k++) {
    const int i = threadIdx.x + k * kThreads;
    if (begin + i < n) offsets[begin + i + 1] = tile[slot(i)];
  }
  if (threadIdx.x != 0) return;
  if (begin == 0) offsets[0] = 0;
  if (begin + kThreads * kEach >= n) *seen = join({before_all[0], before_all[1]}, all);
}

}  // namespace

cudaError_t offsets_of_few(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen,
                           void* state, uint64_t number, cudaStream_t s) {
  constexpr int64_t tile = kThreads * kEach;
  few_offsets<<<static_cast<unsigned>((n + tile - 1) / tile), kThreads, 0, s>>>(
      lengths, n, offsets, seen, static_cast<volatile uint64_t*>(state), number);
  return cudaGetLastError();
}

template <class T>
cudaError_t sort_keys(void* temporary, size_t& bytes, Buffers<T>& keys, uint32_t n, int bits,
                      cudaStream_t s) {
  cub::DoubleBuffer<T> k(keys.now, keys.other);
  const cudaError_t e = cub::DeviceRadixSort::SortKeys(temporary, bytes, k, n, 0, bits, s);
  keys = {k.Current(), k.Alternate()};
  return e;
}
template cudaError_t sort_keys(void*, size_t&, Buffers<uint32_t>&, uint32_t, int, cudaStream_t);
template cudaError_t sort_keys(void*, size_t&, Buffers<uint64_t>&, uint32_t, int, cudaStream_t);

template <class K, class V>
cudaError_t sort_pairs(void* temporary, size_t& bytes, Buffers<K>& keys, Buffers<V>& values,
                       uint32_t n, int bits, cudaStream_t s) {
  cub::DoubleBuffer<K> k(keys.now, keys.other);
  cub::DoubleBuffer<V> v(values.now, values.other);
  const cudaError_t e = cub::DeviceRadixSort::SortPairs(temporary, bytes, k, v, n, 0, bits, s);
  keys = {k.Current(), k.Alternate()};
  values = {v.Current(), v.Alternate()};
  return e;
}
template cudaError_t sort_pairs(void*, size_t&, Buffers<uint32_t>&, Buffers<uint32_t>&, uint32_t,
                                int, cudaStream_t);
template cudaError_t sort_pairs(void*, size_t&, Buffers<uint64_t>&, Buffers<uint32_t>&, uint32_t,
                                int, cudaStream_t);
template cudaError_t sort_pairs(void*, size_t&, Buffers<uint32_t>&, Buffers<uint64_t>&, uint32_t,
                                int, cudaStream_t);

namespace {

template <class T>
cudaError_t sort_items(void* temporary, size_t& bytes, const ListsToSort& l, void* out,
                       cudaStream_t s) {
  const auto* const from = static_cast<const T*>(l.items);
  auto* const to = static_cast<T*>(out);
  if (l.lists == 1)
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, from, to, static_cast<uint32_t>(l.n), 0,
                                          8 * int{sizeof(T)}, s);
  return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, from, to, static_cast<int>(l.n),
                                                 static_cast<int>(l.lists), l.offsets,
                                                 l.offsets + 1, 0, 8 * int{sizeof(T)}, s);
}

}  // namespace

bool sorts_items(DType t) {
  return t == DType::float32 || t == DType::float64 || t == DType::int32 || t == DType::int64;
}

cudaError_t sort_items(void* temporary, size_t& bytes, const ListsToSort& l, void* out,
                       cudaStream_t s) {
  switch (l.dtype) {
    case DType::float32:
      return sort_items<float>(temporary, bytes, l, out, s);
    case DType::float64:
      return sort_items<double>(temporary, bytes, l, out, s);
    case DType::int32:
      return sort_items<int32_t>(temporary, bytes, l, out, s);
    case DType::int64:
      return sort_items<int64_t>(temporary, bytes, l, out, s);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace serrate::cuda
