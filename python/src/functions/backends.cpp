// Functions on devices: where arrays are, moving them, memory and streams.
#include "common/operands.h"
#include "core/host.h"
#include "core/memory.h"
#include "cuda/compiler/compile.h"
#include "cuda/device.h"
#include "functions/bind.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "graph/operation.h"

namespace serrate::python {
namespace {

using cuda::gpu;

const char* name_of(Device d) { return graph::backend(d).name(); }

void look_at(const Array& a, std::optional<Device>& found) {
  std::optional<Device> d = graph::buffers_device({a.node()});
  if (!d) d = graph::place_of(a);
  check<ValueError>(!found || !d || *found == *d,
                    "backend: the arrays are on the CPU and on the GPU");
  if (d || !found) found = d.value_or(Device::cpu);
}

nb::object backend_of(nb::args arrays) {
  std::optional<Device> found;
  for (nb::handle h : arrays)
    if (const std::optional<Array> a = try_array(h)) look_at(*a, found);
  return found ? nb::object(nb::str(name_of(*found))) : nb::none();
}

// Where what is computed of these is; numbers are anywhere.
bool are_on_gpu(nb::tuple operands) {
  std::optional<Device> found;
  bool all_numbers = true;
  for (nb::handle h : operands) {
    if (const Array* const a = array_in(h)) {
      look_at(*a, found);
    } else {
      PyObject* const o = h.ptr();
      if (PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ||
          nb::isinstance(h, numpy("generic")))
        continue;
      if (const std::optional<Array> a = try_array(h)) look_at(*a, found);
    }
    all_numbers = false;
  }
  return (all_numbers ? default_device() : found.value_or(Device::cpu)) == Device::cuda;
}

nb::object memory() {
  const cuda::MemoryStatistics m = gpu().memory();
  nb::dict out;
  out["used"] = m.used;
  out["used_high"] = m.used_high;
  out["reserved"] = m.reserved;
  out["reserved_high"] = m.reserved_high;
  out["free"] = m.free;
  out["total"] = m.total;
  return out;
}

// What doctor() reports; opens the GPU if there is one.
nb::object facts() {
  nb::dict out;
  std::string why;
  out["gpu"] = nb::none();
  if (cuda::gpu_available(&why)) {
    const cuda::DeviceInfo& i = gpu().info();
    nb::dict g;
    g["number"] = i.number;
    g["count"] = i.count;
    g["name"] = i.name;
    g["arch"] = i.arch;
    g["multiprocessors"] = i.multiprocessors;
    g["driver"] = i.driver;
    g["memory"] = i.memory;
    out["gpu"] = g;
  }
  out["why"] = why;
  out["plugin"] = cuda::plugin_path();
  const cuda::CompilerInfo c = cuda::compiler_info();
  out["nvrtc"] = c.path;
  out["nvrtc_version"] = c.version;
  out["nvrtc_why"] = c.why_not;
  std::string unwritable;
  out["cache"] = cuda::cache_directory(&unwritable);
  out["cache_why"] = unwritable;
  return out;
}

nb::object kernels() {
  const cuda::CompileStatistics s = cuda::compile_statistics();
  nb::dict out;
  out["compiled"] = s.compiled;
  out["from_disk"] = s.from_disk;
  out["from_memory"] = s.from_memory;
  return out;
}

// NVRTC's PyPI package lies in one of the folders of sys.path.
void tell_package_folders() {
  std::vector<std::string> folders;
  for (nb::handle p : nb::iter(nb::module_::import_("sys").attr("path"))) {
    if (nb::isinstance<nb::str>(p)) folders.push_back(nb::cast<std::string>(p));
  }
  cuda::set_package_folders(std::move(folders));
}

}  // namespace

void bind_backends(nb::module_& m) {
  tell_package_folders();
  def<"backend">(m, &backend_of);
  m.def("_are_on_gpu", &are_on_gpu, "operands"_a);
  def<"to_backend">(m, [](nb::handle array, const std::string& backend) {
    return move_to(as_array(array, "to_backend"), backend_named(backend, "to_backend"));
  });
  def<"set_default_backend">(m, [](const std::string& name) {
    set_default_device(backend_named(name, "set_default_backend"));
  });
  def<"default_backend">(m, [] { return name_of(default_device()); });

  m.def(
      "_default_backend_of_thread",
      [](std::optional<std::string> name) {
        auto& of_thread = graph::default_device_of_thread();
        of_thread.reset();
        if (name) of_thread = backend_named(*name, "_default_backend_of_thread");
      },
      "name"_a.none());
  bind_uploads(m);

  // serrate.cuda
  m.def("_gpu_available", [] { return cuda::gpu_available(); });
  m.def("_gpu_facts", &facts);
  m.def("_gpu_kernels", &kernels);
  m.def("_gpu_memory", &memory);
  m.def("_gpu_limit", [](int64_t bytes) { gpu().set_memory_limit(bytes); });
  m.def("_trim_memory", [] { trim_memory(); });  // kept for reuse, of the host's
  m.def("_gpu_trim", [] { without_lock([] { gpu().trim_memory(); }); });
  m.def("_gpu_synchronize", [] { without_lock([] { gpu().synchronize(); }); });
  m.def("_gpu_stream", [] { return gpu().stream(); });
  m.def("_gpu_use_stream", [](uintptr_t s) { gpu().use_stream(s); });
  m.def("_gpu_allocator", [](uintptr_t allocate, uintptr_t release) {
    cuda::ForeignAllocator a;
    a.allocate = reinterpret_cast<decltype(a.allocate)>(allocate);
    a.release = reinterpret_cast<decltype(a.release)>(release);
    gpu().use_allocator(a);
  });
}

}  // namespace serrate::python
