// DLPack: capsules of arrays, versioned and as they were before version 1.
#include "convert/dlpack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "common/checked.h"
#include "cuda/device.h"
#include "cuda/runtime/checks.h"
#include "graph/evaluate.h"
#include "interop/snapshot.h"
#include "serrate/io.h"

namespace serrate::python {
namespace {

using cuda::gpu;

// -- the structures of dlpack.h, version 1.1 ------------------------------------------------------

constexpr int32_t kCpu = 1, kCuda = 2;
constexpr uint32_t kMajor = 1, kMinor = 1;
constexpr uint64_t kReadOnly = 1, kIsCopied = 2;
constexpr int64_t kLegacyStream = 1;          // CUDA's default stream
constexpr int64_t kLarge = int64_t{1} << 20;  // bytes that several threads copy
constexpr uintptr_t kAlignment = 64;          // of TensorFlow's and JAX's tensors

struct Tensor {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  nb::dlpack::dtype dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct Managed {
  static constexpr const char* kName = "dltensor";
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  static constexpr const char* kName = "dltensor_versioned";
  uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Tensor tensor;
};

/// What a capsule points to, with all that it needs.
template <class M>
struct Handed {
  M managed{};
  std::vector<int64_t> shape, strides;
  std::shared_ptr<const void> owner;
};

template <class M>
nb::object capsule_of(const Regular& r, Device device, uint64_t flags) {
  auto h = std::make_unique<Handed<M>>();
  h->shape = r.shape;
  h->strides.assign(r.shape.size(), 1);
  for (size_t i = r.shape.size(); i-- > 1;)
    h->strides[i - 1] = h->strides[i] * std::max<int64_t>(r.shape[i], 1);
  h->owner = r.owner;
  const bool far = device == Device::cuda;
  M& m = h->managed;
  m.tensor = {.data = r.bytes() > 0 ? const_cast<std::byte*>(r.data) : nullptr,
              .device_type = far ? kCuda : kCpu,
              .device_id = far ? gpu_number() : 0,
              .ndim = static_cast<int32_t>(r.shape.size()),
              .dtype = dlpack_type(r.dtype),
              .shape = h->shape.data(),
              .strides = h->strides.data(),
              .byte_offset = 0};
  m.context = h.get();
  m.deleter = [](M* self) { delete static_cast<Handed<M>*>(self->context); };
  if constexpr (std::is_same_v<M, ManagedVersioned>) {
    m.major = kMajor;
    m.minor = kMinor;
    m.flags = flags;
  }
  nb::object out = owned(PyCapsule_New(&m, M::kName, [](PyObject* capsule) {
    // Who takes it renames it.
    if (!PyCapsule_IsValid(capsule, M::kName)) return;
    auto* taken = static_cast<M*>(PyCapsule_GetPointer(capsule, M::kName));
    taken->deleter(taken);
  }));
  static_cast<void>(h.release());
  return out;
}

// -- what is asked for ----------------------------------------------------------------------------

using Pair = std::array<int64_t, 2>;

Pair pair_of(nb::handle o, const char* name) {
  check<TypeError>(PyTuple_Check(o.ptr()) && PyTuple_Size(o.ptr()) == 2,
                   "__dlpack__: {} must be a pair of integers", name);
  Pair out;
  for (size_t i = 0; i < 2; ++i) out[i] = nb::cast<int64_t>(index_of(nb::object(o[nb::int_(i)])));
  return out;
}

struct Request {
  std::optional<int64_t> stream;
  bool versioned = false;
  std::optional<Pair> device;
  std::optional<bool> copy;

