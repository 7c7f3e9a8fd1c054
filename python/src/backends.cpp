// Devices: where arrays are and where new ones are made, moving them, memory and streams.
#include "bind.h"
#include "core/host.h"
#include "cuda/compile.h"
#include "cuda/device.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "operands.h"

namespace serrate::python {
namespace {

using cuda::gpu;

void make_default(Device d) {
  graph::backend(d).require();  // says what is missing
  graph::default_device() = d;
}

const char* name_of(Device d) { return graph::backend(d).name(); }

// Of an Array or a Record; nothing where it has no buffers.
std::optional<Device> device_of(nb::handle o) {
  if (const Array* a = array_in(o)) return graph::some_device(a->node());
  if (const Record* r = record_in(o)) return graph::some_device(r->value.node());
  return {};
}

nb::object backend_of(nb::args arrays) {
  std::optional<Device> found;
  for (nb::handle h : arrays) {
    const std::optional<Array> a = try_array(h);
    if (!a) continue;
    std::optional<Device> d = graph::buffers_device({a->node()});
    if (!d && !is_host(a->device())) d = a->device();  // as what it was made of
    check<ValueError>(!found || !d || *found == *d,
                      "backend: the arrays are on the CPU and on the GPU");
    if (d || !found) found = d.value_or(Device::cpu);
  }
  return found ? nb::object(nb::str(name_of(*found))) : nb::none();
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

// SERRATE_BACKEND; an unknown name is refused where the first array is made, not at import.
const char* unread_backend = [] {
  const char* e = std::getenv("SERRATE_BACKEND");
  return e == nullptr || *e == 0 ? nullptr : e;
}();

Device new_arrays_device() {
  if (unread_backend) [[unlikely]] {
    make_default(backend_named(unread_backend, "SERRATE_BACKEND"));
    unread_backend = nullptr;
  }
  return graph::default_device();
}

}  // namespace

Device backend_named(std::string_view name, const char* op) {
  for (graph::Backend* const b : graph::backends()) {
    if (name == b->name()) return b->device();
  }
  throw ValueError(fmt::format("{}: expected backend 'cpu' or 'cuda', got '{}'", op, name));
}

Array move_to(const Array& a, Device d) {
  graph::backend(d).require();  // says what is missing, whatever `a` is
  if (a.device() == d) return a;
  Array out;
  without_lock([&] { out = to_backend(a, d); });
  return out;
}

Array place(Array a, nb::handle backend, const char* op) {
  if (!backend.is_none()) return move_to(a, backend_named(nb::cast<std::string>(backend), op));
  return new_array(std::move(a));
}

Array new_array(Array a) {
  const Device d = new_arrays_device();
  return is_host(d) ? a : move_to(a, d);
}

const Beside*& Beside::current() {
  static thread_local const Beside* innermost = nullptr;
  return innermost;
}

nb::list Beside::behaviors() {
  nb::list out;
  const auto add = [&](nb::handle o) {
    const Meta* meta = o.is_valid() ? meta_of(o) : nullptr;
    if (meta && meta->behavior.is_valid()) out.append(meta->behavior);
  };
  if (const Beside* here = current()) {
    for (nb::handle o : here->given_) add(o);
    for (nb::handle o : here->operands_) add(o);
  }
  return out;
}

std::optional<Device> Beside::device() const {
  if (device_) return device_;
  if (array_) return graph::some_device(array_->node());
  for (nb::handle o : given_) {
    if (const auto d = device_of(o)) return d;
  }
  for (nb::handle o : operands_) {
    if (!o.is_valid()) continue;
    if (const auto d = device_of(o)) return d;
    if (PyDict_Check(o.ptr())) {
      for (auto [key, value] : nb::borrow<nb::dict>(o)) {
        if (const auto d = device_of(value)) return d;
      }
    } else if (PyList_Check(o.ptr()) || PyTuple_Check(o.ptr())) {
      for (nb::handle h : nb::iter(o)) {
        if (const auto d = device_of(h)) return d;
      }
    }
  }
  return {};
}

std::optional<Device> destination(bool is_literal) {
  const Device made = new_arrays_device();
  if (!graph::other_memory_in_use()) return {};
  const std::optional<Device> beside =
      Beside::current() ? Beside::current()->device() : std::nullopt;
  const Device there = beside.value_or(made);
  if (is_host(there) || !(is_literal || made == there)) return {};
  return there;
}

Array placed(Array a, bool is_literal) {
  const std::optional<Device> there = destination(is_literal);
  return there ? move_to(a, *there) : a;
}

Array looked_at(const Array& a) { return move_to(a, Device::cpu); }

void refuse_gpu(const Array& a, const char* op) {
  check<TypeError>(a.device() != Device::cuda,
                   "{}: the array is on the GPU (backend \"cuda\"), and data move only by "
                   "to_backend: use to_backend(x, \"cpu\") first",
                   op);
}

void bind_backends(nb::module_& m) {
  tell_package_folders();
  m.def("backend", &backend_of, "arrays"_a,
        "Where the buffers are: 'cpu' or 'cuda'.\n\n>>> backend(Array([1]))\n'cpu'");
  def(
      m, "to_backend",
      [](nb::handle array, const std::string& backend) {
        return move_to(as_array(array, "to_backend"), backend_named(backend, "to_backend"));
      },
      "array"_a, "backend"_a, nb::kw_only(),
      "The array on a device, 'cpu' or 'cuda' (an NVIDIA GPU): computed, then copied, unless it is "
      "there. Nothing else moves data.\n\n>>> to_backend(Array([1]), \"cpu\")\n<Array [1] type='1 "
      "* "
      "int64'>");
  m.def(
      "set_default_backend",
      [](const std::string& name) {
        make_default(backend_named(name, "set_default_backend"));
        unread_backend = nullptr;
      },
      "name"_a,
      "Where new arrays are made from now on: 'cpu', which is the default, or 'cuda'. The "
      "environment variable SERRATE_BACKEND says it from the start.\n\n"
      ">>> set_default_backend(\"cpu\")\n>>> default_backend()\n'cpu'");
  m.def(
      "default_backend", [] { return name_of(new_arrays_device()); },
      "Where new arrays are made; see set_default_backend.\n\n>>> default_backend()\n'cpu'");

  // serrate.cuda
  m.def("_gpu_available", [] { return cuda::gpu_available(); });
  m.def("_gpu_facts", &facts);
  m.def("_gpu_kernels", &kernels);
  m.def("_gpu_memory", &memory);
  m.def("_gpu_limit", [](int64_t bytes) { gpu().set_memory_limit(bytes); });
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
