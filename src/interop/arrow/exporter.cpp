// Exporting stored trees: what holds for all levels, missing values, memory.
#include "interop/arrow/exporter.h"

#include <cstring>

#include "core/json_text.h"
#include "core/pack_bits.h"
#include "graph/backend.h"
#include "graph/device.h"
#include "graph/evaluate.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {

using graph::ColumnRef;
using graph::constant;
using graph::Node;
using graph::NodeKind;
using graph::SpaceRef;

std::string_view parameter(const Node& n, std::string_view key) {
  for (const auto& [k, json] : n.parameters) {
    if (k == key) return json;
  }
  return {};
}

std::optional<Field> arrow_parameter(const Node& n) {
  const std::string_view json = parameter(n, "__arrow__");
  if (json.empty()) return {};
  std::string format = core::json_string(json).value_or("");
  Field f;
  f.keys_sorted = format == "+m,sorted";
  if (f.keys_sorted || format == "+m") {
    f.format = "+m";
    f.kind = Kind::list;
    f.is_map = true;
    return f;
  }
  ArrowSchema s{};
  s.format = format.c_str();
  s.release = [](ArrowSchema*) {};
  try {
    return read_schema(s);
  } catch (const ValueError&) {
    return {};  // somebody else's parameter
  }
}

Buffer items_of_column(const ColumnRef& c, int64_t first, int64_t count) {
  if (c->kind == graph::ColumnKind::constant) {
    check<ValueError>(count == 0, "to_arrow: the array is not evaluated");
    return {};
  }
  return c->buffer.slice(first * itemsize(c->dtype), count * itemsize(c->dtype));
}

Buffer computed(const Buffer& from, DType t, int64_t n, DType to,
                ColumnRef (*f)(const ColumnRef&, int64_t), int64_t argument) {
  if (n == 0) return {};
  const SpaceRef rows = graph::rows(n);
  const ColumnRef c = graph::cast(f(graph::stored_column(from, t, rows), argument), to);
  const graph::NodeRef out = graph::evaluate(graph::list_node(rows, graph::leaf(c)));
  return items_of_column(out->contents[0]->column, 0, n);
}

Buffer Exporter::placed(const Buffer& host) const { return graph::to_device(host, device_); }

// Arrow lets producers leave this open (-1); libcudf 26.10 takes that for a number.
int64_t Exporter::missing_on_device(const Buffer& bytes, int64_t n) const {
  if (!o_.count_nulls) return -1;
  const SpaceRef rows = graph::rows(n);
  const ColumnRef valid = graph::stored_column(bytes, DType::boolean, rows);
  return n - graph::look(graph::reduce(Reducer::sum, rows, graph::cast(valid, DType::int64)));
}

std::pair<Buffer, int64_t> Exporter::bits(const Buffer& bytes, int64_t n) const {
  if (n == 0) return {Buffer(), 0};
  const int64_t size = (n + 7) / 8;
  if (!on_host(bytes)) {
    // As an expression: the device adds up eight of them, each at its bit.
    using graph::apply;
    const SpaceRef rows = graph::rows(size);
    const ColumnRef first = apply(Op::multiply, {graph::position(rows), constant(int64_t{8})});
    ColumnRef sum;
    for (int64_t k = 0; k < 8; ++k) {
      const ColumnRef i = apply(Op::add, {first, constant(k)});
      const ColumnRef inside = apply(Op::less, {i, constant(n)});
      const ColumnRef at = apply(Op::minimum, {i, constant(n - 1)});
      const ColumnRef bit = apply(
          Op::where, {apply(Op::logical_and, {inside, graph::load(bytes, DType::boolean, at)}),
                      constant(Scalar::of(int64_t{1} << k, DType::uint8)),
                      constant(Scalar::of(int64_t{0}, DType::uint8))});
      sum = sum ? apply(Op::bitwise_or, {sum, bit}) : bit;
    }
    const graph::NodeRef out = graph::evaluate(graph::list_node(rows, graph::leaf(sum)));
    return {items_of_column(out->contents[0]->column, 0, size), missing_on_device(bytes, n)};
  }
  void* made = nullptr;
  const Buffer b = Buffer::allocate(size, &made);
  auto* out = static_cast<uint8_t*>(made);
  const auto* in = bytes.as<uint8_t>();
  const int64_t there = pack_bits(in, n, out);
  return {b, o_.count_nulls ? n - there : -1};
}

Exporter::Mask Exporter::mask_of(const Node& option, int64_t first, int64_t count,
                                 const Mask& above) const {
  Mask m{&option, {}};
  if (!graph::is_unmasked(option) && option.column->kind == graph::ColumnKind::load)
    m.valid = items_of_column(option.column, first, count);
  else if (!graph::is_unmasked(option) && count > 0)
    m.valid = [&] {
      void* made = nullptr;
      Buffer none = Buffer::allocate(count, &made);
      std::memset(made, 0, static_cast<size_t>(count));
      return placed(none);
    }();
  if (above.valid.data() == nullptr || count == 0) return m;
  if (m.valid.data() == nullptr) {
    m.valid = above.valid;
    return m;
  }
  const SpaceRef rows = graph::rows(count);
  const ColumnRef both =
      graph::apply(Op::logical_and, {graph::stored_column(m.valid, DType::boolean, rows),
                                     graph::stored_column(above.valid, DType::boolean, rows)});
  const graph::NodeRef out = graph::evaluate(graph::list_node(rows, graph::leaf(both)));
  m.valid = items_of_column(out->contents[0]->column, 0, count);
  return m;
}

