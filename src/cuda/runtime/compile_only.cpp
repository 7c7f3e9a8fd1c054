// The GPU of SERRATE_CUDA=compile-only.
#include "cuda/runtime/compile_only.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cuda/compiler/compile.h"
#include "serrate/error.h"

namespace serrate::cuda {
namespace {

#include "cpu/program/half.h"

template <class T>
bool is_last(T v, bool time) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(v);
  return time && static_cast<int64_t>(v) == INT64_MIN;
}

/// Positions of each list's items in order.
template <class T>
void sort_positions(const T* keys, const ListsToSort& l, int64_t* order) {
  const auto before = [&](int64_t i, int64_t j) {
    const bool a = is_last(keys[i], is_time(l.dtype)), b = is_last(keys[j], is_time(l.dtype));
    if (a || b) return !a && b;
    if (l.descending) std::swap(i, j);
    return keys[i] < keys[j];
  };
  for (int64_t i = 0; i < l.lists; i++)
    std::stable_sort(order + l.offsets[i], order + l.offsets[i + 1], before);
}

class CompileOnly final : public GpuDevice {
 public:
  CompileOnly() {
    info_.name = "compile-only";
    info_.arch = compile_only_archs().front();
    info_.multiprocessors = 132;
    info_.shared_per_block = 99 << 10;  // of the smallest: kernels that ask for more fail there
  }
  const DeviceInfo& info() const override { return info_; }

