// GPU arrays of other libraries: __cuda_array_interface__ (version 3) and DLPack, both ways.
#include "common/checked.h"
#include "common/python.h"
#include "convert/dlpack.h"
#include "convert/taking.h"
#include "cuda/device.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

using cuda::gpu;

constexpr uintptr_t kLegacyStream = 1;  // CUDA's default stream

// Memory of another library. Ours may be read late, so that the owner's stream must not reuse it
// before: the default stream and the one that we work on are in order with ours anyway.
std::shared_ptr<const void> keep_on_gpu(nb::handle o, uintptr_t stream) {
  std::shared_ptr<const void> owner = keep(o);
  if (stream <= kLegacyStream) return owner;
  const void* p = owner.get();
  return {p, [owner = std::move(owner), stream](const void*) {
            try {
              if (gpu().stream() != stream) gpu().synchronize();
            } catch (const std::exception&) {  // the process is ending
            }
          }};
}

nb::object interface_of(nb::handle o) { return o.attr("__cuda_array_interface__"); }

uintptr_t stream_in(const nb::object& interface) {
  const nb::object s = interface.attr("get")("stream");
  return s.is_none() ? 0 : nb::cast<uintptr_t>(s);
}

// Our work comes after what the owner has given to its stream.
void follow(uintptr_t stream) {
  if (stream != 0) gpu().wait_for(stream);
}

std::vector<int64_t> integers(nb::handle tuple) {
  std::vector<int64_t> out;
  for (nb::handle x : nb::iter(tuple)) out.push_back(nb::cast<int64_t>(x));
  return out;
}

// Kernels that read what they may not end all work of the process.
void check_holder(int holder, nb::handle o) {
  const int ours = gpu_number();
  if (holder == ours) return;
  const auto of = nb::cast<std::string>(nb::str(nb::type_name(o.type())));
  check<ValueError>(holder >= 0, "Array: this {} says that it is on a GPU, but no GPU can read it",
                    of);
  throw ValueError(
      fmt::format("Array: this {0} is on GPU {1}, but serrate works on GPU {2}. Copy it there, or "
                  "set SERRATE_CUDA_DEVICE={1} before the first use of the GPU",
                  of, holder, ours));
}

// While this lives our GPU is the current one for other libraries too: PyTorch exports from no
// other.
struct OursIsCurrent {
  const int before = gpu().make_current(gpu_number());
  ~OursIsCurrent() {
    try {
      gpu().make_current(before);
    } catch (const std::exception&) {  // the process is ending
    }
  }
};

struct Memory {
  uintptr_t data = 0;
  std::vector<int64_t> shape, strides;  // strides in bytes, or none
  DType dtype = DType::int64;
  std::string unit;
};

int64_t items_in(const std::vector<int64_t>& shape) {
  int64_t items = 1;
  for (const int64_t n : shape) {
    check<ValueError>(n >= 0, "a GPU array with a dimension of length {}", n);
    items = graph::items_of(items, n);
  }
  return items;
}

// The owner's later work on its stream comes after our copy.
Buffer copied(const Buffer& from, uintptr_t stream) {
  void* to = nullptr;
  Buffer out = cuda::allocate(from.bytes(), &to);
  if (from.bytes() > 0) gpu().copy(to, from.data(), from.bytes());
  if (stream > kLegacyStream) gpu().let_wait(stream);
  return out;
}

/// `o` has the memory, and work on it that was given to `stream` comes first.
Array array_of(const Memory& m, nb::handle o, uintptr_t stream, bool is_taken) {
  check<TypeError>(!m.shape.empty(), "Array: expected a GPU array with dimensions, got a scalar");
  check<ValueError>(m.strides.empty() || m.strides.size() == m.shape.size(),
                    "Array: {} strides for {} dimensions", m.strides.size(), m.shape.size());
  const int64_t size = itemsize(m.dtype), items = items_in(m.shape);
  __int128 below = 0, above = size;
  int64_t packed = size;
  for (size_t i = m.shape.size(); i-- > 0;) {
    const int64_t stride = m.strides.empty() ? packed : m.strides[i];
    packed *= m.shape[i];
    (stride < 0 ? below : above) += static_cast<__int128>(m.shape[i] - 1) * stride;
  }
  if (items == 0) below = above = 0;
  check<ValueError>(above - below <= 16 * __int128{graph::kMaxItems},
                    "Array: the strides reach too far");
  const auto* start = reinterpret_cast<const std::byte*>(m.data);
  const auto first = static_cast<int64_t>(below), bytes = static_cast<int64_t>(above - below);
  if (bytes > 0) check_holder(gpu().holder(start + first), o);
  follow(stream);
  Buffer b(start + first, bytes, keep_on_gpu(o, stream), Device::cuda);
  // Where the items leave gaps they come without: they are gathered.
  const bool has_gaps = bytes > items * size;
  if (is_taken && !has_gaps) b = copied(b, stream);
  const Array out = from_strided(b, m.dtype, m.shape, m.strides, -first, m.unit);
  if (is_taken && has_gaps) {
    evaluate(out);
    if (stream > kLegacyStream) gpu().let_wait(stream);
  }
  return out;
}

