// An emulated GPU as a plug-in: kernels run on the CPU, one thread of theirs after the other.
//
// SERRATE_CUDA_PLUGIN names this library to serrate. Every array has pages of its own between pages
// that nobody may touch, and goes when it is released, so that what a kernel reads or writes beside
// its arrays is an error; fresh memory is filled with rubbish.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <complex>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "block.h"
#include "cuda/compiler/compile.h"
#include "cuda/runtime/compile_only.h"
#include "matrices.h"
#include "serrate/error.h"

namespace serrate::cuda {

/// The host's algorithms need to know of one GPU only.
const std::vector<int>& compile_only_archs() {
  static const auto& archs = *new std::vector<int>{90};
  return archs;
}

namespace {

constexpr int64_t kPage = 4096;
/// Work that waits, at most: what it holds takes memory.
constexpr size_t kMostWork = 256;
// Each guarded block takes two maps of memory more, of which a process may have 65,530.
constexpr size_t kMostGuarded = 10'000;

class EmulatedGpu final : public GpuDevice {
 public:
  EmulatedGpu() : info_(host_.info()) {
    info_.name = "emulated on the CPU";
    info_.multiprocessors = 2;
    info_.shared_per_block = 227 << 10;
  }
  const DeviceInfo& info() const override { return info_; }

  void* allocate(int64_t bytes) override {
    if (bytes <= 0) return nullptr;
    // Its bounds and its errors are the other's.
    void* counted = host_.allocate(bytes);
    const int64_t pages = (bytes + kPage - 1) / kPage * kPage;
    const int64_t all = pages + 2 * kPage;
    void* p = mmap(nullptr, static_cast<size_t>(all), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      host_.release(counted, bytes);
      throw MemoryError(fmt::format("cuda: out of memory: asked for {} bytes", bytes));
    }
    auto* first = static_cast<std::byte*>(p) + kPage;
    const std::lock_guard hold(mutex_);
    if (blocks_.size() < kMostGuarded) {
      mprotect(p, kPage, PROT_NONE);
      mprotect(first + pages, kPage, PROT_NONE);
    }
    std::memset(first, 0xa5, static_cast<size_t>(pages));
    // By turns the array's end and its beginning are where the pages' are.
    const bool at_end = number_++ % 4 != 0;
    void* out = at_end ? first + pages - bytes : first;
    blocks_.emplace(out, Block{p, all, counted});
    return out;
  }
  void release(void* p, int64_t bytes) noexcept override {
    if (p == nullptr) return;
    const std::lock_guard hold(mutex_);
    const auto at = blocks_.find(p);
    host_.release(at->second.counted, bytes);
    work_.emplace_back([pages = at->second.pages, all = at->second.bytes] {
      munmap(pages, static_cast<size_t>(all));
    });
    blocks_.erase(at);
  }
  void upload(void* to, const void* from, int64_t bytes) override {
    if (bytes <= 0) return;
    const auto* const first = static_cast<const std::byte*>(from);
    auto copy = [to, copied = std::vector(first, first + bytes)] {
      std::memcpy(to, copied.data(), copied.size());
    };
    if (!copies_here_) return later(std::move(copy));
    const std::lock_guard hold(copies_mutex_);
    copies_.emplace_back(std::move(copy));
  }
  void download(void* to, const void* from, int64_t bytes) override {
    synchronize();
    host_.download(to, from, bytes);
  }
  void copy(void* to, const void* from, int64_t bytes) override {
    later([=, this] { host_.copy(to, from, bytes); });
  }
  void fill(void* to, int byte, int64_t bytes) override {
    later([=, this] { host_.fill(to, byte, bytes); });
  }
  int holder(const void*) override { return info_.number; }
  int make_current(int number) override { return number; }
  MemoryStatistics memory() override { return host_.memory(); }
  void set_memory_limit(int64_t bytes) override { host_.set_memory_limit(bytes); }
  void trim_memory() override {}
  void use_allocator(ForeignAllocator) override {}
  void* allocate_pinned(int64_t bytes) override { return host_.allocate_pinned(bytes); }
  void release_pinned(void* p) noexcept override {
    try {
      synchronize();
    } catch (...) {  // whoever waits next is told by what is missing
    }
    host_.release_pinned(p);
  }

