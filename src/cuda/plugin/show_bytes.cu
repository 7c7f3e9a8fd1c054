// Few bytes of the GPU's in pinned memory: see show_bytes.h.
#include "cuda/plugin/show_bytes.h"

namespace serrate::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads) show(const T* from, int n, T* to, uint64_t* done) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) to[i] = from[i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *const_cast<volatile uint64_t*>(done) = 1;
}

template <class T>
void show_as(const void* from, int64_t bytes, void* to, uint64_t* done, cudaStream_t s) {
  show<<<1, kThreads, 0, s>>>(static_cast<const T*>(from),
                              static_cast<int>(bytes / static_cast<int64_t>(sizeof(T))),
                              static_cast<T*>(to), done);
}

}  // namespace

cudaError_t show_bytes(const void* from, int64_t bytes, void* to, uint64_t* done, cudaStream_t s) {
  const auto places = reinterpret_cast<size_t>(from) | reinterpret_cast<size_t>(to);
  const bool by_words = (places | static_cast<size_t>(bytes)) % sizeof(uint64_t) == 0;
  by_words ? show_as<uint64_t>(from, bytes, to, done, s)
           : show_as<unsigned char>(from, bytes, to, done, s);
  return cudaGetLastError();
}

}  // namespace serrate::cuda
