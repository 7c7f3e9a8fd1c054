// Lists too long for a block, brought together for radix sorts and back: see sort_lists.h.
#include <cstdint>

#include "cuda/plugin/find_list.h"
#include "cuda/plugin/sort_lists.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(int64_t n) {
  const int64_t blocks = (n + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < 65536 ? blocks : 65536);
}

__global__ void find_long(const int64_t* offsets, int64_t lists, LongList* longs,
                          LongLists* found) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t l = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; l < lists; l += step) {
    const int64_t begin = offsets[l], size = offsets[l + 1] - begin;
    if (size <= kSortedInBlock) continue;
    // Number and start in one step, so that both grow together.
    const LongLists before = atomicAdd(found, static_cast<LongLists>(size) << kLongListsShift | 1);
    longs[before & ((1 << kLongListsShift) - 1)] = {static_cast<int64_t>(before >> kLongListsShift),
                                                    begin};
  }
}

template <class Key>
__global__ void look_for_nan(KeyForm form, const void* in, int64_t n, int* found, Key) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  const Key least = static_cast<Key>(form.infinity | form.top);
  bool any = false;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    any |= load_item<Key>(form, in, i) > least;
  if (any) *found = 1;
}

__device__ int64_t list_of(const LongList* longs, int64_t count, int64_t i) {
  return bisect_lists(0, count, i, [&](int64_t l) { return longs[l].start; });
}

template <class Key>
__global__ void gather(KeyForm form, const void* in, const LongList* longs, int64_t count,
                       int64_t n, bool positions, Key* keys, uint32_t* values, int* minus_zero) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const int64_t list = list_of(longs, count, i);
    const LongList l = longs[list];
    const Key item = load_item<Key>(form, in, l.begin + (i - l.start));
    if (is_minus_zero(form, item)) *minus_zero = 1;
    keys[i] = to_key(form, item);
    if (values != nullptr) values[i] = static_cast<uint32_t>(positions ? i : list);
  }
}

__global__ void find_lists(const LongList* longs, int64_t count, int64_t n, const uint32_t* at,
                           uint32_t* which) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    which[i] = static_cast<uint32_t>(list_of(longs, count, at[i]));
}

template <class Key>
__global__ void put_keys(KeyForm form, const LongList* longs, int64_t count, int64_t n,
                         const Key* keys, void* out) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const LongList l = longs[list_of(longs, count, i)];
    store_item(form, out, l.begin + (i - l.start), of_key(form, keys[i]));
  }
}

template <class Key>
__global__ void put_items(KeyForm form, const void* in, const LongList* longs, int64_t count,
                          int64_t n, const uint32_t* positions, void* out, Key) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const LongList l = longs[list_of(longs, count, i)];
    const Key item = load_item<Key>(form, in, l.begin + (positions[i] - l.start));
    store_item(form, out, l.begin + (i - l.start), item);
  }
}

__global__ void put_positions(const LongList* longs, int64_t count, int64_t n,
                              const uint32_t* positions, int64_t* out) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const LongList l = longs[list_of(longs, count, i)];
    out[l.begin + (i - l.start)] = positions[i] - l.start;
  }
}

}  // namespace

cudaError_t find_long_lists(const SortedLists& l, LongList* longs, LongLists* found,
                            cudaStream_t s) {
  find_long<<<blocks_for(l.lists), kThreads, 0, s>>>(l.offsets, l.lists, longs, found);
  return cudaGetLastError();
}

cudaError_t gather_long_lists(const SortedLists& l, const LongList* longs, int64_t count, int64_t n,
                              bool positions, void* keys, uint32_t* values, int* minus_zero,
                              cudaStream_t s) {
  const auto run = [&](auto* to) {
    gather<<<blocks_for(n), kThreads, 0, s>>>(l.form, l.in, longs, count, n, positions, to, values,
                                              minus_zero);
  };
  l.form.bytes <= 4 ? run(static_cast<uint32_t*>(keys)) : run(static_cast<uint64_t*>(keys));
  return cudaGetLastError();
}

cudaError_t find_negative_nan(const SortedLists& l, int* found, cudaStream_t s) {
  const auto run = [&](auto key) {
    look_for_nan<<<blocks_for(l.items), kThreads, 0, s>>>(l.form, l.in, l.items, found, key);
  };
  l.form.bytes <= 4 ? run(uint32_t{}) : run(uint64_t{});
  return cudaGetLastError();
}

cudaError_t lists_of_positions(const LongList* longs, int64_t count, int64_t n, const uint32_t* at,
                               uint32_t* which, cudaStream_t s) {
  find_lists<<<blocks_for(n), kThreads, 0, s>>>(longs, count, n, at, which);
  return cudaGetLastError();
}

cudaError_t scatter_keys(const SortedLists& l, const LongList* longs, int64_t count, int64_t n,
                         const void* keys, void* out, cudaStream_t s) {
  const auto run = [&](const auto* from) {
    put_keys<<<blocks_for(n), kThreads, 0, s>>>(l.form, longs, count, n, from, out);
  };
  l.form.bytes <= 4 ? run(static_cast<const uint32_t*>(keys))
                    : run(static_cast<const uint64_t*>(keys));
  return cudaGetLastError();
}

cudaError_t scatter_items(const SortedLists& l, const LongList* longs, int64_t count, int64_t n,
                          const uint32_t* positions, void* out, cudaStream_t s) {
  const auto run = [&](auto key) {
    put_items<<<blocks_for(n), kThreads, 0, s>>>(l.form, l.in, longs, count, n, positions, out,
                                                 key);
  };
  l.form.bytes <= 4 ? run(uint32_t{}) : run(uint64_t{});
  return cudaGetLastError();
}

cudaError_t scatter_positions(const LongList* longs, int64_t count, int64_t n,
                              const uint32_t* positions, int64_t* out, cudaStream_t s) {
  put_positions<<<blocks_for(n), kThreads, 0, s>>>(longs, count, n, positions, out);
  return cudaGetLastError();
}

}  // namespace serrate::cuda
