// CUB's algorithms. The only file that includes CUB: it takes nvcc far longer than all others.
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/plugin/primitives.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(int64_t n) {
  return static_cast<unsigned>((n + kThreads - 1) / kThreads < 65536 ? (n + kThreads - 1) / kThreads
                                                                     : 65536);
}

template <class Key, class T>
__device__ Key ordered(T v, bool descending) {
  constexpr int bits = 8 * sizeof(T);
  constexpr Key top = Key{1} << (bits - 1);
  constexpr Key all = static_cast<Key>(~Key{0}) >> (8 * sizeof(Key) - bits);
  Key k;
  if constexpr (T(-1) < T(0)) {
    k = (static_cast<Key>(v) & all) ^ top;
  } else {
    k = static_cast<Key>(v);
  }
  return descending ? k ^ all : k;
}

// Of the bits of an IEEE number; `infinity` is the pattern of infinity.
template <class Key>
__device__ Key ordered_float(Key v, Key top, Key all, Key infinity, bool descending) {
  const Key size = v & ~top;
  if (size > infinity) return all;  // NaN last
  const Key k = size == 0 ? top : (v & top) ? ~v & all : v | top;
  return descending ? k ^ all : k;
}

struct Integer {
  template <class Key, class T>
  static __device__ Key key(T v, bool descending) {
    return ordered<Key>(v, descending);
  }
};
struct Time {  // NaT, the smallest integer, is last
  template <class Key, class T>
  static __device__ Key key(T v, bool descending) {
    return v == INT64_MIN ? ~Key{0} : ordered<Key>(v, descending);
  }
};
struct Half {
  template <class Key, class T>
  static __device__ Key key(T v, bool descending) {
    return ordered_float<Key>(v, 0x8000u, 0xffffu, 0x7c00u, descending);
  }
};
struct Float {
  template <class Key, class T>
  static __device__ Key key(T v, bool descending) {
    return ordered_float<Key>(v, 0x80000000u, 0xffffffffu, 0x7f800000u, descending);
  }
};
struct Double {
  template <class Key, class T>
  static __device__ Key key(T v, bool descending) {
    return ordered_float<Key>(v, uint64_t{1} << 63, ~uint64_t{0}, uint64_t{0x7ff} << 52,
                              descending);
  }
};

template <class How, class Key, class T>
__global__ void make_keys(const T* in, Key* out, int64_t* values, int64_t n, bool descending) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    out[i] = How::template key<Key>(in[i], descending);
    values[i] = i;
  }
}

__global__ void find_lists(const int64_t* items, const int64_t* offsets, int64_t lists, int64_t n,
                           uint64_t* out) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const int64_t at = items[i];
    int64_t lo = 0, hi = lists;  // the last list with offsets[lo] <= at
    while (hi - lo > 1) {
      const int64_t middle = (lo + hi) / 2;
      (offsets[middle] <= at ? lo : hi) = middle;
    }
    out[i] = static_cast<uint64_t>(lo);
  }
}

// Offsets, and what is known of the lists, in one scan.
struct OneList {
  __device__ Lengths operator()(int64_t length) const { return {length, length}; }
};
struct Join {
  __device__ Lengths operator()(const Lengths& a, const Lengths& b) const {
    return {a.total + b.total, a.longest > b.longest ? a.longest : b.longest};
  }
};
struct PutOffset {
  int64_t* offsets;
  Lengths* seen;
  int64_t n;
  __device__ void operator()(int64_t i, const Lengths& l) const {
    offsets[i + 1] = l.total;
    if (i == 0) offsets[0] = 0;
    if (i == n - 1) *seen = l;
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

template <class How, class Key, class T>
void start_keys(const void* in, void* out, int64_t* values, int64_t n, bool descending,
                cudaStream_t s) {
  make_keys<How, Key, T><<<blocks_for(n), kThreads, 0, s>>>(
      static_cast<const T*>(in), static_cast<Key*>(out), values, n, descending);
}

}  // namespace

cudaError_t offsets_of_few(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen,
                           void* state, uint64_t number, cudaStream_t s) {
  constexpr int64_t tile = kThreads * kEach;
  few_offsets<<<static_cast<unsigned>((n + tile - 1) / tile), kThreads, 0, s>>>(
      lengths, n, offsets, seen, static_cast<volatile uint64_t*>(state), number);
  return cudaGetLastError();
}

cudaError_t offsets_of(void* temporary, size_t& bytes, const int64_t* lengths, int64_t n,
                       int64_t* offsets, Lengths* seen, cudaStream_t s) {
  const auto in = thrust::make_transform_iterator(lengths, OneList{});
  const auto out = thrust::make_tabulate_output_iterator(PutOffset{offsets, seen, n});
  return cub::DeviceScan::InclusiveScan(temporary, bytes, in, out, Join{}, n, s);
}

template <class Key>
cudaError_t sort_pairs(void* temporary, size_t& bytes, const Key* keys, Key* sorted_keys,
                       const int64_t* values, int64_t* sorted_values, int64_t n, int bits,
                       cudaStream_t s) {
  return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, sorted_keys, values, sorted_values,
                                         n, 0, bits, s);
}
template cudaError_t sort_pairs(void*, size_t&, const uint32_t*, uint32_t*, const int64_t*,
                                int64_t*, int64_t, int, cudaStream_t);
template cudaError_t sort_pairs(void*, size_t&, const uint64_t*, uint64_t*, const int64_t*,
                                int64_t*, int64_t, int, cudaStream_t);

cudaError_t ordered_keys(DType t, const void* in, void* out, int64_t* values, int64_t n,
                         bool descending, cudaStream_t s) {
  switch (t) {
    case DType::boolean:
    case DType::uint8:
      start_keys<Integer, uint32_t, uint8_t>(in, out, values, n, descending, s);
      break;
    case DType::int8:
      start_keys<Integer, uint32_t, int8_t>(in, out, values, n, descending, s);
      break;
    case DType::uint16:
      start_keys<Integer, uint32_t, uint16_t>(in, out, values, n, descending, s);
      break;
    case DType::int16:
      start_keys<Integer, uint32_t, int16_t>(in, out, values, n, descending, s);
      break;
    case DType::uint32:
      start_keys<Integer, uint32_t, uint32_t>(in, out, values, n, descending, s);
      break;
    case DType::int32:
      start_keys<Integer, uint32_t, int32_t>(in, out, values, n, descending, s);
      break;
    case DType::float16:
      start_keys<Half, uint32_t, uint16_t>(in, out, values, n, descending, s);
      break;
    case DType::float32:
      start_keys<Float, uint32_t, uint32_t>(in, out, values, n, descending, s);
      break;
    case DType::uint64:
      start_keys<Integer, uint64_t, uint64_t>(in, out, values, n, descending, s);
      break;
    case DType::int64:
      start_keys<Integer, uint64_t, int64_t>(in, out, values, n, descending, s);
      break;
    case DType::float64:
      start_keys<Double, uint64_t, uint64_t>(in, out, values, n, descending, s);
      break;
    case DType::datetime64:
    case DType::timedelta64:
      start_keys<Time, uint64_t, int64_t>(in, out, values, n, descending, s);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

cudaError_t lists_of(const int64_t* items, const int64_t* offsets, int64_t lists, int64_t n,
                     uint64_t* out, cudaStream_t s) {
  find_lists<<<blocks_for(n), kThreads, 0, s>>>(items, offsets, lists, n, out);
  return cudaGetLastError();
}

}  // namespace serrate::cuda
