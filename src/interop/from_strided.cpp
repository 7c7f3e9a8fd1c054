// N-d memory as nested regular lists.
#include <algorithm>
#include <cstring>

#include "core/host.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "interop/foreign.h"
#include "serrate/error.h"
#include "serrate/io.h"

namespace serrate {
namespace {

using graph::ColumnRef;
using graph::SpaceRef;
using Sizes = std::vector<int64_t>;

// Strides of C order.
Sizes packed_strides(const Sizes& shape, DType t) {
  Sizes strides(shape.size());
  int64_t step = itemsize(t);
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

bool is_packed(const Sizes& shape, const Sizes& strides, DType t) {
  const Sizes packed = packed_strides(shape, t);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1 && strides[d] != packed[d]) return false;
  }
  return true;
}

void copy_items(const std::byte* from, std::byte*& to, const Sizes& shape, const Sizes& strides,
                size_t d, size_t size) {
  if (d == shape.size()) {
    std::memcpy(to, from, size);
    to += size;
    return;
  }
  for (int64_t i = 0; i < shape[d]; ++i)
    copy_items(from + i * strides[d], to, shape, strides, d + 1, size);
}

}  // namespace

Array from_strided(const Buffer& data, DType t, const Sizes& shape, const Sizes& given,
                   int64_t offset, const std::string& unit) {
  const int64_t size = itemsize(t);
  Type::number(t, unit);  // refuses a bad unit
  check<ValueError>(given.empty() || given.size() == shape.size(),
                    "from_strided: {} strides for {} dimensions", given.size(), shape.size());
  int64_t items = 1;
  for (const int64_t n : shape) {
    check<ValueError>(n >= 0, "from_strided: a dimension of length {}", n);
    items = graph::items_of(items, n);
  }
  Sizes strides = given.empty() ? packed_strides(shape, t) : given;
  // The range of bytes that the items cover.
  __int128 low = offset, high = static_cast<__int128>(offset) + size;
  for (size_t d = 0; d < shape.size(); ++d) {
    const __int128 reach = static_cast<__int128>(shape[d] - 1) * strides[d];
    (reach < 0 ? low : high) += reach;
  }
  check<ValueError>(items == 0 || data.data() != nullptr,
                    "from_strided: the address of the memory is null");
  check<ValueError>(items == 0 || (low >= 0 && high <= data.bytes()),
                    "from_strided: items lie at bytes {} to {}, the memory has {}",
                    static_cast<int64_t>(low), static_cast<int64_t>(high), data.bytes());

  bool aligned = reinterpret_cast<uintptr_t>(data.data() + offset) %
                     static_cast<uintptr_t>(is_complex(t) ? size / 2 : size) ==
                 0;
  const bool packed = is_packed(shape, strides, t);
  for (size_t d = 0; d < shape.size(); ++d) aligned &= shape[d] <= 1 || strides[d] % size == 0;
  const bool host = on_host(data);
  check<ValueError>(host || aligned, "from_strided: items on the GPU are not aligned");
  const bool copied = host && (t == DType::boolean || !aligned);
  Buffer buffer;
  if (items == 0) {
    strides = packed_strides(shape, t);
  } else if (copied) {
    void* out = nullptr;
    buffer = packed ? data.slice(offset, items * size) : Buffer::allocate(items * size, &out);
    if (!packed) {
      auto* to = static_cast<std::byte*>(out);
      copy_items(data.data() + offset, to, shape, strides, 0, static_cast<size_t>(size));
    }
    buffer = interop::usable(buffer, t, false);
    if (t == DType::boolean) buffer = interop::zeros_and_ones(buffer, true);
    strides = packed_strides(shape, t);
  } else {
    const auto from = static_cast<int64_t>(low);
    buffer = data.slice(from, static_cast<int64_t>(high) - from);
    offset -= from;
  }
  if (items == 0 || copied || packed) offset = 0;

  if (shape.empty())
    return Array(graph::leaf(graph::stored_column(buffer, t, graph::unit()), unit));
  std::vector<SpaceRef> levels{graph::rows(shape[0])};
  for (size_t d = 1; d < shape.size(); ++d)
    levels.push_back(graph::stored_fixed(levels.back(), shape[d]));
  const SpaceRef& inner = levels.back();
  ColumnRef column;
  if (items == 0 || is_packed(shape, strides, t)) {
    column = graph::stored_column(buffer, t, inner);
  } else {
    ColumnRef index = graph::constant(offset / size);
    for (size_t d = 0; d < shape.size(); ++d) {
      const ColumnRef step = graph::constant(strides[d] / size);
      const ColumnRef i = graph::lift(graph::local(levels[d]), levels[d], inner);
      index = graph::apply(Op::add, {graph::apply(Op::multiply, {i, step}), index});
    }
    column = graph::load(buffer, t, index);
  }
  graph::NodeRef node = graph::leaf(column, unit);
  for (size_t d = levels.size(); d-- > 0;)
    node = graph::list_node(levels[d], node, d == 0 ? -1 : shape[d]);
  return Array(std::move(node));
}

}  // namespace serrate
