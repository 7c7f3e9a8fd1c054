// Building trees of forms: buffers, numbers, masks.
#include "interop/importer.h"

#include <string>
#include <string_view>
#include <utility>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "interop/foreign.h"
#include "interop/snapshot.h"
#include "serrate/error.h"

namespace serrate::interop {

using graph::ColumnRef;
using graph::NodeRef;
using graph::SpaceRef;

namespace {

int64_t times(int64_t n, int64_t size, const Form& f) {
  check<ValueError>(size == 0 || n <= kMaxItems / size, "from_buffers: {} has too many items",
                    f.describe());
  return n * size;
}

}  // namespace

NodeRef with_parameters_of(const Form& f, const NodeRef& n) {
  if (f.parameters.empty()) return n;
  auto* copy = new graph::Node(*n);
  for (const auto& [key, json] : f.parameters) {
    std::erase_if(copy->parameters, [&k = key](const auto& kv) { return kv.first == k; });
    copy->parameters.emplace_back(key, json);
  }
  return copy;
}
NodeRef option_of(const Form& f, const ColumnRef& valid, const NodeRef& content) {
  return with_parameters_of(f, graph::option_node(valid, content));
}

NodeRef Importer::build(const Form& f, int64_t n, const SpaceRef& s, const Used& used) const {
  check<ValueError>(n <= kMaxItems, "from_buffers: {} would have {} items", f.describe(), n);
  switch (f.kind) {
    case FormClass::empty:
      check<ValueError>(n == 0, "from_buffers: {} has no values, but {} are expected", f.describe(),
                        n);
      return graph::unknown_node();
    case FormClass::numpy:
      return numbers(f, n, s);
    case FormClass::regular: {
      const SpaceRef child = graph::stored_fixed(s, f.size);
      return graph::list_node(child, build(f.contents[0], times(n, f.size, f), child), f.size,
                              f.parameters);
    }
    case FormClass::list:
      return how_.only_used ? used_lists(f, n, s, used) : lists(f, n, s);
    case FormClass::list_offset:
      return how_.only_used ? used_lists(f, n, s, used) : offset_lists(f, n, s);
    case FormClass::record: {
      std::vector<NodeRef> contents;
      for (const auto& c : f.contents) contents.push_back(build(c, n, s, used));
      if (f.is_tuple) return graph::tuple_node(std::move(contents), f.parameters);
      return graph::record_node(f.fields, std::move(contents), f.parameters);
    }
    case FormClass::indexed:
      return indexed(f, n, s);
    case FormClass::indexed_option:
      return indexed_option(f, n, s);
    case FormClass::byte_masked:
    case FormClass::bit_masked: {
      const Buffer valid = f.kind == FormClass::byte_masked ? byte_mask(f, n) : bit_mask(f, n);
      return option_of(f, graph::stored_column(valid, DType::boolean, s),
                       build(f.contents[0], n, s));
    }
    case FormClass::unmasked:
      return option_of(f, graph::constant(Scalar::boolean(true)), build(f.contents[0], n, s));
    case FormClass::union_:
      return union_of(f, n, s);
  }
  return graph::unknown_node();
}

Buffer Importer::get(const Form& f, const char* attribute, DType t, int64_t n) const {
  // As Awkward, which formats Python's None.
  const std::string name = key_(f.form_key.empty() ? "None" : f.form_key, attribute);
  Buffer b = container_(name);
  const int64_t need = n * itemsize(t);
  check<ValueError>(b.bytes() >= need,
                    "from_buffers: buffer \"{}\" ({} of {}) is too short: {} items of {} need {} "
                    "bytes, found {}",
                    name, attribute, f.describe(), n, serrate::name(t), need, b.bytes());
  check<ValueError>(need == 0 || b.data() != nullptr,
                    "from_buffers: the address of buffer \"{}\" ({} of {}) is null", name,
                    attribute, f.describe());
  if (b.bytes() != need) b = b.slice(0, need);
  if (!on_host(b)) {
    device_ = b.device();
    // What must be looked at to be checked is looked at on the host.
    const bool plain =
        std::string_view(attribute) == "data" && t != DType::boolean && !swap_ &&
        reinterpret_cast<uintptr_t>(b.data()) % static_cast<uintptr_t>(itemsize(t)) == 0;
    if (how_.leave_numbers && plain) return b;
    b = graph::to_host(b);
  }
  // Whoever writes to it later would change the array, and undo what is checked here.
  const bool is_data = std::string_view(attribute) == "data" && t != DType::boolean;
  return lasting(usable(b, t, swap_), is_data);
}

NodeRef Importer::numbers(const Form& f, int64_t n, SpaceRef s) const {
  std::vector<SpaceRef> levels;
  for (const int64_t size : f.inner_shape) {
    n = times(n, size, f);
    s = graph::stored_fixed(s, size);
    levels.push_back(s);
  }
  Buffer data = get(f, "data", f.dtype, n);
  if (f.dtype == DType::boolean) data = zeros_and_ones(data, true);
  // Parameters belong to the outermost level.
  NodeRef out = graph::leaf(graph::stored_column(data, f.dtype, s), f.unit,
                            levels.empty() ? f.parameters : Parameters{});
  for (size_t i = levels.size(); i-- > 0;)
    out = graph::list_node(levels[i], out, f.inner_shape[i], i == 0 ? f.parameters : Parameters{});
  return out;
}

Buffer Importer::byte_mask(const Form& f, int64_t n) const {
  return zeros_and_ones(get(f, "mask", DType::int8, n), f.valid_when);
}

Buffer Importer::bit_mask(const Form& f, int64_t n) const {
  const Buffer bits = get(f, "mask", DType::uint8, (n + 7) / 8);
  void* out = nullptr;
  Buffer valid = Buffer::allocate(n, &out);
  const auto* in = bits.as<uint8_t>();
  for (int64_t i = 0; i < n; ++i) {
    const int shift = static_cast<int>(f.lsb_order ? i & 7 : 7 - (i & 7));
    static_cast<uint8_t*>(out)[i] = ((in[i >> 3] >> shift & 1) != 0) == f.valid_when;
  }
  return valid;
}

}  // namespace serrate::interop
