// The plug-in's GpuDevice: one GPU through the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "cuda/plugin/kept_blocks.h"

namespace serrate::cuda {

/// Throws std::runtime_error "cuda: <what>: <CUDA's words>" unless e is success.
void require(cudaError_t e, const char* what);
/// "1.5 GiB", "300 bytes".
std::string bytes_text(int64_t bytes);

/// The GPU is the thread's current one while this lives.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = -1;
    if (before_ == device) {
      before_ = -1;
    } else {
      require(cudaSetDevice(device), "choosing the GPU");
    }
  }
  ~OnDevice() {
    if (before_ >= 0) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = -1;
};

/// A stream that some thread works on, and how much of the others' work it has waited for.
struct Lane {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  std::atomic<uint64_t> work{0};  // submissions that have returned
  int users = 0;                  // threads
  bool copies = false;            // use_copy_stream(): nobody waits for it
  std::unordered_map<const Lane*, uint64_t> seen;
  std::mutex scan_mutex;  // of what offsets() leaves from kernel to kernel
  void* scan = nullptr;
  uint64_t scans = 0;
  std::mutex arrivals_mutex;
  void* arrivals = nullptr;
  KeptBlocks kept;
};

/// Pinned host memory between pageable memory and the GPU.
struct Chunk {
  void* memory = nullptr;
  int64_t bytes = 0;
  cudaEvent_t event = nullptr;  // the last copy out of it
};

class Gpu final : public GpuDevice {
 public:
  explicit Gpu(int device);
  const DeviceInfo& info() const override { return info_; }

  void* allocate(int64_t bytes) override;
  void release(void* p, int64_t bytes) noexcept override;
  void upload(void* to, const void* from, int64_t bytes) override {
    const Transfer one{to, from, bytes};
    upload(&one, 1);
  }
  void upload(const Transfer* all, int64_t n) override;
  void download(void* to, const void* from, int64_t bytes) override {
    const Transfer one{to, from, bytes};
    download(&one, 1);
  }
  void download(const Transfer* all, int64_t n) override;
  void copy(void* to, const void* from, int64_t bytes) override;
  void fill(void* to, int byte, int64_t bytes) override;
  int holder(const void* p) override;
  int make_current(int number) override;
  MemoryStatistics memory() override;
  void set_memory_limit(int64_t bytes) override { limit_ = bytes; }
  void trim_memory() override;
  void use_allocator(ForeignAllocator a) override;
  void use_threads(HostThreads threads) override { threads_ = threads; }
  void* allocate_pinned(int64_t bytes) override;
  void release_pinned(void* p) noexcept override;

  void* raw_allocate(int number, int64_t bytes) override;
  void raw_release(int number, void* p, int64_t bytes) noexcept override;
  void raw_copy(void* to, const void* from, int64_t bytes) override;
  void raw_synchronize(int number) override;
  void* raw_address(int number, const void* p) override;
  uintptr_t raw_context(int number) override;
  void ipc_export(int number, void* p, std::byte* handle) override;
  void* ipc_open(int number, const std::byte* handle) override;
  void ipc_close(int number, void* p) noexcept override;

  void use_stream(uintptr_t stream) override;
  uintptr_t stream() override { return reinterpret_cast<uintptr_t>(lane().stream); }
  void use_copy_stream() override;
  void wait_for(uintptr_t stream) override;
  void let_wait(uintptr_t stream) override;
  void synchronize() override;
  void* record_event() override;
  void release_event(void* event) noexcept override;
  void wait_for_event(void* event) override;

  void* load(const std::string& cubin) override;
  Kernel kernel(void* module, const char* name) override;
  void launch(const Kernel& k, int64_t blocks, int threads, int shared_bytes, const void* arguments,
              int64_t bytes) override;
  void launch_grid(const Kernel& k, const Grid& grid, const PackedArguments& a) override;
  void* arrivals() override;
  int64_t resident_blocks(const Kernel& k, int threads, int shared_bytes) override;

