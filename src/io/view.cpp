// Views: the pointers of a stored tree.
#include <cmath>
#include <complex>
#include <cstring>
#include <deque>
#include <limits>

#include "core/host.h"
#include "core/json_text.h"
#include "graph/evaluate.h"
#include "graph/evaluation/text_lists.h"
#include "serrate/error.h"
#include "serrate/ops.h"
#include "serrate/visit.h"

namespace serrate {
namespace {

using graph::ColumnRef;
using graph::Node;
using graph::NodeKind;
using graph::NodeRef;
using graph::SpaceRef;

// What a view needs besides the array: trees evaluated on the way and constants written out.
struct Keep {
  std::deque<NodeRef> nodes;
  std::deque<Buffer> buffers;
  std::deque<std::complex<double>> constants;
};

// Bytes of a constant as an item of its type.
void encode(const Scalar& s, void* out) {
  switch (s.dtype) {
    case DType::float32: {
      const auto x = static_cast<float>(s.f);
      std::memcpy(out, &x, 4);
      break;
    }
    case DType::float16: {
      const uint16_t x = double_to_half(s.f);
      std::memcpy(out, &x, 2);
      break;
    }
    case DType::complex64: {
      const float z[2] = {static_cast<float>(s.f), static_cast<float>(s.im)};
      std::memcpy(out, z, 8);
      break;
    }
    case DType::float64:
    case DType::complex128: {
      const double z[2] = {s.f, s.im};
      std::memcpy(out, z, 16);
      break;
    }
    default:
      std::memcpy(out, &s.i, 8);  // little-endian: the low bytes are the value
  }
}

const void* address(const ColumnRef& c, Keep& keep) {
  if (c->kind != graph::ColumnKind::constant) return graph::stored_data(c);
  keep.constants.emplace_back();
  encode(c->scalar, &keep.constants.back());
  return &keep.constants.back();
}

std::string record_name_of(const Node& n) {
  for (const auto& [key, json] : n.parameters) {
    if (key == "__record__") return core::json_string(json).value_or("");
  }
  return {};
}

// Offsets as one run of memory; the stops of a foreign tree may lie elsewhere.
void set_offsets(View& v, const SpaceRef& s, Keep& keep) {
  if (s->kind == graph::SpaceKind::fixed || s->kind == graph::SpaceKind::rows) {
    v.size = s->size;
    return;
  }
  const auto* starts = static_cast<const std::byte*>(graph::stored_data(s->starts));
  const auto* stops = static_cast<const std::byte*>(graph::stored_data(s->stops));
  const DType t = s->starts->dtype;
  v.offset_width = t == DType::int32 ? 4 : t == DType::uint32 ? 5 : 8;
  v.offsets = starts;
  if (s->stops->dtype == t && stops == starts + itemsize(t)) return;
  const graph::StoredExtent p = graph::stored_extent(s->parent);
  void* out = nullptr;
  keep.buffers.push_back(Buffer::allocate((p.first + p.size + 1) * 8, &out));
  auto* offsets = static_cast<int64_t*>(out);
  std::memset(offsets, 0, static_cast<size_t>(p.first + 1) * 8);
  for (int64_t i = 0; i <= p.size; ++i) offsets[p.first + i] = graph::stored_offset(s, i);
  v.offset_width = 8;
  v.offsets = offsets;
}

View view_of(const Node& n, Keep& keep) {
  View v;
  v.node = &n;
  if (n.column && n.kind != NodeKind::option && n.kind != NodeKind::union_) {
    v.dtype = n.column->dtype;
    v.data = address(n.column, keep);
  }
  auto add_contents = [&] {
    for (const auto& c : n.contents) v.contents.push_back(view_of(*c, keep));
  };
  switch (n.kind) {
    case NodeKind::leaf:
      v.kind = ViewKind::number;
      v.unit = n.unit;
      break;
    case NodeKind::list:
      v.kind = ViewKind::list;
      set_offsets(v, n.space, keep);
      if (const graph::TextKind text = graph::text_kind(n); text != graph::TextKind::none) {
        v.kind = text == graph::TextKind::string ? ViewKind::string : ViewKind::bytestring;
        if (n.contents[0]->column) v.data = address(n.contents[0]->column, keep);
      } else {
        add_contents();
      }
      break;
    case NodeKind::option:
      v.kind = ViewKind::option;
      if (!graph::is_unmasked(n)) v.valid = static_cast<const uint8_t*>(address(n.column, keep));
      add_contents();
      break;
    case NodeKind::record:
      v.kind = n.is_tuple ? ViewKind::tuple : ViewKind::record;
      if (!n.is_tuple) v.names = *n.fields;
      v.record_name = record_name_of(n);
      add_contents();
      break;
    case NodeKind::union_:
      v.kind = ViewKind::union_;
      v.tags = static_cast<const int8_t*>(address(n.column, keep));
      add_contents();
      break;
    case NodeKind::categorical: {
      v.kind = ViewKind::categorical;
      keep.nodes.push_back(graph::evaluate(graph::list_node(n.space, n.contents[0])));
      v.contents.push_back(view_of(*keep.nodes.back()->contents[0], keep));
      break;
    }
    case NodeKind::unknown:
      break;
  }
  return v;
}

}  // namespace

int64_t View::index(int64_t i) const {
  switch (dtype) {
    case DType::int8:
      return number<int8_t>(i);
    case DType::uint8:
      return number<uint8_t>(i);
    case DType::int16:
      return number<int16_t>(i);
    case DType::uint16:
      return number<uint16_t>(i);
    case DType::int32:
      return number<int32_t>(i);
    case DType::uint32:
      return number<uint32_t>(i);
    default:
      return number<int64_t>(i);
  }
}

double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double x;
  if (exponent == 31)
    x = fraction ? std::numeric_limits<double>::quiet_NaN()
                 : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    x = std::ldexp(fraction, -24);
  else
    x = std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -x : x;
}

uint16_t double_to_half(double x) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double a = std::fabs(x);
  if (std::isnan(x)) return 0x7e00;
  if (a >= 65520) return sign | 0x7c00;
  if (a == 0) return sign;
  int e = 0;
  std::frexp(a, &e);         // a = m * 2^e, m in [0.5, 1)
  e = std::max(e - 1, -14);  // subnormals share the smallest exponent
  const double scaled = std::nearbyint(std::ldexp(a, 10 - e));
  const auto units = static_cast<uint16_t>(scaled);  // 1024 .. 2048, less for subnormals
  return static_cast<uint16_t>(sign | (units + ((e + 14) << 10)));
}

ArrayView view(const Array& x) {
  ArrayView a;
  a.array = x;
  a.array.evaluate();
  if (!is_host(a.array.device())) a.array = to_backend(a.array, Device::cpu);
  auto keep = std::make_shared<Keep>();
  keep->nodes.push_back(a.array.node());
  const Node& root = *keep->nodes.back();
  if (root.kind == NodeKind::list && !graph::is_string(root)) {
    a.item = view_of(*root.contents[0], *keep);
    const graph::StoredExtent e = graph::stored_extent(root.space);
    a.first = e.first;
    a.length = e.size;
  } else {
    a.item = view_of(root, *keep);
    a.length = -1;
  }
  a.keep = std::move(keep);
  return a;
}

}  // namespace serrate
