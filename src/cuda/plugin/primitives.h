// The algorithms that CUB has, as functions of plain pointers: see primitives.cu.
//
// Each is called twice: with `temporary` null it only says how many bytes it needs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/types/reducer.h"
#include "cuda/device.h"
#include "serrate/dtype.h"

namespace serrate::cuda {

/// Of not too many lengths: one kernel, whose blocks wait for those before them. `state` keeps
/// kOffsetsState bytes, zero at first, between calls of one stream; `number` counts these from 1.
inline constexpr int64_t kFewLists = 256 * 1024, kOffsetsState = 3 * 8 * 128;
cudaError_t offsets_of_few(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen,
                           void* state, uint64_t number, cudaStream_t s);
/// Of more: blocks look back for what is before their tiles. `temporary`: so many bytes.
int64_t offsets_of_many_bytes(int64_t n);
cudaError_t offsets_of_many(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen,
                            void* temporary, cudaStream_t s);
/// What is sorted, and as much room: sorting may swap them.
template <class T>
struct Buffers {
  T *now, *other;
};
/// Stable; by the lowest `bits` bits of the keys.
template <class T>
cudaError_t sort_keys(void* temporary, size_t& bytes, Buffers<T>& keys, uint32_t n, int bits,
                      cudaStream_t s);
template <class K, class V>
cudaError_t sort_pairs(void* temporary, size_t& bytes, Buffers<K>& keys, Buffers<V>& values,
                       uint32_t n, int bits, cudaStream_t s);

/// The items of one list, or of each of several, in ascending order; NaN is the largest or, if its
/// sign is set, the least.
bool sorts_items(DType t);
cudaError_t sort_items(void* temporary, size_t& bytes, const ListsToSort& l, void* out,
                       cudaStream_t s);

/// A running sum, product, least or largest item of each list. float32 and float64, int64 and
/// uint64. See scan_lists.cu.
int64_t scan_lists_bytes(int64_t n);  // of temporary memory
cudaError_t scan_lists(Reducer how, DType t, void* temporary, const void* in,
                       const int64_t* offsets, int64_t lists, int64_t n, void* out, cudaStream_t s);

/// See transpose.cu.
cudaError_t transpose(const MatricesToTranspose& m, cudaStream_t s);

/// Nothing is written if a place is none; then *wrong, which was 0, is not. See put.cu.
int64_t put_bytes(const ItemsToPut& p);  // of temporary memory
cudaError_t put(const ItemsToPut& p, void* temporary, int* wrong, cudaStream_t s);

}  // namespace serrate::cuda
