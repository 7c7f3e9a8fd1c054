// Offsets of many lists from their lengths, with their total and the longest, in one kernel.
#include "cuda/plugin/primitives.h"
#include "cuda/plugin/tiles.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kEach = 16, kTile = kThreads * kEach;

int64_t tiles_of(int64_t n) { return (n + kTile - 1) / kTile; }

/// Zero at first.
struct Progress {
  long long longest;
  unsigned long long done;
};

/// Sum over a block; all threads have it.
__device__ int64_t block_sum(int64_t x) {
  __shared__ int64_t sums[kWarps];
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = x;
  __syncthreads();
  x = 0;
  for (const int64_t s : sums) x += s;
  return x;
}

/// Items of all lists before a tile. A block looks at as many tiles at once as it has threads: so
/// few looks, each of which waits for memory, suffice for millions of lists.
__device__ int64_t total_before(const TileStates& states, int64_t tile) {
  __shared__ int nearest[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  int64_t sum = 0;
  for (int64_t end = tile; end > 0; end -= kThreads) {
    const int64_t other = end - 1 - thread;
    int64_t items = 0;
    const unsigned status = other < 0 ? kInvalid : wait_for(states, other, items);
    const unsigned prefixes = __ballot_sync(~0u, status == kPrefix);
    if ((thread & 31) == 0)
      nearest[thread >> 5] =
          prefixes == 0 ? kThreads : thread + __ffs(static_cast<int>(prefixes)) - 1;
    __syncthreads();
    int last = kThreads;
    for (const int w : nearest) last = min(last, w);
    __syncthreads();
    if (thread <= last) sum += items;
    if (last < kThreads) break;
  }
  return block_sum(sum);
}

__global__ void __launch_bounds__(kThreads, 5)
    many_offsets(const int64_t* lengths, int64_t n, int64_t tiles, int64_t* offsets, Lengths* seen,
                 TileStates states, Progress* progress) {
  // A place is left free behind each thread's lengths, so that threads meet different banks.
  __shared__ int64_t values[kTile + kThreads], sums[kWarps], most[kWarps], mine;
  const auto slot = [](int i) { return i + i / kEach; };
  if (threadIdx.x == 0) mine = take_tile(states);
  __syncthreads();
  const int64_t tile = mine, begin = tile * kTile;
  const int size = static_cast<int>(min(int64_t{kTile}, n - begin));
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    values[slot(i)] = i < size ? lengths[begin + i] : 0;
  }
  __syncthreads();
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, first = threadIdx.x * kEach;
  int64_t sum = 0, longest = 0;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int64_t length = values[slot(first + k)];
    sum += length;
    longest = max(longest, length);
  }
  int64_t scan = sum;
  for (int d = 1; d < 32; d *= 2) {
    const int64_t other = __shfl_up_sync(~0u, scan, d);
    if (lane >= d) scan += other;
  }
  for (int d = 16; d > 0; d /= 2) longest = max(longest, __shfl_xor_sync(~0u, longest, d));
  if (lane == 31) {
    sums[warp] = scan;
    most[warp] = longest;
  }
  __syncthreads();
  int64_t at = scan - sum, all = 0;
  for (int w = 0; w < kWarps; w++) {
    if (w < warp) at += sums[w];
    all += sums[w];
    longest = max(longest, most[w]);
  }
  if (threadIdx.x == 0) publish(states, tile, all, tile == 0 ? kPrefix : kAggregate);
  const int64_t before = total_before(states, tile);
  if (threadIdx.x == 0) {
    if (tile > 0) publish(states, tile, before + all, kPrefix);
    // Most blocks see that theirs is not the longest.
    if (longest > *static_cast<volatile long long*>(&progress->longest))
      atomicMax(&progress->longest, static_cast<long long>(longest));
    __threadfence();
    if (atomicAdd(&progress->done, 1ull) == static_cast<unsigned long long>(tiles) - 1) {
      int64_t total = 0;
      while (wait_for(states, tiles - 1, total) != kPrefix) {
      }
      *seen = {total, atomicMax(&progress->longest, 0ll)};
    }
  }
  at += before;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    at += values[slot(first + k)];
    values[slot(first + k)] = at;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    if (i < size) offsets[begin + i + 1] = values[slot(i)];
  }
  if (begin == 0 && threadIdx.x == 0) offsets[0] = 0;
}

}  // namespace

int64_t offsets_of_many_bytes(int64_t n) {
  return static_cast<int64_t>(sizeof(Progress)) + tile_state_bytes(tiles_of(n));
}

cudaError_t offsets_of_many(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen,
                            void* temporary, cudaStream_t s) {
  const auto bytes = static_cast<size_t>(offsets_of_many_bytes(n));
  if (const cudaError_t e = cudaMemsetAsync(temporary, 0, bytes, s); e != cudaSuccess) return e;
  auto* const progress = static_cast<Progress*>(temporary);
  const int64_t tiles = tiles_of(n);
  many_offsets<<<static_cast<unsigned>(tiles), kThreads, 0, s>>>(
      lengths, n, tiles, offsets, seen, tile_states_in(progress + 1), progress);
  return cudaGetLastError();
}

}  // namespace serrate::cuda
