// Running sums, products, minima and maxima list by list.
//
// Tiles of equal numbers of items, each read once. A block tells what its tile has of the list that
// goes on behind it; the blocks behind look for that. What a group of 32 tiles has is added up by a
// warp, and group by group from the first one on, so always in the same way. A small kernel before
// says which lists begin where.
#include <cstdint>
#include <limits>

#include "cuda/plugin/find_list.h"
#include "cuda/plugin/primitives.h"
#include "cuda/plugin/tiles.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256, kEach = 16, kTile = kThreads * kEach;

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

/// What the block's threads before this one have, and `all` have.
template <class Op, class T>
__device__ Part<T> block_scan(Part<T> p, Part<T>& all) {
  __shared__ Part<T> ends[kThreads / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const Part<T> scanned = warp_scan<Op>(p);
  if (lane == 31) ends[warp] = scanned;
  const Part<T> none{Op::template none<T>(), 0};
  Part<T> before{__shfl_up_sync(~0u, scanned.value, 1), __shfl_up_sync(~0u, scanned.cut, 1)};
  if (lane == 0) before = none;
  __syncthreads();
  Part<T> first = none;
  all = none;
#pragma unroll
  for (int w = 0; w < kThreads / 32; w++) {
    if (w == warp) first = all;
    all = join<Op>(all, ends[w]);
  }
  return join<Op>(first, before);
}

/// What blocks say of tiles, and of groups of them; the list of each tile's last item.
struct Tiles {
  Said each, groups;
  int64_t* last;
};
constexpr unsigned kCut = 3;  // of the tile, in which a list begins
constexpr int kGroup = 32;    // tiles

/// A warp a tile.
__global__ void begin_tiles(const int64_t* offsets, int64_t lists, int64_t n, int64_t tiles,
                            Tiles to) {
  const int64_t tile = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (tile >= tiles) return;
  const int64_t list = find_list(offsets, lists, min(n, (tile + 1) * kTile) - 1);
  if ((threadIdx.x & 31) != 0) return;
  to.last[tile] = list;
  begin_saying(to.each, tile);
  if (tile % kGroup == 0) begin_saying(to.groups, tile / kGroup);
}

/// What there is before a group since the last list began; called by a warp. From the nearest group
/// that knows its whole, which the first one always does, one after the other is added: so the
/// result is the same whichever that is.
template <class Op, class T>
__device__ T before_group(const Said& groups, int64_t group) {
  const int lane = threadIdx.x & 31;
  int64_t behind = group;  // the window's end
  T value = Op::template none<T>();
  unsigned whole = 0;
  for (;; behind -= 32) {
    const int64_t other = behind - 1 - lane;
    const unsigned known = other < 0 ? kNothing : heard(groups, other, value);
    whole = __ballot_sync(~0u, known == kWhole);
    if (whole != 0) break;
  }
  // The window's own groups, then those of the windows behind it.
  int nearest = __ffs(static_cast<int>(whole)) - 1;
  T sum = __shfl_sync(~0u, value, nearest);
  for (;;) {
    for (int k = nearest; k-- > 0;) sum = Op::join(sum, __shfl_sync(~0u, value, k));
    if (behind == group) return sum;
    behind += 32;
    const unsigned known = heard(groups, behind - 1 - lane, value);
    whole = __ballot_sync(~0u, known == kWhole);
    nearest = whole != 0 ? __ffs(static_cast<int>(whole)) - 1 : 32;
    if (whole != 0) sum = __shfl_sync(~0u, value, nearest);
  }
}

/// Tells what a tile has, and what its group has if it is the last one there. What is before it
/// since the last list began, if it asks for that. Called by a warp.
template <class Op, class T>
__device__ T before_tile(const Tiles& of, int64_t tile, Part<T> own, bool asks) {
  const int lane = threadIdx.x & 31, place = static_cast<int>(tile % kGroup);
  const int64_t group = tile / kGroup;
  if (lane == 0) say(of.each, tile, own.value, own.cut ? kCut : kOwn);
  const bool is_last = place == kGroup - 1;
  if (!asks && !is_last) return own.value;
  const Part<T> none{Op::template none<T>(), 0};
  Part<T> part = lane == place ? own : none;
  if (lane < place) part.cut = heard(of.each, tile - place + lane, part.value) == kCut;
  part = warp_scan<Op>(part);
  const Part<T> all{__shfl_sync(~0u, part.value, place), __shfl_sync(~0u, part.cut, place)};
  const int behind = place > 0 ? place - 1 : 0;
  Part<T> before{__shfl_sync(~0u, part.value, behind), __shfl_sync(~0u, part.cut, behind)};
  if (place == 0) before = none;
  const bool is_whole = all.cut || group == 0;
  if (is_last && lane == 0) say(of.groups, group, all.value, is_whole ? kWhole : kOwn);
  if (group > 0 && ((asks && !before.cut) || (is_last && !is_whole))) {
    const T first = before_group<Op, T>(of.groups, group);
    if (is_last && !is_whole && lane == 0)
      say(of.groups, group, Op::join(first, all.value), kWhole);
    if (!before.cut) return place == 0 ? first : Op::join(first, before.value);
  }
  return before.value;
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads, 5)
    scan_tiles(const T* in, const int64_t* offsets, int64_t lists, int64_t n, Tiles of, T* out) {
  // A place is left free behind each thread's items, so that threads meet different banks.
  __shared__ T values[kTile + kThreads];
  __shared__ unsigned begins[kTile / 32];
  __shared__ int64_t mine;
  __shared__ T before_all;
  const auto slot = [](int i) { return i + i / kEach; };
  // Who takes a tile knows that those before it are being done. A single one needs nothing begun.
  const bool single = gridDim.x == 1;
  if (threadIdx.x == 0) mine = single ? 0 : take_tile(of.each);
  for (int i = threadIdx.x; i < kTile / 32; i += kThreads) begins[i] = 0;
  __syncthreads();
  const int64_t tile = mine, begin = tile * kTile;
  const int items = static_cast<int>(min(int64_t{kTile}, n - begin));
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    values[slot(i)] = i < items ? in[begin + i] : T(0);
  }
  const int64_t behind = single ? lists : of.last[tile] + 1;
#pragma unroll 4
  for (int64_t l = (tile == 0 ? 0 : of.last[tile - 1] + 1) + threadIdx.x; l < behind;
       l += kThreads) {
    const auto i = static_cast<int>(offsets[l] - begin);
    if (i < items) atomicOr(&begins[i / 32], 1u << (i % 32));
  }
  __syncthreads();
  const int first = threadIdx.x * kEach;
  const unsigned bits = begins[first / 32] >> (first % 32);
  Part<T> part{values[slot(first)], static_cast<int>(bits & 1)};
#pragma unroll
  for (int k = 1; k < kEach; k++) {
    const T x = values[slot(first + k)];
    const bool cut = (bits >> k & 1) != 0;
    part = {cut ? x : Op::join(part.value, x), part.cut || cut};
  }
  Part<T> all;
  const Part<T> before = block_scan<Op>(part, all);
  if (threadIdx.x < 32) {
    if (!single) {
      const T value = before_tile<Op, T>(of, tile, all, tile > 0 && (begins[0] & 1) == 0);
      if (threadIdx.x == 0) before_all = value;
    }
  }
  __syncthreads();
  const bool is_first = threadIdx.x == 0, goes_on = !before.cut && tile > 0 && (begins[0] & 1) == 0;
  T value = !goes_on ? before.value : is_first ? before_all : Op::join(before_all, before.value);
  bool alone = is_first && !goes_on;  // nothing is before it
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const T x = values[slot(first + k)];
    value = alone || (bits >> k & 1) != 0 ? x : Op::join(value, x);
    values[slot(first + k)] = value;
    alone = false;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int i = k * kThreads + threadIdx.x;
    if (i < items) out[begin + i] = values[slot(i)];
  }
}

