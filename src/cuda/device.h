// A GPU as the rest of the library sees it: memory, streams, kernels, and the few algorithms that
// come from CUB. The core has no CUDA in it; the plug-in libserrate_cuda.so implements this class
// and is opened at the first use of a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/types/reducer.h"
#include "serrate/buffer.h"

namespace serrate::cuda {

/// Changes with every change of what core and plug-in share.
inline constexpr int kPluginVersion = 13;
/// Words that kernels count by which of their blocks have come to some place.
inline constexpr int kArrivals = 6;
/// Bytes that name a block of GPU memory to other processes.
inline constexpr int kIpcHandle = 64;
/// The one function that the plug-in exports: the GPU, or null and why not. Of another version it
/// gives null before it looks at anything.
inline constexpr const char* kPluginEntry = "serrate_cuda_open";
using PluginEntry = class GpuDevice* (*)(int version, char* why, size_t why_bytes);

struct DeviceInfo {
  int number = 0, count = 1;  // which of how many GPUs, as CUDA counts them
  std::string name;           // "NVIDIA H100 80GB HBM3"
  int arch = 0;               // compute capability: 90 for 9.0
  int multiprocessors = 0;
  int driver = 0;  // CUDA version the driver supports: 13000 for 13.0
  int64_t memory = 0;
  int64_t shared_per_block = 0;  // bytes a block may ask for
};

struct MemoryStatistics {
  int64_t used = 0, used_high = 0;          // bytes that arrays hold
  int64_t reserved = 0, reserved_high = 0;  // bytes taken from the driver
  int64_t free = 0, total = 0;              // of the GPU
};

/// Somebody else's memory, with the functions that torch.cuda.memory.CUDAPluggableAllocator takes
/// (RMM has them ready); `stream` is a cudaStream_t. Null: serrate's own pool.
struct ForeignAllocator {
  void* (*allocate)(size_t bytes, int device, void* stream) = nullptr;
  void (*release)(void* p, size_t bytes, int device, void* stream) = nullptr;
};

/// Threads of the host's: task(context, i) for each i in [0, tasks), on some of them. What a task
/// throws, run() throws.
struct HostThreads {
  int (*count)() = nullptr;
  void (*run)(int64_t tasks, void (*task)(void* context, int64_t i), void* context) = nullptr;
};

/// Bytes that go from one address to another.
struct Transfer {
  void* to = nullptr;
  const void* from = nullptr;
  int64_t bytes = 0;
};

/// What is known of lists once their offsets are made.
struct Lengths {
  int64_t total = 0, longest = -1;  // -1: there are no lists
};

/// Lists whose items are to be sorted, of any type but complex.
struct ListsToSort {
  DType dtype = DType::float64;
  const void* items = nullptr;
  const int64_t* offsets = nullptr;  // lists + 1 of them, the first is 0
  int64_t lists = 0;
  int64_t n = 0;         // offsets[lists]
  int64_t longest = -1;  // -1: not known
  bool descending = false;
};

/// Pairs of dense matrices one behind the other, row by row: rows x inner times inner x columns.
struct MatricesToMultiply {
  DType dtype = DType::float64;
  const void* left = nullptr;
  const void* right = nullptr;
  void* out = nullptr;
  int64_t rows = 0, inner = 0, columns = 0;
  int64_t count = 1;
};

/// Dense matrices one behind the other, row by row, and where they go column by column.
struct MatricesToTranspose {
  const void* items = nullptr;
  void* out = nullptr;
  int64_t count = 1, rows = 0, columns = 0;
  int itemsize = 0;
};

/// Items of an array, and values for some of its places, which are counted from the end if they are
/// below 0.
struct ItemsToPut {
  void* items = nullptr;
  int64_t size = 0;
  int itemsize = 0;
  const int64_t* places = nullptr;
  int64_t count = 0;
  const void* values = nullptr;  // one for each place; null: `value` for all
  std::byte value[16] = {};
};

/// A loaded kernel.
struct Kernel {
  void* handle = nullptr;
  int registers = 0;
  int local_bytes = 0;   // spilled, per thread
  int shared_bytes = 0;  // static, per block
};

/// How many threads run a kernel, as CUDA counts them.
struct Grid {
  unsigned blocks[3] = {1, 1, 1};   // x, y, z
  unsigned threads[3] = {1, 1, 1};  // of a block
  int shared_bytes = 0;             // of a block, besides the kernel's own
};

/// Arguments of a kernel with parameters of its own, as the members of a struct.
struct PackedArguments {
  const std::byte* bytes = nullptr;
  int64_t size = 0;
  const int64_t* places = nullptr;  // where each begins
  int count = 0;
};

/// One GPU. All work goes to the calling thread's stream, in order; nothing waits unless it says
/// so. Work on several streams is ordered as it was submitted, so that arrays may go from thread to
/// thread. Failures throw std::runtime_error, lack of memory MemoryError.
class GpuDevice {
 public:
  virtual ~GpuDevice() = default;
  virtual const DeviceInfo& info() const = 0;