  explicit Request(const nb::kwargs& kwargs) {
    for (auto [key, value] : kwargs) {
      const std::string name = nb::cast<std::string>(key);
      const bool known =
          name == "stream" || name == "max_version" || name == "dl_device" || name == "copy";
      check<TypeError>(known, "__dlpack__: unexpected argument '{}'", name);
      if (value.is_none()) continue;
      if (name == "stream") stream = nb::cast<int64_t>(index_of(value));
      if (name == "max_version") versioned = pair_of(value, "max_version")[0] >= kMajor;
      if (name == "dl_device") device = pair_of(value, "dl_device");
      if (name == "copy") copy = is_true(value);
    }
  }
};

[[noreturn]] void cannot(const std::string& why) {
  throw nb::buffer_error(fmt::format("__dlpack__: {}", why).c_str());
}

// The device that is asked for; BufferError for one that we have not.
Device asked_for(const Pair& device, Device here) {
  const auto [kind, number] = device;
  if (kind == kCpu) return Device::cpu;
  if (kind != kCuda)
    cannot(fmt::format("asked for a device of DLPack's type {}; the CPU and CUDA are there", kind));
  if (here == Device::cuda && number != gpu_number())
    cannot(fmt::format("asked for GPU {}, the array is on GPU {}", number, gpu_number()));
  if (here != Device::cuda) {
    gpu();  // says what is missing
    if (number != gpu_number())
      cannot(fmt::format("asked for GPU {}, serrate works on GPU {}", number, gpu_number()));
  }
  return Device::cuda;
}

// Memory of its own, on the same device, aligned.
Regular copied(const Regular& r, Device device) {
  Regular out = r;
  if (device == Device::cuda) {
    void* to = nullptr;
    const Buffer b = cuda::allocate(r.bytes(), &to);
    if (r.bytes() > 0) gpu().copy(to, r.data, r.bytes());
    out.data = b.data();
    out.owner = std::make_shared<Buffer>(b);
    return out;
  }
  if (r.bytes() >= kLarge) {  // which is aligned
    Buffer b;
    without_lock([&] { b = interop::snapshot(Buffer(r.data, r.bytes(), nullptr)); });
    out.data = b.data();
    out.owner = std::make_shared<Buffer>(b);
    return out;
  }
  void* to = nullptr;
  const Buffer b = Buffer::allocate(r.bytes() + int64_t{kAlignment}, &to);
  const auto begin = reinterpret_cast<uintptr_t>(to) + kAlignment - 1;
  auto* const first = reinterpret_cast<std::byte*>(begin / kAlignment * kAlignment);
  if (r.bytes() > 0) std::memcpy(first, r.data, static_cast<size_t>(r.bytes()));
  out.data = first;
  out.owner = std::make_shared<Buffer>(b);
  return out;
}

}  // namespace

int64_t Regular::bytes() const {
  int64_t items = 1;
  for (const int64_t n : shape) items *= n;
  return items * itemsize(dtype);
}

Regular regular_of(const Array& a, const char* op) {
  evaluate(a);
  const graph::NodeRef root = a.node();
  Regular r;
  int64_t first = 0;
  const graph::Node* n = root.get();
  for (; n->kind == graph::NodeKind::list; n = n->contents[0].get()) {
    const graph::StoredExtent e = graph::stored_extent(n->space);
    const bool outermost = n == root.get();
    check<TypeError>(!graph::is_string(*n) && (outermost || n->size >= 0),
                     "{}: expected numbers in regular lists, got {}; see to_regular and pad_none",
                     op, a.type().str());
    r.shape.push_back(outermost ? e.size : n->size);
    first = e.first;
  }
  check<TypeError>(n->kind == graph::NodeKind::leaf,
                   "{}: expected numbers in regular lists, got {}; see fill_none and fields", op,
                   a.type().str());
  r.dtype = n->column->dtype;
  r.unit = n->unit;
  if (a.device() == Device::cuda) {
    without_lock([n] { cuda::settle_checks(n->column->buffer); });
    r.data = n->column->buffer.data() + first * itemsize(r.dtype);
    r.owner = std::make_shared<Array>(a);
    r.buffer = n->column->buffer;
    return r;
  }
  auto seen = std::make_shared<ArrayView>(view(a));
  const View* v = &seen->item;
  while (v->kind == ViewKind::list) v = &v->contents[0];
  r.data = static_cast<const std::byte*>(v->data) + first * itemsize(r.dtype);
  r.owner = std::move(seen);
  return r;
}

nb::dlpack::dtype dlpack_type(DType t) {
  const auto bits = static_cast<uint8_t>(8 * itemsize(t));
  using Code = nb::dlpack::dtype_code;
  const Code code = t == DType::boolean      ? Code::Bool
                    : is_unsigned_integer(t) ? Code::UInt
                    : is_floating(t)         ? Code::Float
                    : is_complex(t)          ? Code::Complex
                                             : Code::Int;
  return {static_cast<uint8_t>(code), bits, 1};
}

DType dtype_of_dlpack(nb::dlpack::dtype t) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto d = static_cast<DType>(i);
    if (!is_time(d) && dlpack_type(d) == t) return d;
  }
  throw TypeError(fmt::format("from_dlpack: no dtype with code {}, {} bits, {} lanes", t.code,
                              t.bits, t.lanes));
}

nb::object to_dlpack(const Array& a, const nb::kwargs& kwargs) {
  const Request q(kwargs);
  const Device here = a.device();
  const Device there = q.device ? asked_for(*q.device, here) : here;
  const bool moves = there != here;
  if (moves && q.copy == false) cannot("the array is on another device, and copy is False");
  const Array moved = moves ? move_to(a, there) : a;
  Regular r = regular_of(moved, "__dlpack__");
  check<TypeError>(!is_time(r.dtype), "__dlpack__: DLPack has no times; see values_astype");
  const bool far = there == Device::cuda;
  const int64_t stream = q.stream.value_or(kLegacyStream);
  check<ValueError>(!far || stream != 0,
                    "__dlpack__: stream 0 is ambiguous; 1 is the default stream");
  check<ValueError>(far || moves || !q.stream || *q.stream == -1,
                    "__dlpack__: there are no streams on the CPU");
  // Older consumers cannot be told that memory is read-only; they get a copy.
  const bool older = !far && !q.versioned && !moves;
  if (older && q.copy == false)
    cannot("the memory is read-only, which DLPack can say since version 1; copy is False");
  const bool copies = !moves && (older || q.copy.value_or(false));
  if (copies) r = copied(r, there);
  if (far && stream != -1) gpu().let_wait(static_cast<uintptr_t>(stream));
  const bool is_own = copies || moves;
  if (!q.versioned) return capsule_of<Managed>(r, there, 0);
  // On a GPU consumers refuse memory that is said to be read-only.
  return capsule_of<ManagedVersioned>(r, there, is_own ? kIsCopied : far ? 0 : kReadOnly);
}

void bind_dlpack(nb::module_& m) {
  // For libraries that never write: no copy, though it can't be said that memory is read-only. Some
  // of them end the process where memory is not aligned as they need it.
  m.def(
      "_dlpack_for_readers",
      [](nb::handle array) {
        const Array a = as_array(array, "__dlpack__");
        Regular r = regular_of(a, "__dlpack__");
        check<TypeError>(!is_time(r.dtype), "__dlpack__: DLPack has no times; see values_astype");
        const Device here = a.device();
        if (reinterpret_cast<uintptr_t>(r.data) % kAlignment != 0) r = copied(r, here);
        if (here == Device::cuda) gpu().let_wait(kLegacyStream);
        return capsule_of<Managed>(r, here, 0);
      },
      "array"_a);
}

}  // namespace serrate::python
