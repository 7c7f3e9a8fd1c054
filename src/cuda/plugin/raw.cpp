// Memory of users that is in no pool: blocks of any GPU, copies between them, other processes.
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "cuda/plugin/gpu.h"
#include "serrate/error.h"

namespace serrate::cuda {

static_assert(sizeof(cudaIpcMemHandle_t) == kIpcHandle);

void* Gpu::raw_allocate(int number, int64_t bytes) {
  if (bytes <= 0) return nullptr;
  const OnDevice on(number);
  void* p = nullptr;
  cudaError_t e = cudaMalloc(&p, static_cast<size_t>(bytes));
  if (e == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    trim_memory();
    e = cudaMalloc(&p, static_cast<size_t>(bytes));
  }
  if (e == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw MemoryError(
        fmt::format("cuda: out of memory: asked for {} on GPU {}", bytes_text(bytes), number));
  }
  require(e, "allocating memory");
  return p;
}

void Gpu::raw_release(int number, void* p, int64_t) noexcept {
  if (p == nullptr) return;
  try {
    const OnDevice on(number);
    if (cudaFree(p) != cudaSuccess) (void)cudaGetLastError();  // which waits for what reads it
  } catch (...) {                                              // the process is ending
  }
}

void Gpu::raw_copy(void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return;
  synchronize();
  const OnDevice on(device_);
  require(cudaMemcpy(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault), "copying");
  // Those between GPUs may return before they are done.
  require(cudaStreamSynchronize(cudaStreamLegacy), "copying");
}

void Gpu::raw_synchronize(int number) {
  const OnDevice on(number);
  require(cudaDeviceSynchronize(), "waiting");
}

void* Gpu::raw_address(int number, const void* p) {
  const OnDevice on(number);
  cudaPointerAttributes a;
  require(cudaPointerGetAttributes(&a, p), "asking whose memory this is");
  return a.type == cudaMemoryTypeUnregistered ? nullptr : a.devicePointer;
}

uintptr_t Gpu::raw_context(int number) {
  const OnDevice on(number);
  require(cudaFree(nullptr), "making the context");
  void* get = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  require(
      cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &get, 12000, cudaEnableDefault, &found),
      "asking for the context");
#else
  require(cudaGetDriverEntryPoint("cuCtxGetCurrent", &get, cudaEnableDefault, &found),
          "asking for the context");
#endif
  void* context = nullptr;
  if (get == nullptr || reinterpret_cast<int (*)(void**)>(get)(&context) != 0)
    throw std::runtime_error("cuda: asking for the context: the driver has none");
  return reinterpret_cast<uintptr_t>(context);
}

void Gpu::ipc_export(int number, void* p, std::byte* handle) {
  const OnDevice on(number);
  cudaIpcMemHandle_t h;
  require(cudaIpcGetMemHandle(&h, p), "naming memory to other processes");
  std::memcpy(handle, &h, sizeof h);
}

void* Gpu::ipc_open(int number, const std::byte* handle) {
  const OnDevice on(number);
  cudaIpcMemHandle_t h;
  std::memcpy(&h, handle, sizeof h);
  void* p = nullptr;
  require(cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess),
          "opening memory of another process");
  return p;
}

void Gpu::ipc_close(int number, void* p) noexcept {
  try {
    const OnDevice on(number);
    if (cudaIpcCloseMemHandle(p) != cudaSuccess) (void)cudaGetLastError();
  } catch (...) {  // the process is ending
  }
}

}  // namespace serrate::cuda
