// Running sums, products, minima and maxima list by list.
//
// A segmented scan in one pass with decoupled look-back (tiles.h): tiles of equal numbers of items,
// each read once, whose aggregate is that of the list which goes on behind the tile. Unlike CUB's,
// sums of floats are the same each time: a warp adds up what a group of 32 tiles has, and group by
// group from the first one on, whichever prefixes are there already. A small kernel before finds
// the list of each tile's last item.
#include <cstdint>
#include <limits>
#include <type_traits>

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
  static __device__ T next(T a, T x) {
    return a + x;
  }
  template <class T>
  static __device__ T join(T a, T b, bool /*b_is_infinite*/) {
    return a + b;
  }
  template <class T>
  static __device__ bool is_infinite(T /*x*/) {
    return false;
  }
};
struct Multiply {
  template <class T>
  static __device__ T none() {
    return T(1);
  }
  template <class T>
  static __device__ T next(T a, T x) {
    return a * x;
  }
  /// Behind a zero finite items give zeros, though their own product is too large.
  template <class T>
  static __device__ T join(T a, T b, bool b_is_infinite) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a == T(0) && !b_is_infinite && !isfinite(b)) return signbit(b) ? -a : a;
    }
    return a * b;
  }
  template <class T>
  static __device__ bool is_infinite(T x) {
    if constexpr (std::is_floating_point_v<T>) return !isfinite(x);
    return false;
  }
};
template <bool smaller>
struct Extreme {
  template <class T>
  static __device__ T none() {
    return smaller ? kMost<T> : kLeast<T>;
  }
  template <class T>
  static __device__ T next(T a, T b) {  // NaN stays
    const T x = (smaller ? b < a : a < b) ? b : a;
    return b != b ? b : x;
  }
  template <class T>
  static __device__ T join(T a, T b, bool /*b_is_infinite*/) {
    return next(a, b);
  }
  template <class T>
  static __device__ bool is_infinite(T /*x*/) {
    return false;
  }
};

/// The aggregate since the last list began: whether one did (a head flag), and whether an item
/// since then is one that Op calls infinite.
constexpr int kHead = 1, kInfinite = 2;
template <class T>
struct Part {
  T value;
  int flags;
  __device__ bool has_head() const { return (flags & kHead) != 0; }
  __device__ bool infinite() const { return (flags & kInfinite) != 0; }
};

template <class Op, class T>
__device__ Part<T> join(Part<T> a, Part<T> b) {
  if (b.has_head()) return b;
  return {Op::join(a.value, b.value, b.infinite()), a.flags | b.flags};
}

/// The part of another lane.
template <class T>
__device__ Part<T> of_lane(Part<T> p, int lane) {
  return {__shfl_sync(~0u, p.value, lane), __shfl_sync(~0u, p.flags, lane)};
}