  void offsets(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen) override;
  void argsort(const ListsToSort& l, int64_t* order) override { sort(l, true, order); }
  void sort(const ListsToSort& l, void* out) override { sort(l, false, out); }
  bool scan_lists(Reducer how, DType t, const void* in, const int64_t* offsets, int64_t lists,
                  int64_t n, void* out) override;
  bool put(const ItemsToPut& p) override;
  void transpose(const MatricesToTranspose& m) override;
  bool multiply(const MatricesToMultiply& m, const std::vector<std::string>& libraries) override;

 private:
  friend class Submission;
  friend class Temporary;
  friend struct ThreadLane;
  Lane& lane();
  void wait_for_others(Lane& me);
  void leave(Lane* l);
  void* from_pool(int64_t bytes, cudaStream_t s);
  void give_back_kept();
  void allow_shared(const Kernel& k, int bytes);
  void sort(const ListsToSort& l, bool order, void* out);  // sort.cpp

  class Ring;
  Chunk acquire_chunk(int64_t bytes);
  void return_chunk(Chunk c);
  /// f() on each of as many threads as these parts are worth.
  template <class F>
  void share(int64_t parts, F&& f);

  int device_;
  DeviceInfo info_;

  // memory.cpp
  cudaMemPool_t pool_ = nullptr;
  std::atomic<int64_t> limit_{0}, used_{0}, used_high_{0};
  std::mutex foreign_mutex_;
  std::atomic<bool> any_foreign_{false};
  ForeignAllocator foreign_;
  std::unordered_map<void*, ForeignAllocator> foreign_blocks_;

  // streams.cpp
  Lane own_;
  std::mutex lanes_mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // besides own_
  std::atomic<int> other_lanes_{0};           // that others wait for

  // transfers.cpp
  HostThreads threads_;
  struct Chunks {
    std::deque<Chunk> free;
    int64_t made = 0;
  };
  std::mutex chunks_mutex_;
  Chunks chunks_[3];  // from small to large

  // matrices.cpp
  struct Blas;
  static Blas* open_blas(const std::vector<std::string>& libraries);
  std::mutex blas_mutex_;
  Blas* blas_ = nullptr;  // it stays, as the library does
  bool looked_for_blas_ = false;

  // kernels.cpp
  std::mutex shared_mutex_;
  std::unordered_map<void*, int> shared_allowed_;
};

/// Whose memory a submission is about.
enum class Memory { any, fresh };

/// Something given to the thread's stream: comes after all that other threads have given to theirs,
/// but for what a copy stream does with memory that nobody else knows yet.
class Submission {
 public:
  explicit Submission(Gpu& g, Memory m = Memory::any) : on_(g.device_), lane_(g.lane()) {
    if (lane_.copies ? m == Memory::any : g.other_lanes_.load(std::memory_order_acquire) > 0)
      g.wait_for_others(lane_);
  }
  ~Submission() { lane_.work.fetch_add(1, std::memory_order_release); }
  cudaStream_t stream() const { return lane_.stream; }

 private:
  OnDevice on_;
  Lane& lane_;
};

/// Memory for the time of one submission.
class Temporary {
 public:
  Temporary(Gpu& g, int64_t bytes) : gpu_(g), bytes_(bytes), p_(g.allocate(bytes)) {}
  ~Temporary() { gpu_.release(p_, bytes_); }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void* get() const { return p_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(p_);
  }

 private:
  Gpu& gpu_;
  int64_t bytes_;
  void* p_;
};

/// f(temporary, bytes) as CUB wants it: asked first, then run.
template <class F>
void run_cub(Gpu& g, const char* what, F&& f) {
  size_t bytes = 0;
  require(f(nullptr, bytes), what);
  // Null would ask again.
  const Temporary t(g, static_cast<int64_t>(bytes) + 1);
  require(f(t.get(), bytes), what);
}

}  // namespace serrate::cuda
