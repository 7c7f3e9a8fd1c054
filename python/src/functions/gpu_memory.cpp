// What serrate.cuda's buffers are made of: memory of any GPU, pinned memory, other processes'.
#include <nanobind/ndarray.h>

#include <array>
#include <atomic>
#include <cstring>

#include "common/checked.h"
#include "common/python.h"
#include "cuda/device.h"
#include "graph/limits.h"
#include "serrate/arrow.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

using cuda::gpu;

/// Bytes that users allocated, by the number of the GPU.
std::atomic<int64_t>& allocated(int number) {
  static auto& bytes = *new std::array<std::atomic<int64_t>, 64>{};
  return bytes.at(static_cast<size_t>(number));
}

void check_number(int number) {
  const int count = gpu().info().count;
  check<ValueError>(number >= 0 && number < count,
                    "device_number argument must be non-negative less than {}, got {}", count,
                    number);
}

/// A block, or a part of one.
struct GpuMemory {
  int number = 0;
  std::byte* first = nullptr;
  int64_t bytes = 0;
  std::shared_ptr<void> block;  // the address of the whole block, released with the last part
  bool own = false;             // a block of raw_allocate

  GpuMemory part(int64_t offset, int64_t n) const {
    check<ValueError>(offset >= 0 && n >= 0 && offset <= bytes && n <= bytes - offset,
                      "a part of {} bytes from {} on of a buffer of {} bytes", n, offset, bytes);
    return {number, first + offset, n, block, own};
  }
};

GpuMemory fresh(int number, int64_t bytes) {
  check_number(number);
  check<ValueError>(bytes >= 0 && bytes <= graph::kMaxItems, "a buffer of {} bytes", bytes);
  void* const p = gpu().raw_allocate(number, bytes);
  allocated(number) += bytes;
  return {number, static_cast<std::byte*>(p), bytes,
          std::shared_ptr<void>(p,
                                [number, bytes](void* block) {
                                  gpu().raw_release(number, block, bytes);
                                  allocated(number) -= bytes;
                                }),
          true};
}

GpuMemory view_of(int number, uintptr_t address, int64_t bytes, nb::handle base) {
  check_number(number);
  check<ValueError>(bytes >= 0 && bytes <= graph::kMaxItems, "a buffer of {} bytes", bytes);
  auto* const p = reinterpret_cast<std::byte*>(address);
  std::shared_ptr<void> owner;
  if (!base.is_none()) owner = std::const_pointer_cast<void>(keep(base));
  return {number, p, bytes, std::move(owner), false};
}

uintptr_t address_of(const GpuMemory& m) { return reinterpret_cast<uintptr_t>(m.first); }

using Bytes = nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ReadOnlyBytes =
    nb::ndarray<nb::numpy, const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void read(const GpuMemory& m, nb::handle into) {
  const auto to = nb::cast<Bytes>(into);
  check<ValueError>(static_cast<int64_t>(to.size()) == m.bytes, "{} bytes into a buffer of {}",
                    m.bytes, to.size());
  without_lock([&] { gpu().raw_copy(to.data(), m.first, m.bytes); });
}

void write(const GpuMemory& m, nb::handle data) {
  const auto from = nb::cast<ReadOnlyBytes>(data);
  check<ValueError>(static_cast<int64_t>(from.size()) == m.bytes, "{} bytes into a buffer of {}",
                    from.size(), m.bytes);
  without_lock([&] { gpu().raw_copy(m.first, from.data(), m.bytes); });
}

void copy_from(const GpuMemory& to, const GpuMemory& from) {
  check<ValueError>(to.bytes == from.bytes, "{} bytes into a buffer of {}", from.bytes, to.bytes);
  without_lock([&] { gpu().raw_copy(to.first, from.first, to.bytes); });
}

// uint8, sharing the memory: for DLPack, and for expressions.
nb::object as_array_of_bytes(const GpuMemory& m) {
  check<ValueError>(m.number == gpu_number(), "the buffer is on GPU {}, serrate works on GPU {}",
                    m.number, gpu_number());
  const Buffer b(m.first, m.bytes, m.block, Device::cuda);
  return wrap_array(from_strided(b, DType::uint8, {m.bytes}));
}

nb::object pinned(int64_t bytes) {
  check<ValueError>(bytes >= 0 && bytes <= graph::kMaxItems, "a buffer of {} bytes", bytes);
  void* const p = gpu().allocate_pinned(bytes);
  const nb::capsule owner(p, [](void* q) noexcept { gpu().release_pinned(q); });
  const size_t shape[] = {static_cast<size_t>(bytes)};
  return nb::cast(nb::ndarray<nb::numpy, uint8_t>(p, 1, shape, owner));
}

// -- other processes: CUDA's handle of a block, and which part of it ------------------------------

struct Handle {
  std::array<std::byte, cuda::kIpcHandle> block;
  int64_t number, offset, bytes;
};

nb::bytes exported(GpuMemory& m) {
  check<ValueError>(m.own, "export_for_ipc: memory that this process has not allocated");
  Handle h{};
  h.number = m.number;
  h.bytes = m.bytes;
  if (m.bytes > 0) {
    auto* const block = static_cast<std::byte*>(m.block.get());
    gpu().ipc_export(m.number, block, h.block.data());
    h.offset = m.first - block;
    // Nobody knows when the other process is done: the block stays.
    new std::shared_ptr<void>(m.block);
  }
  return nb::bytes(&h, sizeof h);
}