/// Parts of the lanes up to this one.
template <class Op, class T>
__device__ Part<T> warp_scan(Part<T> p) {
  const int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d *= 2) {
    const Part<T> before{__shfl_up_sync(~0u, p.value, d), __shfl_up_sync(~0u, p.flags, d)};
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
  Part<T> before{__shfl_up_sync(~0u, scanned.value, 1), __shfl_up_sync(~0u, scanned.flags, 1)};
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

/// States of tiles, and of groups of them; the list of each tile's last item.
struct Tiles {
  TileStates each, groups;
  int64_t* last;
};
/// Flags of a part stand above the status.
constexpr unsigned kStatus = 3, kFlags = 4;
constexpr int kGroup = 32;  // tiles

template <class T>
__device__ void publish_part(const TileStates& t, int64_t tile, Part<T> p, unsigned status) {
  publish(t, tile, p.value, status + kFlags * static_cast<unsigned>(p.flags));
}
template <class T>
__device__ unsigned wait_for_part(const TileStates& t, int64_t tile, Part<T>& p) {
  const unsigned word = wait_for(t, tile, p.value);
  p.flags = static_cast<int>(word / kFlags);
  return word & kStatus;
}

/// A warp a tile.
__global__ void begin_tiles(const int64_t* offsets, int64_t lists, int64_t n, int64_t tiles,
                            Tiles to) {
  const int64_t tile = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (tile >= tiles) return;
  const int64_t list = find_list(offsets, lists, min(n, (tile + 1) * kTile) - 1);
  if ((threadIdx.x & 31) != 0) return;
  to.last[tile] = list;
  reset_tile(to.each, tile);
  if (tile % kGroup == 0) reset_tile(to.groups, tile / kGroup);
}

/// What there is before a group since the last list began; called by a warp. From the nearest group
/// whose prefix is there, as the first one's always is, one after the other is added: so the
/// result is the same whichever that is.
template <class Op, class T>
__device__ Part<T> before_group(const TileStates& groups, int64_t group) {
  const int lane = threadIdx.x & 31;
  int64_t behind = group;  // the window's end
  Part<T> part{Op::template none<T>(), 0};
  unsigned prefixes = 0;
  for (;; behind -= 32) {
    const int64_t other = behind - 1 - lane;
    const unsigned status = other < 0 ? kInvalid : wait_for_part(groups, other, part);
    prefixes = __ballot_sync(~0u, status == kPrefix);
    if (prefixes != 0) break;
  }
  // The window's own groups, then those of the windows behind it.
  int nearest = __ffs(static_cast<int>(prefixes)) - 1;
  Part<T> sum = of_lane(part, nearest);
  for (;;) {
    for (int k = nearest; k-- > 0;) sum = join<Op>(sum, of_lane(part, k));
    if (behind == group) return sum;
    behind += 32;
    const unsigned status = wait_for_part(groups, behind - 1 - lane, part);
    prefixes = __ballot_sync(~0u, status == kPrefix);
    nearest = prefixes != 0 ? __ffs(static_cast<int>(prefixes)) - 1 : 32;
    if (prefixes != 0) sum = of_lane(part, nearest);
  }
}

/// Publishes the aggregate of a tile, and that of its group if it is the last one there. What is
/// before it since the last list began, if it asks for that. Called by a warp.
template <class Op, class T>
__device__ Part<T> before_tile(const Tiles& of, int64_t tile, Part<T> own, bool asks) {
  const int lane = threadIdx.x & 31, place = static_cast<int>(tile % kGroup);
  const int64_t group = tile / kGroup;
  if (lane == 0) publish_part(of.each, tile, own, kAggregate);
  const bool is_last = place == kGroup - 1;
  if (!asks && !is_last) return own;
  const Part<T> none{Op::template none<T>(), 0};
  Part<T> part = lane == place ? own : none;
  if (lane < place) wait_for_part(of.each, tile - place + lane, part);
  part = warp_scan<Op>(part);
  const Part<T> all = of_lane(part, place);
  Part<T> before = of_lane(part, place > 0 ? place - 1 : 0);
  if (place == 0) before = none;
  const bool is_prefix = all.has_head() || group == 0;
  if (is_last && lane == 0) publish_part(of.groups, group, all, is_prefix ? kPrefix : kAggregate);
  if (group > 0 && ((asks && !before.has_head()) || (is_last && !is_prefix))) {
    const Part<T> first = before_group<Op, T>(of.groups, group);
    if (is_last && !is_prefix && lane == 0)
      publish_part(of.groups, group, join<Op>(first, all), kPrefix);
    if (!before.has_head()) return place == 0 ? first : join<Op>(first, before);
  }
  return before;
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads, 5)
    scan_tiles(const T* in, const int64_t* offsets, int64_t lists, int64_t n, Tiles of, T* out) {
  // A place is left free behind each thread's items, so that threads meet different banks.
  __shared__ T values[kTile + kThreads];
  __shared__ unsigned begins[kTile / 32];
  __shared__ int64_t mine;
  __shared__ Part<T> before_all;
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
  const auto flag = [](T x) { return Op::is_infinite(x) ? kInfinite : 0; };
  const T start = values[slot(first)];
  Part<T> part{start, ((bits & 1) != 0 ? kHead : 0) | flag(start)};
#pragma unroll
  for (int k = 1; k < kEach; k++) {
    const T x = values[slot(first + k)];
    if ((bits >> k & 1) != 0) {
      part = {x, kHead | flag(x)};
    } else {
      part = {Op::next(part.value, x), part.flags | flag(x)};
    }
  }
  Part<T> all;
  const Part<T> before = block_scan<Op>(part, all);
  if (threadIdx.x < 32) {
    if (!single) {
      const Part<T> p = before_tile<Op, T>(of, tile, all, tile > 0 && (begins[0] & 1) == 0);
      if (threadIdx.x == 0) before_all = p;
    }
  }
  __syncthreads();
  const bool is_first = threadIdx.x == 0,
             goes_on = !before.has_head() && tile > 0 && (begins[0] & 1) == 0;
  T value = !goes_on ? before.value : (is_first ? before_all : join<Op>(before_all, before)).value;
  bool alone = is_first && !goes_on;  // nothing is before it
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const T x = values[slot(first + k)];
    value = alone || (bits >> k & 1) != 0 ? x : Op::next(value, x);
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
  const int64_t each = tile_state_bytes(tiles), groups = tile_state_bytes(groups_of(tiles));
  const Tiles to{tile_states_in(memory), tile_states_in(memory + each),
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
  return tile_state_bytes(tiles) + tile_state_bytes(groups_of(tiles)) + 8 * tiles;
}

cudaError_t scan_lists(Reducer how, DType t, void* temporary, const void* in,
                       const int64_t* offsets, int64_t lists, int64_t n, void* out,
                       cudaStream_t s) {
  switch (how) {
    case Reducer::sum:
      return scan_sums<Add>(t, temporary, in, offsets, lists, n, out, s);
    case Reducer::prod:
      return scan_sums<Multiply>(t, temporary, in, offsets, lists, n, out, s);
    case Reducer::min:
      return scan_extremes<Extreme<true>>(t, temporary, in, offsets, lists, n, out, s);
    case Reducer::max:
      return scan_extremes<Extreme<false>>(t, temporary, in, offsets, lists, n, out, s);
  }
  return cudaErrorInvalidValue;
}

}  // namespace serrate::cuda