  void* raw_allocate(int, int64_t bytes) override { return allocate(bytes); }
  void raw_release(int, void* p, int64_t bytes) noexcept override { release(p, bytes); }
  void raw_copy(void* to, const void* from, int64_t bytes) override { download(to, from, bytes); }
  void raw_synchronize(int) override { synchronize(); }
  void* raw_address(int number, const void* p) override { return host_.raw_address(number, p); }
  uintptr_t raw_context(int number) override { return host_.raw_context(number); }
  void ipc_export(int number, void* p, std::byte* handle) override {
    host_.ipc_export(number, p, handle);
  }
  void* ipc_open(int number, const std::byte* handle) override {
    return host_.ipc_open(number, handle);
  }
  void ipc_close(int number, void* p) noexcept override { host_.ipc_close(number, p); }

  void use_stream(uintptr_t s) override { host_.use_stream(s); }
  uintptr_t stream() override { return host_.stream(); }
  // What such a thread uploads is there when somebody waits for its event, not before.
  void use_copy_stream() override { copies_here_ = true; }
  void* record_event() override {
    if (!copies_here_) return GpuDevice::record_event();
    const std::lock_guard hold(copies_mutex_);
    return new size_t(copied_ + copies_.size());
  }
  void release_event(void* event) noexcept override { delete static_cast<size_t*>(event); }
  void wait_for_event(void* event) override {
    if (event != nullptr)
      later([this, until = *static_cast<size_t*>(event)] { copy_until(until); });
  }
  void wait_for(uintptr_t) override {}
  void let_wait(uintptr_t) override { synchronize(); }  // others look at memory as it is
  void synchronize() override {
    const std::lock_guard in_order(works_);
    if (copies_here_) copy_until(SIZE_MAX);
    std::vector<std::function<void()>> work;
    {
      const std::lock_guard hold(mutex_);
      work.swap(work_);
    }
    for (const auto& w : work) w();
  }

  void* load(const std::string& code) override {
    // By a number of its own: dlopen gives the library again that it loaded by the same name, and
    // glibc's mkstemp, which takes its letters from the clock, gives a name twice in some 30,000.
    std::string name = fmt::format("/tmp/serrate-emulated-{}-XXXXXX", loads_++);
    const int file = mkstemp(name.data());
    const bool written = write(file, code.data(), code.size()) == static_cast<ssize_t>(code.size());
    close(file);
    void* library = written ? dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    const char* said = library == nullptr ? dlerror() : nullptr;
    unlink(name.c_str());
    if (library == nullptr)
      throw std::runtime_error(fmt::format("emulated GPU: {}", said == nullptr ? "?" : said));
    {
      const std::lock_guard hold(mutex_);
      if (!loaded_.insert(library).second)
        throw std::runtime_error("emulated GPU: another kernel was loaded instead");
    }
    reinterpret_cast<void (*)(emulated::Machine*)>(dlsym(library, "emulated_bind"))(
        &runner_.machine());
    return library;
  }
  Kernel kernel(void* module, const char* name) override {
    // Kernels with parameters of their own are called through one that takes a struct of them.
    void* f = dlsym(module, (std::string("serrate_entry_") + name).c_str());
    if (f == nullptr) f = dlsym(module, name);
    if (f == nullptr) throw std::runtime_error(fmt::format("emulated GPU: no kernel {}", name));
    return {.handle = f, .registers = 32};
  }
  void launch(const Kernel& k, int64_t blocks, int threads, int, const void* arguments,
              int64_t bytes) override {
    Grid grid;
    grid.blocks[0] = static_cast<unsigned>(blocks);
    grid.threads[0] = static_cast<unsigned>(threads);
    run_later(k, grid, static_cast<const std::byte*>(arguments), bytes);
  }
  void launch_grid(const Kernel& k, const Grid& grid, const PackedArguments& a) override {
    run_later(k, grid, a.bytes, a.size);
  }
  void* arrivals() override { return host_.arrivals(); }
  int64_t resident_blocks(const Kernel&, int, int) override { return 3; }

