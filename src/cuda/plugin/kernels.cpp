// Kernels: machine code loaded, launched, asked about.
#include <iterator>
#include <vector>

#include "cuda/plugin/gpu.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {
constexpr int kSharedWithoutAsking = 48 << 10;
}  // namespace

void* Gpu::load(const std::string& cubin) {
  const OnDevice on(device_);
  cudaLibrary_t library = nullptr;
  require(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "loading a kernel");
  return library;
}

Kernel Gpu::kernel(void* module, const char* name) {
  const OnDevice on(device_);
  cudaKernel_t k = nullptr;
  require(cudaLibraryGetKernel(&k, static_cast<cudaLibrary_t>(module), name), "finding a kernel");
  cudaFuncAttributes a;
  require(cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(k)), "asking about a kernel");
  return {.handle = reinterpret_cast<void*>(k),
          .registers = a.numRegs,
          .local_bytes = static_cast<int>(a.localSizeBytes),
          .shared_bytes = static_cast<int>(a.sharedSizeBytes)};
}

// More shared memory than every GPU has must be asked for, once per kernel.
void Gpu::allow_shared(const Kernel& k, int bytes) {
  if (bytes <= kSharedWithoutAsking) return;
  const std::lock_guard hold(shared_mutex_);
  int& allowed = shared_allowed_[k.handle];
  if (bytes <= allowed) return;
  require(cudaFuncSetAttribute(k.handle, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
          "asking for shared memory");
  allowed = bytes;
}

void Gpu::launch(const Kernel& k, int64_t blocks, int threads, int shared_bytes,
                 const void* arguments, int64_t) {
  if (blocks <= 0) return;
  const Submission s(*this);
  allow_shared(k, shared_bytes);
  void* parameters[] = {const_cast<void*>(arguments)};
  require(cudaLaunchKernel(k.handle, dim3(static_cast<unsigned>(blocks)),
                           dim3(static_cast<unsigned>(threads)), parameters,
                           static_cast<size_t>(shared_bytes), s.stream()),
          "launching a kernel");
}

void Gpu::launch_grid(const Kernel& k, const Grid& grid, const PackedArguments& a) {
  const Submission s(*this);
  allow_shared(k, grid.shared_bytes);
  void* few[64];
  std::vector<void*> many;
  void** parameters = few;
  if (a.count > std::ssize(few)) {
    many.resize(static_cast<size_t>(a.count));
    parameters = many.data();
  }
  for (int i = 0; i < a.count; ++i) parameters[i] = const_cast<std::byte*>(a.bytes + a.places[i]);
  require(cudaLaunchKernel(k.handle, dim3(grid.blocks[0], grid.blocks[1], grid.blocks[2]),
                           dim3(grid.threads[0], grid.threads[1], grid.threads[2]), parameters,
                           static_cast<size_t>(grid.shared_bytes), s.stream()),
          "launching a kernel");
}

void* Gpu::arrivals() {
  const Submission s(*this);
  Lane& me = lane();
  const std::lock_guard hold(me.arrivals_mutex);
  if (me.arrivals == nullptr) {
    constexpr int64_t bytes = 4 * kArrivals;
    me.arrivals = from_pool(bytes, s.stream());
    if (me.arrivals == nullptr) throw MemoryError("cuda: out of memory");
    require(cudaMemsetAsync(me.arrivals, 0, bytes, s.stream()), "filling memory");
  }
  return me.arrivals;
}

int64_t Gpu::resident_blocks(const Kernel& k, int threads, int shared_bytes) {
  const OnDevice on(device_);
  allow_shared(k, shared_bytes);
  int blocks = 0;
  require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k.handle, threads,
                                                        static_cast<size_t>(shared_bytes)),
          "asking about a kernel");
  return static_cast<int64_t>(blocks) * info_.multiprocessors;
}

}  // namespace serrate::cuda