bool is_taken(Taking how, const nb::object& interface) {
  return how == Taking::copy ||
         (how == Taking::snapshot &&
          nb::object(nb::object(interface["data"])[nb::int_(1)]).ptr() != Py_True);
}

// Of version 1, which read-only memory needs, or as older producers make it.
nb::object capsule_from(nb::handle producer, uintptr_t stream) {
  const nb::object method = producer.attr("__dlpack__");
  try {
    return nb::object(method("stream"_a = stream, "max_version"_a = nb::make_tuple(1, 1)));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  }
  return nb::object(method("stream"_a = stream));
}

}  // namespace

bool has_gpu_interface(nb::handle o) { return has(o, "__cuda_array_interface__"); }

Array from_gpu_interface(nb::handle o) {
  const nb::object i = interface_of(o);
  gpu();
  check<TypeError>(nb::object(i.attr("get")("mask")).is_none(),
                   "Array: masks of __cuda_array_interface__ are not supported");
  Memory m;
  m.data = nb::cast<uintptr_t>(nb::object(nb::object(i["data"])[nb::int_(0)]));
  m.shape = integers(nb::object(i["shape"]));
  m.dtype = dtype_of_numpy(nb::object(i["typestr"]), &m.unit);
  const nb::object strides = i.attr("get")("strides");
  if (!strides.is_none()) m.strides = integers(strides);
  return array_of(m, o, stream_in(i), is_taken(taking(), i));
}

Buffer gpu_bytes(nb::handle o, Taking how) {
  const nb::object i = interface_of(o);
  gpu();
  int64_t bytes =
      nb::cast<int64_t>(nb::object(numpy("dtype")(nb::object(i["typestr"])).attr("itemsize")));
  std::vector<int64_t> packed;
  const std::vector<int64_t> shape = integers(nb::object(i["shape"]));
  items_in(shape);
  for (size_t k = shape.size(); k-- > 0;) {
    packed.insert(packed.begin(), bytes);
    bytes *= shape[k];
  }
  const nb::object strides = i.attr("get")("strides");
  check<ValueError>(strides.is_none() || bytes == 0 || integers(strides) == packed,
                    "from_buffers: a buffer on the GPU is not contiguous");
  const auto* const data = reinterpret_cast<const void*>(
      nb::cast<uintptr_t>(nb::object(nb::object(i["data"])[nb::int_(0)])));
  if (bytes > 0) check_holder(gpu().holder(data), o);
  const uintptr_t stream = stream_in(i);
  follow(stream);
  const Buffer b(data, bytes, keep_on_gpu(o, stream), Device::cuda);
  return is_taken(how, i) ? copied(b, stream) : b;
}

nb::object gpu_interface(const PyArray& a) {
  if (a.device() != Device::cuda) throw nb::attribute_error("__cuda_array_interface__");
  const Regular r = regular_of(a, "__cuda_array_interface__");
  const std::string type = std::string(name(r.dtype)) + (r.unit.empty() ? "" : "[" + r.unit + "]");
  a.shown = r.buffer.owner();
  nb::list shape;
  for (const size_t n : r.shape) shape.append(n);
  nb::dict out;
  out["shape"] = nb::tuple(shape);
  out["typestr"] = numpy("dtype")(type.c_str()).attr("str");
  // Consumers refuse memory that is said to be read-only.
  out["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(r.data), false);
  out["strides"] = nb::none();
  out["stream"] = gpu().stream() == 0 ? kLegacyStream : gpu().stream();
  out["version"] = 3;
  return out;
}

Array from_gpu_dlpack(nb::handle producer) {
  const nb::object device = producer.attr("__dlpack_device__")();
  check_holder(nb::cast<int>(nb::object(device[nb::int_(1)])), producer);
  const uintptr_t stream = gpu().stream();
  const OursIsCurrent for_the_producer;
  const nb::object capsule = capsule_from(producer, stream == 0 ? kLegacyStream : stream);
  using Tensor = nb::ndarray<nb::ro, nb::device::cuda>;
  auto* tensor = new Tensor(nb::cast<Tensor>(capsule));
  const nb::capsule owner(tensor, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  Memory m;
  m.data = reinterpret_cast<uintptr_t>(tensor->data());
  m.dtype = dtype_of_dlpack(tensor->dtype());
  for (size_t i = 0; i < tensor->ndim(); ++i) {
    m.shape.push_back(static_cast<int64_t>(tensor->shape(i)));
    m.strides.push_back(tensor->stride(i) * itemsize(m.dtype));
  }
  const bool is_copied = taking() != Taking::share;
  Array out = array_of(m, owner, 0, is_copied);
  // Nobody says what stream the producer goes on with.
  if (is_copied) without_lock([] { gpu().synchronize(); });
  return out;
}

int gpu_number() { return gpu().info().number; }

}  // namespace serrate::python