  // -- memory
  virtual void* allocate(int64_t bytes) = 0;
  virtual void release(void* p, int64_t bytes) noexcept = 0;
  /// From the host: `from` may be changed as soon as this returns.
  virtual void upload(void* to, const void* from, int64_t bytes) = 0;
  virtual void upload(const Transfer* all, int64_t n) {
    for (int64_t i = 0; i < n; ++i) upload(all[i].to, all[i].from, all[i].bytes);
  }
  /// To the host; waits until the bytes are there.
  virtual void download(void* to, const void* from, int64_t bytes) = 0;
  virtual void download(const Transfer* all, int64_t n) {
    for (int64_t i = 0; i < n; ++i) download(all[i].to, all[i].from, all[i].bytes);
  }
  /// On the GPU, or to and from pinned memory.
  virtual void copy(void* to, const void* from, int64_t bytes) = 0;
  virtual void fill(void* to, int byte, int64_t bytes) = 0;
  /// The number of the GPU whose memory this is, this one's if every GPU may read it; -1: no GPU
  /// may.
  virtual int holder(const void* p) = 0;
  /// Which GPU this thread's work of other libraries goes to, from now on and until now.
  virtual int make_current(int number) = 0;
  virtual MemoryStatistics memory() = 0;
  virtual void set_memory_limit(int64_t bytes) = 0;  // 0: none
  virtual void trim_memory() = 0;                    // gives unused memory back to the driver
  /// Where memory comes from, from now on; what is held goes back to where it came from.
  virtual void use_allocator(ForeignAllocator a) = 0;
  /// Who copies between pageable and pinned memory; without, the calling thread alone.
  virtual void use_threads(HostThreads /*threads*/) {}
  /// Host memory that kernels read and write at the same address: theirs is seen after
  /// synchronize().
  virtual void* allocate_pinned(int64_t bytes) = 0;
  virtual void release_pinned(void* p) noexcept = 0;

  // -- memory of users, on any GPU and in no pool, so that other processes may open it: raw.cpp
  virtual void* raw_allocate(int number, int64_t bytes) = 0;
  virtual void raw_release(int number, void* p, int64_t bytes) noexcept = 0;
  /// Between any GPUs and the host, after the work that this thread was given; waits until done.
  virtual void raw_copy(void* to, const void* from, int64_t bytes) = 0;
  /// Until all work on that GPU is done.
  virtual void raw_synchronize(int number) = 0;
  /// Where the GPU finds what is at this address of the host's or a GPU's; null: nowhere.
  virtual void* raw_address(int number, const void* p) = 0;
  /// The CUcontext that CUDA's libraries share.
  virtual uintptr_t raw_context(int number) = 0;
  /// kIpcHandle bytes by which another process opens the block that begins at p.
  virtual void ipc_export(int number, void* p, std::byte* handle) = 0;
  virtual void* ipc_open(int number, const std::byte* handle) = 0;
  virtual void ipc_close(int number, void* p) noexcept = 0;