  void* allocate(int64_t bytes) override {
    if (bytes <= 0) return nullptr;
    if (limit_ > 0 && used_ + bytes > limit_)
      throw MemoryError(
          fmt::format("cuda: out of memory: asked for {} bytes; arrays hold {} of "
                      "the limit of {}",
                      bytes, used_.load(), limit_.load()));
    // No machine has 64 TiB, and sanitizers end a program that asks for them.
    const bool possible = bytes < int64_t{1} << 46;
    void* p = possible ? std::calloc(static_cast<size_t>(bytes) + 64, 1) : nullptr;
    if (p == nullptr)
      throw MemoryError(fmt::format("cuda: out of memory: asked for {} bytes", bytes));
    used_ += bytes;
    if (used_ > used_high_) used_high_ = used_.load();
    return p;
  }
  void release(void* p, int64_t bytes) noexcept override {
    if (p == nullptr) return;
    std::free(p);
    used_ -= bytes;
  }
  void upload(void* to, const void* from, int64_t bytes) override { copy(to, from, bytes); }
  void download(void* to, const void* from, int64_t bytes) override { copy(to, from, bytes); }
  void copy(void* to, const void* from, int64_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void fill(void* to, int byte, int64_t bytes) override {
    if (bytes > 0) std::memset(to, byte, static_cast<size_t>(bytes));
  }
  int holder(const void*) override { return info_.number; }
  int make_current(int number) override { return number; }
  MemoryStatistics memory() override {
    return {.used = used_, .used_high = used_high_, .reserved = used_, .reserved_high = used_high_};
  }
  void set_memory_limit(int64_t bytes) override { limit_ = bytes; }
  void trim_memory() override {}
  void use_allocator(ForeignAllocator) override {}
  void* allocate_pinned(int64_t bytes) override {
    return std::calloc(static_cast<size_t>(std::max<int64_t>(bytes, 1)), 1);
  }
  void release_pinned(void* p) noexcept override { std::free(p); }

  void* raw_allocate(int, int64_t bytes) override { return allocate(bytes); }
  void raw_release(int, void* p, int64_t bytes) noexcept override { release(p, bytes); }
  void raw_copy(void* to, const void* from, int64_t bytes) override { copy(to, from, bytes); }
  void raw_synchronize(int) override {}
  void* raw_address(int, const void* p) override { return const_cast<void*>(p); }
  uintptr_t raw_context(int) override { return reinterpret_cast<uintptr_t>(this); }
  // Within this process.
  void ipc_export(int, void* p, std::byte* handle) override {
    const Handle h{getpid(), p};
    std::memset(handle, 0, kIpcHandle);
    std::memcpy(handle, &h, sizeof h);
  }
  void* ipc_open(int, const std::byte* handle) override {
    Handle h{};
    std::memcpy(&h, handle, sizeof h);
    if (h.process != getpid())
      throw std::runtime_error("cuda: opening memory of another process: there is no GPU");
    return h.memory;
  }
  void ipc_close(int, void*) noexcept override {}

  void use_stream(uintptr_t s) override { stream_ = s; }
  uintptr_t stream() override { return stream_; }
  void wait_for(uintptr_t) override {}
  void let_wait(uintptr_t) override {}
  void synchronize() override {}

  void* load(const std::string&) override { return this; }
  Kernel kernel(void*, const char*) override { return {.handle = this, .registers = 32}; }
  void launch(const Kernel&, int64_t, int, int, const void*, int64_t) override {}
  void launch_grid(const Kernel&, const Grid&, const PackedArguments&) override {}
  void* arrivals() override { return arrivals_; }
  int64_t resident_blocks(const Kernel&, int threads, int) override {
    return int64_t{info_.multiprocessors} * std::max(1, 2048 / std::max(1, threads));
  }

  void offsets(const int64_t* lengths, int64_t n, int64_t* offsets, Lengths* seen) override {
    offsets[0] = 0;
    std::partial_sum(lengths, lengths + n, offsets + 1);
    *seen = {offsets[n], n > 0 ? *std::max_element(lengths, lengths + n) : -1};
  }
  void argsort(const ListsToSort& l, int64_t* order) override {
    sort_positions_of(l, order);
    for (int64_t i = 0; i < l.lists; i++) {
      for (int64_t k = l.offsets[i]; k < l.offsets[i + 1]; k++) order[k] -= l.offsets[i];
    }
  }
  void transpose(const MatricesToTranspose& m) override {
    const auto size = static_cast<size_t>(m.itemsize);
    const auto* from = static_cast<const std::byte*>(m.items);
    for (int64_t i = 0; i < m.count * m.rows * m.columns; i++, from += size) {
      const int64_t matrix = i / (m.rows * m.columns), at = i - matrix * m.rows * m.columns;
      const int64_t to = at % m.columns * m.rows + at / m.columns;
      std::memcpy(static_cast<std::byte*>(m.out) +
                      static_cast<size_t>(matrix * m.rows * m.columns + to) * size,
                  from, size);
    }
  }
  bool put(const ItemsToPut& p) override {
    const auto at = [&](int64_t i) { return p.places[i] < 0 ? p.places[i] + p.size : p.places[i]; };
    for (int64_t i = 0; i < p.count; i++) {
      if (at(i) < 0 || at(i) >= p.size) return false;
    }
    const auto* values = static_cast<const std::byte*>(p.values);
    for (int64_t i = 0; i < p.count; i++)
      std::memcpy(static_cast<std::byte*>(p.items) + at(i) * p.itemsize,
                  values == nullptr ? p.value : values + i * p.itemsize,
                  static_cast<size_t>(p.itemsize));
    return true;
  }
  void sort(const ListsToSort& l, void* out) override {
    std::vector<int64_t> order(static_cast<size_t>(l.n));
    sort_positions_of(l, order.data());
    const auto size = static_cast<size_t>(itemsize(l.dtype));
    for (size_t i = 0; i < order.size(); i++)
      std::memcpy(static_cast<std::byte*>(out) + i * size,
                  static_cast<const std::byte*>(l.items) + static_cast<size_t>(order[i]) * size,
                  size);
  }

 private:
  struct Handle {
    pid_t process;
    void* memory;
  };
  static void sort_positions_of(const ListsToSort& l, int64_t* order) {
    std::iota(order, order + l.n, int64_t{0});
    auto sort_as = [&]<class T>(T, const void* values) {
      sort_positions(static_cast<const T*>(values), l, order);
    };
    switch (l.dtype) {
      case DType::boolean:
      case DType::uint8:
        return sort_as(uint8_t{}, l.items);
      case DType::uint16:
        return sort_as(uint16_t{}, l.items);
      case DType::uint32:
        return sort_as(uint32_t{}, l.items);
      case DType::uint64:
        return sort_as(uint64_t{}, l.items);
      case DType::int8:
        return sort_as(int8_t{}, l.items);
      case DType::int16:
        return sort_as(int16_t{}, l.items);
      case DType::int32:
        return sort_as(int32_t{}, l.items);
      case DType::float16: {
        std::vector<float> wide(static_cast<size_t>(l.n));
        for (int64_t i = 0; i < l.n; i++)
          wide[static_cast<size_t>(i)] = to_float(static_cast<const Half*>(l.items)[i]);
        return sort_as(float{}, wide.data());
      }
      case DType::float32:
        return sort_as(float{}, l.items);
      case DType::float64:
        return sort_as(double{}, l.items);
      case DType::complex64:
      case DType::complex128:
        throw TypeError("argsort: complex numbers have no order");
      default:
        return sort_as(int64_t{}, l.items);
    }
  }

  DeviceInfo info_;
  alignas(8) uint32_t arrivals_[kArrivals] = {};
  std::atomic<int64_t> used_{0}, used_high_{0}, limit_{0};
  static inline thread_local uintptr_t stream_ = 0;
};

}  // namespace

GpuDevice& compile_only_gpu() {
  static auto* device = new CompileOnly;  // never destroyed: arrays may outlive static objects
  return *device;
}

}  // namespace serrate::cuda
