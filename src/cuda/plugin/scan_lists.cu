// Running sums, products, minima and maxima list by list.
//
// Tiles of equal numbers of items. A first kernel folds what each tile has of the list that goes on
// behind it: few items, unless the list is longer than a tile. One block makes of that what each
// tile starts from, always in the same order; then the tiles are scanned.
#include <cstdint>
#include <limits>

#include "cuda/plugin/find_list.h"
#include "cuda/plugin/primitives.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256, kEach = 16, kTile = kThreads * kEach;
constexpr int kJoiners = 1024;

template <class T, class L = std::numeric_limits<T>>
constexpr T kMost = L::has_infinity ? L::infinity() : L::max();
template <class T, class L = std::numeric_limits<T>>
constexpr T kLeast = L::has_infinity ? -L::infinity() : L::lowest();

struct Add {
  template <class T>
  static __device__ T none() {
    return T(0);
  }
  template <class T>
  static __device__ T join(T a, T b) {
    return a + b;
  }
};
struct Multiply {
  template <class T>
  static __device__ T none() {
    return T(1);
  }
  template <class T>
  static __device__ T join(T a, T b) {
    return a * b;
  }
};
template <bool smaller>
struct Extreme {
  template <class T>
  static __device__ T none() {
    return smaller ? kMost<T> : kLeast<T>;
  }
  template <class T>
  static __device__ T join(T a, T b) {  // NaN stays
    const T x = (smaller ? b < a : a < b) ? b : a;
    return b != b ? b : x;
  }
};

/// What there is since the last list began, and whether one did.
template <class T>
struct Part {
  T value;
  int cut;
  int unused;  // 0: what is behind the others is read with them
};

template <class Op, class T>
__device__ Part<T> join(Part<T> a, Part<T> b) {
  if (b.cut) return b;
  return {Op::join(a.value, b.value), a.cut};
}

/// Parts of the lanes up to this one.
template <class Op, class T>
__device__ Part<T> warp_scan(Part<T> p) {
  const int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d *= 2) {
    const Part<T> before{__shfl_up_sync(~0u, p.value, d), __shfl_up_sync(~0u, p.cut, d)};
    if (lane >= d) p = join<Op>(before, p);
  }
  return p;
}

/// Parts of the threads before this one, behind `first`.
template <class Op, class T>
__device__ Part<T> block_scan(Part<T> p, Part<T> first) {
  __shared__ Part<T> ends[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const Part<T> scanned = warp_scan<Op>(p);
  if (lane == 31) ends[warp] = scanned;
  Part<T> before{__shfl_up_sync(~0u, scanned.value, 1), __shfl_up_sync(~0u, scanned.cut, 1)};
  if (lane == 0) before = {Op::template none<T>(), 0};
  __syncthreads();
  Part<T> all = first;
  for (int w = 0; w < warp; w++) all = join<Op>(all, ends[w]);
  return join<Op>(all, before);
}

/// A warp a tile.
template <class Op, class T>
__global__ void last_parts(const T* in, const int64_t* offsets, int64_t lists, int64_t n,
                           int64_t tiles, Part<T>* parts, int64_t* last) {
  const int64_t tile = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (tile >= tiles) return;
  const int64_t begin = tile * kTile, end = min(n, begin + kTile);
  const int64_t list = find_list(offsets, lists, end - 1), start = offsets[list];
  T value = Op::template none<T>();
#pragma unroll 8
  for (int64_t i = max(begin, start) + (threadIdx.x & 31); i < end; i += 32)
    value = Op::join(value, in[i]);
  for (int d = 1; d < 32; d *= 2) value = Op::join(value, __shfl_xor_sync(~0u, value, d));
  if ((threadIdx.x & 31) != 0) return;
  parts[tile] = {value, start >= begin};
  last[tile] = list;
}

/// One block: parts become what stands before the tiles.
template <class Op, class T>
__global__ void __launch_bounds__(kJoiners) join_parts(Part<T>* parts, int64_t tiles) {
  const int64_t each = (tiles + kJoiners - 1) / kJoiners;
  const int64_t from = min(tiles, threadIdx.x * each), to = min(tiles, from + each);
  const Part<T> none{Op::template none<T>(), 0};
  Part<T> own = none;
#pragma unroll 8
  for (int64_t t = from; t < to; t++) own = join<Op>(own, parts[t]);
  Part<T> before = block_scan<Op>(own, none);
#pragma unroll 8
  for (int64_t t = from; t < to; t++) {
    const Part<T> part = parts[t];
    parts[t] = before;
    before = join<Op>(before, part);
  }
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads)
    scan_tiles(const T* in, const int64_t* offsets, int64_t lists, int64_t n, const Part<T>* parts,
               const int64_t* last, T* out) {
  // A place is left free behind each thread's items, so that threads meet different banks.
  __shared__ T values[kTile + kThreads];
  __shared__ unsigned begins[kTile / 32];
  const auto slot = [](int i) { return i + i / kEach; };
  const int64_t tile = blockIdx.x, begin = tile * kTile;
  const int items = static_cast<int>(min(int64_t{kTile}, n - begin));
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    values[slot(i)] = i < items ? in[begin + i] : T(0);
  }
  for (int i = threadIdx.x; i < kTile / 32; i += kThreads) begins[i] = 0;
  __syncthreads();
  for (int64_t l = (tile == 0 ? 0 : last[tile - 1] + 1) + threadIdx.x; l < lists; l += kThreads) {
    const int64_t i = offsets[l] - begin;
    if (i >= items) break;
    atomicOr(&begins[i / 32], 1u << (i % 32));
  }
  __syncthreads();
  const int first = threadIdx.x * kEach;
  const unsigned bits = begins[first / 32] >> (first % 32);
  T mine[kEach];
  const Part<T> none{Op::template none<T>(), 0};
  Part<T> part = none;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const T x = values[slot(first + k)];
    const bool cut = (bits >> k & 1) != 0;
    part = {cut || k == 0 ? x : Op::join(part.value, x), part.cut || cut};
    mine[k] = part.value;
  }
  const Part<T> before = block_scan<Op>(part, tile == 0 ? none : parts[tile]);
  bool goes_on = true;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    goes_on = goes_on && (bits >> k & 1) == 0;
    values[slot(first + k)] = goes_on ? Op::join(before.value, mine[k]) : mine[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    if (i < items) out[begin + i] = values[slot(i)];
  }
}

