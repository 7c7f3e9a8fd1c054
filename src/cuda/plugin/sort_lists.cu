// Lists that fit into a block's shared memory, sorted there: each item is read and written once.
//
// A block takes the lists that begin in its range of items, whole. Runs of 16 items are sorted by
// counting, for each item, those before it; then runs of a list are merged two by two: an item
// looks up its place in the other run. All items of the block do so side by side, whatever lists
// they are of, in as many rounds as its longest list needs.
#include <cstdint>

#include "cuda/plugin/find_list.h"
#include "cuda/plugin/sort_lists.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 512, kEach = 8;
constexpr int kRange = kThreads * kEach / 2;  // items in which the lists of a block begin
constexpr int kRoom = kRange + kSortedInBlock;
static_assert(kRoom == kThreads * kEach);
constexpr int kRun = 16, kWords = kRoom / 32;

__device__ int warp_max(int x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, x);
#else
  for (int d = 1; d < 32; d *= 2) x = max(x, __shfl_xor_sync(~0u, x, d));
  return x;
#endif
}

/// The items of a block, and the bits of those that begin a list.
struct Tile {
  int64_t begin, end;
  unsigned heads[kWords], filled[(kWords + 31) / 32];  // filled: heads that are not 0
  int64_t first_list, last_list;
  int longest;
};

/// Of all items in a range: the lists that begin in it, but the last one if it is longer than
/// blocks take. Sets begin and end.
__device__ void find_items(const int64_t* offsets, int64_t lists, int64_t n, Tile& tile) {
  const int64_t from = int64_t{blockIdx.x} * kRange, to = min(n, from + kRange);
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    const int64_t first = from == 0 ? 0 : find_list(offsets, lists, from - 1) + 1;
    tile.first_list = first;
    tile.begin = offsets[first];
  } else if (warp == 1) {
    const int64_t last = find_list(offsets, lists, to - 1);
    const int64_t begin = offsets[last], end = offsets[last + 1];
    tile.last_list = last;
    tile.end = end - begin > kSortedInBlock ? begin : end;
  }
}

/// Sets a bit for each item that begins a list.
__device__ void mark_heads(const int64_t* offsets, Tile& tile) {
  const int64_t begin = tile.begin, end = tile.end;
  const int64_t first = tile.first_list, last = tile.last_list;
  const auto mark = [&](int64_t item) {
    const auto at = static_cast<unsigned>(item - begin);
    atomicOr(&tile.heads[at / 32], 1u << (at % 32));
  };
  if (last - first < 4 * kRange) {
    for (int64_t l = first + threadIdx.x; l <= last; l += kThreads) {
      const int64_t item = offsets[l];
      if (item < end) mark(item);
    }
  } else {  // many empty lists
    for (int64_t i = begin + threadIdx.x; i < end; i += kThreads)
      mark(offsets[bisect_lists(first, last + 1, i, [&](int64_t l) { return offsets[l]; })]);
  }
}

/// Where the list of item p begins and ends: begin | end << 16.
__device__ unsigned bounds_of(const Tile& tile, int p, int items) {
  const int word = p / 32;
  const unsigned up_to = ~0u >> (31 - p % 32);
  int begin = 0, end = items;
  if (const unsigned w = tile.heads[word] & up_to) {
    begin = word * 32 + 31 - __clz(w);
  } else {
    int group = word / 32;
    unsigned f = tile.filled[group] & ((1u << (word % 32)) - 1);
    while (f == 0) f = tile.filled[--group];
    const int at = group * 32 + 31 - __clz(f);
    begin = at * 32 + 31 - __clz(tile.heads[at]);
  }
  if (const unsigned w = tile.heads[word] & ~up_to) {
    end = word * 32 + __ffs(w) - 1;
  } else {
    int group = word / 32;
    unsigned f = tile.filled[group] & ~(~0u >> (31 - word % 32));
    while (f == 0 && ++group < (kWords + 31) / 32) f = tile.filled[group];
    if (f != 0) {
      const int at = group * 32 + __ffs(f) - 1;
      end = at * 32 + __ffs(tile.heads[at]) - 1;
    }
  }
  return static_cast<unsigned>(begin) | static_cast<unsigned>(end) << 16;
}

/// Where in its run of kRun items each of the thread's items belongs.
template <class Key>
__device__ void rank_runs(const Key* keys, const unsigned* bounds, int items, int* place) {
  Key own[kEach];
  int begin[kEach], size[kEach], longest = 0;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int p = k * kThreads + threadIdx.x;
    size[k] = 0;
    if (p >= items) continue;
    const int list = bounds[k] & 0xffff, end = bounds[k] >> 16;
    begin[k] = list + ((p - list) & ~(kRun - 1));
    size[k] = min(kRun, end - begin[k]);
    longest = max(longest, size[k]);
    own[k] = keys[p];
    place[k] = begin[k];
  }
  longest = warp_max(longest);
  for (int t = 0; t < longest; t++) {
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      if (t >= size[k]) continue;
      const int p = k * kThreads + threadIdx.x, other = begin[k] + t;
      const Key key = keys[other];
      place[k] += key < own[k] || (key == own[k] && other < p);
    }
  }
}