int64_t tiles_of(int64_t n) { return (n + kTile - 1) / kTile; }
int64_t groups_of(int64_t tiles) { return (tiles + kGroup - 1) / kGroup; }

template <class Op, class T>
cudaError_t scan(void* temporary, const void* from, const int64_t* offsets, int64_t lists,
                 int64_t n, void* out, cudaStream_t s) {
  const int64_t tiles = tiles_of(n);
  auto* const memory = static_cast<char*>(temporary);
  const int64_t each = said_bytes(tiles), groups = said_bytes(groups_of(tiles));
  const Tiles to{said_in(memory), said_in(memory + each),
                 reinterpret_cast<int64_t*>(memory + each + groups)};
  const auto blocks = static_cast<unsigned>(tiles);
  if (tiles > 1) begin_tiles<<<(blocks + 7) / 8, 256, 0, s>>>(offsets, lists, n, tiles, to);
  scan_tiles<Op, T><<<blocks, kThreads, 0, s>>>(static_cast<const T*>(from), offsets, lists, n, to,
                                                static_cast<T*>(out));
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

int64_t scan_lists_bytes(int64_t n) {
  const int64_t tiles = tiles_of(n);
  return said_bytes(tiles) + said_bytes(groups_of(tiles)) + 8 * tiles;
}

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