  // -- streams
  /// The stream of this thread's work from now on (a cudaStream_t of this GPU, else ValueError,
  /// alive until the next call; 0: serrate's own, which all threads share).
  virtual void use_stream(uintptr_t stream) = 0;
  virtual uintptr_t stream() = 0;
  /// From now on this thread allocates memory and uploads to it on a stream of its own, which waits
  /// for nobody, and nobody for it: its copies go on beside kernels. Others may use that memory,
  /// and release it, behind an event (record_event, wait_for_event). What else it does is ordered
  /// as that of other threads.
  virtual void use_copy_stream() {}
  /// This thread's stream waits for what `stream` has been given so far, or the other way round. 1
  /// and 2 are CUDA's default streams (legacy, of the thread).
  virtual void wait_for(uintptr_t stream) = 0;
  virtual void let_wait(uintptr_t stream) = 0;
  virtual void synchronize() = 0;
  /// The address of an event (a cudaEvent_t) after what this thread's stream has been given so far,
  /// to be released; null: there is nothing to wait for any more.
  virtual void* record_event() {
    synchronize();
    return nullptr;
  }
  virtual void release_event(void* /*event*/) noexcept {}
  /// This thread's stream waits for the event at this address.
  virtual void wait_for_event(void* /*event*/) {}

  // -- kernels
  /// Machine code (or PTX) as compile() gives it; never unloaded.
  virtual void* load(const std::string& cubin) = 0;
  virtual Kernel kernel(void* module, const char* name) = 0;
  /// `arguments`: the kernel's one parameter, a struct of `bytes` bytes.
  virtual void launch(const Kernel& k, int64_t blocks, int threads, int shared_bytes,
                      const void* arguments, int64_t bytes) = 0;
  /// A kernel that somebody else wrote.
  virtual void launch_grid(const Kernel& k, const Grid& grid, const PackedArguments& a) = 0;
  /// kArrivals words of GPU memory for kernels of this thread's stream: 0 before and after each.
  virtual void* arrivals() = 0;
  /// Blocks of this size that run at once on the whole GPU.
  virtual int64_t resident_blocks(const Kernel& k, int threads, int shared_bytes) = 0;

  // -- algorithms (CUB)
  /// offsets[0] = 0, offsets[i + 1] = offsets[i] + lengths[i]: n + 1 of them. `seen` is pinned
  /// memory, to be read after synchronize().
  virtual void offsets(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen) = 0;
  /// order[i]: the index in its list of the item that comes to place i. Stable; NaN and NaT come
  /// last, -0.0 equals 0.0.
  virtual void argsort(const ListsToSort& l, int64_t* order) = 0;
  /// The items themselves in that order; all NaN become one.
  virtual void sort(const ListsToSort& l, void* out) = 0;
  /// Running sums and the like of each list, of float32, float64, int64 or uint64; offsets as
  /// above. False where the device has none: it can be made of passes over the data.
  virtual bool scan_lists(Reducer /*how*/, DType, const void* /*in*/, const int64_t* /*offsets*/,
                          int64_t /*lists*/, int64_t /*n*/, void* /*out*/) {
    return false;
  }

  // -- updates
  /// The last value of each place is written. False, and nothing is written, if a place is none.
  /// Waits.
  virtual bool put(const ItemsToPut& p) = 0;

  // -- matrices
  virtual void transpose(const MatricesToTranspose& m) = 0;

  // -- products of matrices (cuBLAS)
  /// By the first of these libraries that can be opened. False, with nothing done, where there is
  /// none, and for types and sizes that it does not know.
  virtual bool multiply(const MatricesToMultiply& /*m*/,
                        const std::vector<std::string>& /*libraries*/) {
    return false;
  }
};

/// The GPU in use, opened at the first call. Throws std::runtime_error that says what is missing
/// and what to do.
GpuDevice& gpu();
/// Whether gpu() would work; otherwise why not.
bool gpu_available(std::string* why = nullptr);
/// Whether gpu() has ever been asked for: no buffer is on a GPU before.
bool gpu_in_use();
/// Where the plug-in was found, or "".
std::string plugin_path();
/// SERRATE_CUDA=compile-only: kernels are compiled and never run; see compile_only.cpp.
bool compile_only();

/// Until all that this thread's stream was given is done; in the meantime others may go on.
void wait_for_gpu();
/// Fresh memory on the GPU, not zeroed.
Buffer allocate(int64_t bytes, void** address);
/// The memory of a buffer that allocate() made and nobody else holds, to be written to: what was
/// known of its values is forgotten. Null of any other.
std::byte* writable_memory(const Buffer& b);
Buffer to_gpu(const Buffer& host);
Buffer to_host(const Buffer& device);

}  // namespace serrate::cuda