Made Exporter::begin(const Part& p, std::string format, std::string_view node_type) const {
  Made m;
  m.format = std::move(format);
  m.length = p.count;
  if (p.mask.option != nullptr) m.flags |= ARROW_FLAG_NULLABLE;
  if (p.mask.valid.data() != nullptr && p.count > 0) {
    auto [made, missing] = bits(p.mask.valid, p.count);
    // Bits that say nothing are left out, as Arrow's own libraries do.
    m.buffers.push_back(missing == 0 && o_.count_nulls ? Buffer() : std::move(made));
    m.null_count = missing;
  } else {
    m.buffers.emplace_back();
  }
  finish(m, p, node_type);
  return m;
}

void Exporter::finish(Made& m, const Part& p, std::string_view node_type) const {
  if (o_.extensionarray) {
    AwkwardNode ak;
    ak.node_type = node_type;
    ak.node_parameters = p.n.parameters;
    ak.is_tuple = p.n.is_tuple;
    ak.is_scalar = o_.record_is_scalar;
    if (p.mask.option != nullptr) {
      ak.mask_type = p.n.kind == NodeKind::unknown || p.n.kind == NodeKind::categorical
                         ? "IndexedOptionArray"
                     : p.mask.valid.data() != nullptr ? "ByteMaskedArray"
                                                      : "UnmaskedArray";
      ak.mask_parameters = p.mask.option->parameters;
    } else {
      ak.never_missing = p.n.kind == NodeKind::unknown;
    }
    if (p.n.kind == NodeKind::categorical)
      ak.node_parameters.insert(ak.node_parameters.begin(), {"__array__", "\"categorical\""});
    m.metadata.emplace_back("ARROW:extension:name", "awkward");
    m.metadata.emplace_back("ARROW:extension:metadata", write_awkward(ak));
    return;
  }
  const std::string_view extension = parameter(p.n, "__extension__");
  if (extension.empty() || extension[0] != '{') return;
  size_t pos = 0;
  for (const auto& [key, json] : core::read_json_object(extension, pos)) {
    if (key == "name") m.metadata.emplace_back("ARROW:extension:name", bytes_of_json(json));
    if (key == "metadata") m.metadata.emplace_back("ARROW:extension:metadata", bytes_of_json(json));
  }
}

Made Exporter::make(const Node& n, int64_t first, int64_t count, const Field* want,
                    const Mask& mask) const {
  if (n.kind == NodeKind::option) {
    const Mask inner = mask_of(n, first, count, mask);
    return masked({*n.contents[0], first, count, want, inner});
  }
  return masked({n, first, count, want, mask});
}

Made Exporter::masked(const Part& p) const {
  switch (p.n.kind) {
    case NodeKind::leaf:
      return number(p);
    case NodeKind::list:
      return graph::is_string(p.n) ? text(p) : list(p);
    case NodeKind::option:
      return make(p.n, p.first, p.count, p.want, p.mask);
    case NodeKind::record:
      return record(p);
    case NodeKind::union_:
      return union_of(p);
    case NodeKind::categorical:
      return categorical(p);
    case NodeKind::unknown:
      break;
  }
  return unknown(p);
}

Made Exporter::table(const Node& n, int64_t first, int64_t count, const Field* want) const {
  Mask mask;
  const Node* records = &n;
  if (n.kind == NodeKind::option && n.contents[0]->kind == NodeKind::record) {
    mask = mask_of(n, first, count, {});
    records = n.contents[0].get();
  }
  Made m;
  m.format = "+s";
  m.length = count;
  m.buffers.emplace_back();
  if (records->kind != NodeKind::record || records->is_tuple) {
    m.children.push_back(make(n, first, count, want));
    return m;
  }
  AwkwardTable t;
  t.record = records->parameters;
  t.is_scalar = o_.record_is_scalar;
  if (mask.option != nullptr) {
    t.option = mask.option->parameters;
    t.option_type = mask.valid.data() != nullptr ? "ByteMaskedArray" : "UnmaskedArray";
  }
  for (size_t i = 0; i < records->contents.size(); ++i) {
    const Node& c = *records->contents[i];
    if (c.kind == NodeKind::option) t.optional_fields.push_back((*records->fields)[i]);
    m.children.push_back(make(c, first, count, nullptr, mask));
    m.children.back().name = (*records->fields)[i];
  }
  m.metadata.emplace_back("ak:parameters", write_awkward_table(t));
  return m;
}

}  // namespace serrate::interop::arrow