/// Where in two merged runs of `width` items each of the thread's items belongs.
template <class Key>
__device__ void rank_merged(const Key* keys, const unsigned* bounds, int items, int width,
                            int* place) {
  Key own[kEach];
  int other[kEach], size[kEach];  // the other run; after its items that are equal: size < 0
  bool behind[kEach];
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int p = k * kThreads + threadIdx.x;
    size[k] = 0;
    place[k] = p;
    if (p >= items) continue;
    const int list = bounds[k] & 0xffff, end = bounds[k] >> 16, at = (p - list) & ~(width - 1);
    behind[k] = (at & width) != 0;
    other[k] = list + (at ^ width);
    size[k] = max(0, min(width, end - other[k]));
    if (behind[k]) place[k] -= width;
    own[k] = keys[p];
  }
  for (int step = width; step > 0; step /= 2) {
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      if (step > size[k]) continue;
      const Key key = keys[other[k] + step - 1];
      if (behind[k] ? key <= own[k] : key < own[k]) {
        place[k] += step;
        other[k] += step;
        size[k] -= step;
      }
    }
  }
}

/// Items go to their places, and what they were when the block began with them.
template <class Key, bool order>
__device__ void move_items(Key* keys, unsigned short* from, int items, const int* place) {
  Key own[kEach];
  unsigned short was[kEach];
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int p = k * kThreads + threadIdx.x;
    if (p >= items) continue;
    own[k] = keys[p];
    if (order) was[k] = from[p];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    if (k * kThreads + static_cast<int>(threadIdx.x) >= items) continue;
    keys[place[k]] = own[k];
    if (order) from[place[k]] = was[k];
  }
  __syncthreads();
}

template <class Key, bool order>
__global__ void __launch_bounds__(kThreads, 2)
    sort_tiles(KeyForm form, const void* in, const int64_t* offsets, int64_t lists, int64_t n,
               void* out) {
  __shared__ Tile tile;
  __shared__ Key keys[kRoom];
  __shared__ unsigned short from[order ? kRoom : 1];
  for (int i = threadIdx.x; i < kWords; i += kThreads) tile.heads[i] = 0;
  if (threadIdx.x == 0) tile.longest = 0;
  find_items(offsets, lists, n, tile);
  __syncthreads();
  if (tile.end <= tile.begin) return;
  const int items = static_cast<int>(tile.end - tile.begin);
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int p = k * kThreads + threadIdx.x;
    if (p >= items) continue;
    keys[p] = to_key(form, load_item<Key>(form, in, tile.begin + p));
    if (order) from[p] = static_cast<unsigned short>(p);
  }
  mark_heads(offsets, tile);
  __syncthreads();
  for (int i = threadIdx.x; i < (kWords + 31) / 32 * 32; i += kThreads) {
    const unsigned filled = __ballot_sync(~0u, i < kWords && tile.heads[i] != 0);
    if (i % 32 == 0) tile.filled[i / 32] = filled;
  }
  __syncthreads();
  unsigned bounds[kEach];
  int longest = 0;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int p = k * kThreads + threadIdx.x;
    bounds[k] = p < items ? bounds_of(tile, p, items) : 0;
    longest =
        max(longest, static_cast<int>(bounds[k] >> 16) - static_cast<int>(bounds[k] & 0xffff));
  }
  longest = warp_max(longest);
  if (threadIdx.x % 32 == 0) atomicMax(&tile.longest, longest);
  int place[kEach];
  rank_runs(keys, bounds, items, place);
  __syncthreads();
  longest = tile.longest;
  move_items<Key, order>(keys, from, items, place);
  for (int width = kRun; width < longest; width *= 2) {
    rank_merged(keys, bounds, items, width, place);
    move_items<Key, order>(keys, from, items, place);
  }
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const int p = k * kThreads + threadIdx.x;
    if (p >= items) continue;
    if (order)
      static_cast<int64_t*>(out)[tile.begin + p] = from[p] - (bounds[k] & 0xffff);
    else
      store_item(form, out, tile.begin + p, of_key(form, keys[p]));
  }
}

template <class Key>
void launch(const SortedLists& l, bool order, void* out, cudaStream_t s) {
  const auto blocks = static_cast<unsigned>((l.items + kRange - 1) / kRange);
  if (order)
    sort_tiles<Key, true>
        <<<blocks, kThreads, 0, s>>>(l.form, l.in, l.offsets, l.lists, l.items, out);
  else
    sort_tiles<Key, false>
        <<<blocks, kThreads, 0, s>>>(l.form, l.in, l.offsets, l.lists, l.items, out);
}

}  // namespace

cudaError_t sort_short_lists(const SortedLists& l, bool order, void* out, cudaStream_t s) {
  l.form.bytes <= 4 ? launch<uint32_t>(l, order, out, s) : launch<uint64_t>(l, order, out, s);
  return cudaGetLastError();
}

}  // namespace serrate::cuda
