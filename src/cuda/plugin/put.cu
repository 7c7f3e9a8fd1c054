// Values written to places of an array, whatever order threads come in: the last one of a place
// stays.
#include <algorithm>

#include "cuda/plugin/primitives.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256;

__device__ int64_t from_start(int64_t place, int64_t size) {
  return place < 0 ? place + size : place;
}

/// The number of the last value of each place in `last`, if that is not null; is a place none?
template <class Number>
__global__ void look_at_places(const int64_t* places, int64_t count, int64_t size, Number* last,
                               int* wrong) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const int64_t at = from_start(places[i], size);
  if (at < 0 || at >= size) {
    *wrong = 1;
  } else if (last != nullptr) {
    atomicMax(last + at, static_cast<Number>(i));
  }
}

template <class T, class Number>
__global__ void write_items(T* items, int64_t size, const int64_t* places, int64_t count,
                            const T* values, T value, const Number* last, const int* wrong) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count || *wrong != 0) return;
  const int64_t at = from_start(places[i], size);
  if (last == nullptr || last[at] == static_cast<Number>(i))
    items[at] = values == nullptr ? value : values[i];
}

template <class T, class Number>
cudaError_t put(const ItemsToPut& p, Number* last, int* wrong, cudaStream_t s) {
  const auto blocks = static_cast<unsigned>((p.count + kThreads - 1) / kThreads);
  look_at_places<<<blocks, kThreads, 0, s>>>(p.places, p.count, p.size, last, wrong);
  T value;
  memcpy(&value, p.value, sizeof value);
  write_items<<<blocks, kThreads, 0, s>>>(static_cast<T*>(p.items), p.size, p.places, p.count,
                                          static_cast<const T*>(p.values), value, last, wrong);
  return cudaGetLastError();
}

template <class Number>
cudaError_t put(const ItemsToPut& p, Number* last, int* wrong, cudaStream_t s) {
  switch (p.itemsize) {
    case 1:
      return put<uint8_t>(p, last, wrong, s);
    case 2:
      return put<uint16_t>(p, last, wrong, s);
    case 4:
      return put<uint32_t>(p, last, wrong, s);
    case 8:
      return put<uint64_t>(p, last, wrong, s);
    case 16:
      return put<ulonglong2>(p, last, wrong, s);
  }
  return cudaErrorInvalidValue;
}

bool is_counted_in_32_bits(const ItemsToPut& p) { return p.count <= INT32_MAX; }

}  // namespace

int64_t put_bytes(const ItemsToPut& p) {
  return p.values == nullptr ? 0 : p.size * (is_counted_in_32_bits(p) ? 4 : 8);
}

cudaError_t put(const ItemsToPut& p, void* temporary, int* wrong, cudaStream_t s) {
  if (const int64_t bytes = put_bytes(p)) {
    const cudaError_t e = cudaMemsetAsync(temporary, 0xff, static_cast<size_t>(bytes), s);
    if (e != cudaSuccess) return e;
  } else {
    temporary = nullptr;
  }
  if (is_counted_in_32_bits(p)) return put(p, static_cast<int*>(temporary), wrong, s);
  return put(p, static_cast<long long*>(temporary), wrong, s);
}

}  // namespace serrate::cuda