GpuMemory opened(nb::bytes text) {
  Handle h{};
  check<ValueError>(text.size() == sizeof h, "IpcMemHandle: {} bytes, expected {}", text.size(),
                    sizeof h);
  std::memcpy(&h, text.c_str(), sizeof h);
  check<ValueError>(
      h.offset >= 0 && h.bytes >= 0 && h.bytes <= graph::kMaxItems && h.offset <= graph::kMaxItems,
      "IpcMemHandle: {} bytes from {} on", h.bytes, h.offset);
  const int number = static_cast<int>(h.number);
  check_number(number);
  if (h.bytes == 0) return {number, nullptr, 0, nullptr, false};
  void* const block = gpu().ipc_open(number, h.block.data());
  return {number, static_cast<std::byte*>(block) + h.offset, h.bytes,
          std::shared_ptr<void>(block, [number](void* p) { gpu().ipc_close(number, p); }), false};
}

// -- batches whose body is on a GPU ---------------------------------------------------------------

struct Moved {
  const std::byte* host;
  int64_t bytes;
  std::byte* there;
};

void move_buffers(const ArrowArray& a, const Moved& m) {
  check<ValueError>(a.dictionary == nullptr,
                    "read_record_batch: dictionaries are not in the batch; read it on the CPU, "
                    "then to_backend(x, \"cuda\")");
  for (int64_t i = 0; i < a.n_buffers; ++i) {
    const auto* p = static_cast<const std::byte*>(a.buffers[i]);
    if (p == nullptr) continue;
    // What the reader made itself has no bytes.
    const bool inside = p >= m.host && p <= m.host + m.bytes;
    const_cast<const void**>(a.buffers)[i] = inside ? m.there + (p - m.host) : nullptr;
  }
  for (int64_t i = 0; i < a.n_children; ++i) move_buffers(*a.children[i], m);
}

void released_with_memory(ArrowArray* a) {
  auto* both = static_cast<std::pair<ArrowArray, std::shared_ptr<void>>*>(a->private_data);
  both->first.release(&both->first);
  delete both;
  a->release = nullptr;
}

// A batch that was read from host memory of the same layout, as an array over the GPU's.
nb::object batch_on_gpu(nb::handle batch, uintptr_t host, const GpuMemory& there) {
  check<ValueError>(there.number == gpu_number(), "the buffer is on GPU {}, serrate works on {}",
                    there.number, gpu_number());
  const nb::object pair = batch.attr("__arrow_c_array__")();
  const auto pointer = [&](int i, const char* name) {
    void* p = PyCapsule_GetPointer(nb::object(pair[nb::int_(i)]).ptr(), name);
    if (p == nullptr) throw nb::python_error();
    return p;
  };
  auto* schema = static_cast<ArrowSchema*>(pointer(0, "arrow_schema"));
  auto* array = static_cast<ArrowArray*>(pointer(1, "arrow_array"));
  move_buffers(*array, {reinterpret_cast<const std::byte*>(host), there.bytes, there.first});
  ArrowDeviceArray d{};
  d.array = *array;
  auto* both = new std::pair(*array, there.block);
  array->release = nullptr;
  d.array.private_data = both;
  d.array.release = &released_with_memory;
  d.device_type = ARROW_DEVICE_CUDA;
  d.device_id = there.number;
  return wrap_array(from_arrow(&d, schema));
}

}  // namespace

void bind_gpu_memory(nb::module_& m) {
  nb::class_<GpuMemory>(m, "_GpuMemory")
      .def_prop_ro("number", [](const GpuMemory& x) { return x.number; })
      .def_prop_ro("address", &address_of)
      .def_prop_ro("size", [](const GpuMemory& x) { return x.bytes; })
      .def("part", &GpuMemory::part, "offset"_a, "size"_a)
      .def("read", &read, "to"_a)
      .def("write", &write, "data"_a)
      .def("copy_from", &copy_from, "other"_a)
      .def("array", &as_array_of_bytes)
      .def("export", &exported);
  m.def("_gpu_count", [] { return gpu().info().count; });
  m.def("_gpu_number", &gpu_number);
  m.def("_gpu_allocate", &fresh, "number"_a, "size"_a);
  m.def("_gpu_allocated", [](int number) {
    check_number(number);
    return allocated(number).load();
  });
  m.def("_gpu_view", &view_of, "number"_a, "address"_a, "size"_a, "base"_a.none());
  m.def("_gpu_pinned", &pinned, "size"_a);
  m.def("_gpu_open", &opened, "handle"_a);
  m.def("_gpu_holder", [](uintptr_t p) { return gpu().holder(reinterpret_cast<void*>(p)); });
  m.def("_gpu_address", [](int number, uintptr_t p) {
    check_number(number);
    return reinterpret_cast<uintptr_t>(gpu().raw_address(number, reinterpret_cast<const void*>(p)));
  });
  m.def("_gpu_context", [](int number) {
    check_number(number);
    return gpu().raw_context(number);
  });
  m.def("_gpu_wait", [](int number) {
    check_number(number);
    without_lock([number] { gpu().raw_synchronize(number); });
  });
  m.def("_gpu_batch", &batch_on_gpu, "batch"_a, "host"_a, "memory"_a);
}

}  // namespace serrate::python