  void offsets(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen) override {
    if (n == 0) *seen = {};  // nobody waits for it
    later([=, this] {
      Lengths unused;
      host_.offsets(lengths, n, offsets, n == 0 ? &unused : seen);
    });
  }
  void argsort(const ListsToSort& l, int64_t* order) override {
    later([=, this] { host_.argsort(l, order); });
  }
  void sort(const ListsToSort& l, void* out) override {
    later([=, this] { host_.sort(l, out); });
  }
  void transpose(const MatricesToTranspose& m) override {
    later([=, this] { host_.transpose(m); });
  }
  bool put(const ItemsToPut& p) override {
    synchronize();
    return host_.put(p);
  }
  bool multiply(const MatricesToMultiply& m, const std::vector<std::string>&) override {
    switch (m.dtype) {
      case DType::float32:
        return later([=] { emulated::multiply<float>(m); }), true;
      case DType::float64:
        return later([=] { emulated::multiply<double>(m); }), true;
      case DType::complex64:
        return later([=] { emulated::multiply<std::complex<float>>(m); }), true;
      case DType::complex128:
        return later([=] { emulated::multiply<std::complex<double>>(m); }), true;
      default:
        return false;
    }
  }

 private:
  void copy_until(size_t until) {
    const std::lock_guard hold(copies_mutex_);
    for (; copied_ < until && !copies_.empty(); ++copied_) {
      copies_.front()();
      copies_.pop_front();
    }
  }
  void run_later(const Kernel& k, const Grid& grid, const std::byte* arguments, int64_t bytes) {
    if (bytes > 32764) throw std::runtime_error("emulated GPU: too many bytes of arguments");
    Dl_info info;
    const bool named = dladdr(k.handle, &info) != 0 && info.dli_sname != nullptr;
    later([this, name = std::string(named ? info.dli_sname : "?"),
           f = reinterpret_cast<emulated::KernelFunction>(k.handle),
           copied = std::vector(arguments, arguments + bytes), grid] {
      const auto index = [](const unsigned* n) { return emulated::Index{n[0], n[1], n[2]}; };
      runner_.run(name, f, copied.data(), index(grid.blocks), index(grid.threads));
    });
  }
  void later(std::function<void()> work) {
    size_t all;
    {
      const std::lock_guard hold(mutex_);
      work_.push_back(std::move(work));
      all = work_.size();
    }
    if (all >= kMostWork) synchronize();
  }

  struct Block {
    void* pages;
    int64_t bytes;
    void* counted;
  };
  GpuDevice& host_ = compile_only_gpu();
  DeviceInfo info_;
  std::mutex mutex_, works_;
  std::vector<std::function<void()>> work_;
  std::map<void*, Block> blocks_;
  static inline thread_local bool copies_here_ = false;
  std::mutex copies_mutex_;
  std::deque<std::function<void()>> copies_;
  size_t copied_ = 0;
  std::atomic<int> number_{0};
  std::atomic<int64_t> loads_{0};
  std::set<void*> loaded_;
  emulated::BlockRunner runner_;
};

}  // namespace
}  // namespace serrate::cuda

extern "C" __attribute__((visibility("default"))) serrate::cuda::GpuDevice* serrate_cuda_open(
    int version, char* why, size_t why_bytes) {
  using namespace serrate::cuda;
  if (version == kPluginVersion) return new EmulatedGpu;  // for the life of the process
  std::snprintf(why, why_bytes, "the emulated GPU has version %d, the library %d", kPluginVersion,
                version);
  return nullptr;
}
