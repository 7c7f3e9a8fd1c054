// Memory on the GPU that arguments of kernels name: see memory.h.
#include "kernels/memory.h"

#include "common/checked.h"
#include "convert/dlpack.h"
#include "cuda/device.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/held_once.h"

namespace serrate::python {

using cuda::gpu;

std::optional<Memory> plain_memory(const Array& a) {
  const graph::NodeRef root = a.node();
  if (root->kind != graph::NodeKind::list || graph::is_string(*root)) return {};
  const graph::Node& leaf = *root->contents[0];
  if (leaf.kind != graph::NodeKind::leaf || !leaf.unit.empty()) return {};
  const Buffer& b = leaf.column->buffer;
  if (b.device() != Device::cuda || graph::backend(Device::cuda).pending({&b, 1})) return {};
  const graph::StoredExtent e = graph::stored_extent(root->space);
  Memory m;
  m.dtype = leaf.column->dtype;
  m.data = const_cast<std::byte*>(b.data()) + e.first * itemsize(m.dtype);
  m.items = e.size;
  return m;
}

Memory regular_memory(const Array& a, const char* op) {
  Regular r = regular_of(a, op);
  Memory m;
  m.data = const_cast<std::byte*>(r.data);
  m.dtype = r.dtype;
  m.unit = std::move(r.unit);
  m.shape = std::move(r.shape);
  return m;
}

Memory memory_of_other(nb::handle o) {
  const nb::object i = o.attr("__cuda_array_interface__");
  const nb::object data = i["data"], strides = i.attr("get")("strides");
  Memory m;
  m.dtype = dtype_of_numpy(numpy("dtype")(nb::object(i["typestr"])));
  m.data = reinterpret_cast<std::byte*>(nb::cast<uintptr_t>(nb::object(data[nb::int_(0)])));
  m.read_only = is_true(nb::object(data[nb::int_(1)]));
  for (nb::handle n : nb::iter(nb::object(i["shape"]))) m.shape.push_back(nb::cast<int64_t>(n));
  if (!strides.is_none())
    for (nb::handle n : nb::iter(strides)) m.strides.push_back(nb::cast<int64_t>(n));
  const nb::object stream = i.attr("get")("stream");
  m.stream = stream.is_none() ? 1 : nb::cast<uintptr_t>(stream);
  return m;
}

std::byte* memory_to_write(Array& a, const Memory& m) {
  constexpr int64_t kHandles = 1;  // Python's
  constexpr int kHolders = 2;      // the handle and `root`
  const graph::NodeRef root = a.node();
  const graph::Column* const numbers = graph::numbers_held_once(*root, kHolders);
  if (a.handles() == kHandles && numbers != nullptr &&
      cuda::writable_memory(numbers->buffer) != nullptr)
    return m.data;
  int64_t bytes = itemsize(m.dtype);
  for (const int64_t n : m.dimensions()) bytes *= n;
  void* fresh = nullptr;
  const Buffer b = cuda::allocate(bytes, &fresh);
  if (bytes > 0) gpu().copy(fresh, m.data, bytes);
  a = regular_array(b, m.dtype, m.dimensions(), m.unit, root->parameters);
  return static_cast<std::byte*>(fresh);
}

Array regular_array(const Buffer& b, DType t, std::span<const int64_t> shape,
                    const std::string& unit, const Parameters& parameters) {
  std::vector<graph::SpaceRef> spaces{graph::rows(shape[0])};
  for (size_t k = 1; k < shape.size(); ++k)
    spaces.push_back(graph::stored_fixed(spaces.back(), shape[k]));
  graph::NodeRef n = graph::leaf(graph::stored_column(b, t, spaces.back()), unit);
  for (size_t k = shape.size(); k-- > 1;) n = graph::list_node(spaces[k], n, shape[k]);
  return Array(graph::list_node(spaces[0], n, -1, parameters));
}

}  // namespace serrate::python