int64_t tiles_of(int64_t n) { return (n + kTile - 1) / kTile; }

template <class Op, class T>
cudaError_t scan(void* temporary, const void* from, const int64_t* offsets, int64_t lists,
                 int64_t n, void* to, cudaStream_t s) {
  const auto* in = static_cast<const T*>(from);
  const int64_t tiles = tiles_of(n);
  auto* parts = static_cast<Part<T>*>(temporary);
  auto* last = reinterpret_cast<int64_t*>(static_cast<char*>(temporary) + 16 * tiles);
  const auto blocks = static_cast<unsigned>(tiles);
  if (tiles > 1) {
    last_parts<Op, T><<<(blocks + 7) / 8, 256, 0, s>>>(in, offsets, lists, n, tiles, parts, last);
    join_parts<Op, T><<<1, kJoiners, 0, s>>>(parts, tiles);
  }
  scan_tiles<Op, T>
      <<<blocks, kThreads, 0, s>>>(in, offsets, lists, n, parts, last, static_cast<T*>(to));
  return cudaGetLastError();
}

/// Where integers wrap around, signed ones do as unsigned ones.
template <class Op, class... Arguments>
cudaError_t scan_sums(DType t, Arguments... a) {
  switch (t) {
    case DType::float32:
      return scan<Op, float>(a...);
    case DType::float64:
      return scan<Op, double>(a...);
    default:
      return scan<Op, unsigned long long>(a...);
  }
}

template <class Op, class... Arguments>
cudaError_t scan_extremes(DType t, Arguments... a) {
  switch (t) {
    case DType::float32:
      return scan<Op, float>(a...);
    case DType::float64:
      return scan<Op, double>(a...);
    case DType::uint64:
      return scan<Op, unsigned long long>(a...);
    default:
      return scan<Op, long long>(a...);
  }
}

}  // namespace

int64_t scan_lists_bytes(int64_t n) { return 24 * tiles_of(n); }

cudaError_t scan_lists(ListScan how, DType t, void* temporary, const void* in,
                       const int64_t* offsets, int64_t lists, int64_t n, void* out,
                       cudaStream_t s) {
  switch (how) {
    case ListScan::sum:
      return scan_sums<Add>(t, temporary, in, offsets, lists, n, out, s);
    case ListScan::prod:
      return scan_sums<Multiply>(t, temporary, in, offsets, lists, n, out, s);
    case ListScan::min:
      return scan_extremes<Extreme<true>>(t, temporary, in, offsets, lists, n, out, s);
    case ListScan::max:
      return scan_extremes<Extreme<false>>(t, temporary, in, offsets, lists, n, out, s);
  }
  return cudaErrorInvalidValue;
}

}  // namespace serrate::cuda
