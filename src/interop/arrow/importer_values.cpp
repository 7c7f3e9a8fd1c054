// Importing Arrow's numbers, times, decimals and texts.
#include <charconv>
#include <cstring>

#include "graph/backend.h"
#include "graph/evaluate.h"
#include "graph/limits.h"
#include "interop/arrow/decimals.h"
#include "interop/arrow/importer.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {

using graph::apply;
using graph::ColumnRef;
using graph::constant;
using graph::NodeRef;
using graph::SpaceRef;

namespace {

constexpr int kMostViewBytes = 12;  // what a view holds itself

// Item `skip` of each group of `every` ones.
ColumnRef strided(const Buffer& b, DType t, const SpaceRef& s, int64_t every, int64_t skip) {
  ColumnRef i = apply(Op::multiply, {graph::position(s), constant(every)});
  if (skip != 0) i = apply(Op::add, {i, constant(skip)});
  return graph::load(b, t, i);
}

NodeRef bytes_node(const Buffer& data, const SpaceRef& lists, bool is_utf8, int64_t size,
                   Parameters p) {
  p.insert(p.begin(), {"__array__", is_utf8 ? "\"string\"" : "\"bytestring\""});
  const NodeRef items = graph::leaf(graph::stored_column(data, DType::uint8, lists), {},
                                    {{"__array__", is_utf8 ? "\"char\"" : "\"byte\""}});
  return graph::list_node(lists, items, size, std::move(p));
}

std::string quoted(std::string_view text) { return json_quote(text); }

}  // namespace

Parameters parameters_of(const Field& f) {
  Parameters p;
  if (f.format.size() == 1 && f.metadata.empty()) return p;
  const auto says = [&](const char* key, std::string json) {
    p.emplace_back(key, std::move(json));
  };
  if (!f.zone.empty()) says("timezone", quoted(f.zone));
  const bool of_day = f.format.starts_with("tt") || f.format == "tdm";
  if (of_day || f.kind == Kind::interval || f.kind == Kind::decimal || f.is_map)
    says("__arrow__", quoted(f.is_map && f.keys_sorted ? "+m,sorted" : f.format));
  const std::string_view name = f.extension();
  if (!name.empty() && name != "awkward" && name != "arrow.bool8" &&
      (name != "arrow.fixed_shape_tensor" || tensor_shape(f).empty()))
    says("__extension__", fmt::format(R"({{"name": {}, "metadata": {}}})", quoted(name),
                                      bytes_to_json(f.meta("ARROW:extension:metadata"))));
  return p;
}

NodeRef Importer::number(const Field& f, const Items& x) const {
  const Buffer b = memory(f, x, 1, f.stored);
  ColumnRef c = graph::stored_column(b, f.stored, x.s);
  if (f.extension() == "arrow.bool8" && f.dtype == DType::int8)
    c = apply(Op::not_equal, {c, constant(Scalar::of(int64_t{0}, DType::int8))});
  else if (f.stored != f.dtype)
    c = graph::cast(c, f.dtype);
  return graph::leaf(c, f.unit, parameters_of(f));
}

NodeRef Importer::decimal(const Field& f, const Items& x) const {
  const Buffer b = memory(f, x, 1, x.begin(), x.n, f.width, std::min<int64_t>(f.width, 8));
  const bool whole = is_whole(f.precision, f.scale);
  ColumnRef c;
  if (f.precision <= 18 || x.n == 0) {
    // The low word holds all of it.
    c = f.width == 4 ? graph::cast(graph::stored_column(b, DType::int32, x.s), DType::int64)
                     : strided(b, DType::int64, x.s, std::max<int64_t>(1, f.width / 8), 0);
    if (f.scale < 0 && whole)
      c = apply(Op::multiply, {c, constant(power_of_ten(-f.scale))});
    else if (!whole && f.scale <= 0)
      c = apply(Op::multiply,
                {graph::cast(c, DType::float64), constant(Scalar::of(decimal_scale(-f.scale)))});
    else if (!whole)
      c = apply(Op::divide,
                {graph::cast(c, DType::float64), constant(Scalar::of(decimal_scale(f.scale)))});
  } else {
    const Buffer host = graph::to_host(b);
    c = graph::stored_column(
        placed(decimals_to_doubles(host.data(), x.n, static_cast<int>(f.width), f.scale)),
        DType::float64, x.s);
  }
  return graph::leaf(c, {}, parameters_of(f));
}

NodeRef Importer::interval(const Field& f, const Items& x) const {
  const Buffer b = memory(f, x, 1, x.begin(), x.n, f.width, f.width == 8 ? 4 : 8);
  const auto part = [&](DType t, int64_t every, int64_t skip) {
    return graph::leaf(strided(b, t, x.s, every, skip));
  };
  if (f.width == 8)
    return graph::record_node({"days", "milliseconds"},
                              {part(DType::int32, 2, 0), part(DType::int32, 2, 1)},
                              parameters_of(f));
  return graph::record_node(
      {"months", "days", "nanoseconds"},
      {part(DType::int32, 4, 0), part(DType::int32, 4, 1), part(DType::int64, 2, 1)},
      parameters_of(f));
}

NodeRef Importer::text(const Field& f, const Items& x) const {
  const Offsets o = offsets(f, x, graph::kMaxItems);
  const Buffer data = memory(f, x, 2, 0, o.last, 1, 1);
  const SpaceRef lists = graph::stored_list(
      x.s, o.buffer, f.width == 8 ? DType::int64 : DType::int32, {o.first, o.last - o.first, -1});
  return bytes_node(data, lists, f.is_utf8, -1, parameters_of(f));
}

NodeRef Importer::fixed_bytes(const Field& f, const Items& x) const {
  const SpaceRef lists = graph::stored_fixed(x.s, f.width);
  return bytes_node(memory(f, x, 1, x.begin(), x.n, f.width, 1), lists, false, f.width,
                    parameters_of(f));
}

// Texts of views lie in several buffers and in the views: they are brought together.
NodeRef Importer::text_view(const Field& f, const Items& x) const {
  const Buffer b = graph::to_host(memory(f, x, 1, x.begin(), x.n, 16, 8));
  const int64_t buffers = x.n == 0 ? 0 : x.array->n_buffers - 3;
  const Buffer sizes =
      graph::to_host(memory(f, x, x.n == 0 ? 0 : x.array->n_buffers - 1, 0, buffers, 8, 8));
  const Buffer valid = [&]() -> Buffer {
    const bool some = x.n > 0 && x.array->null_count != 0 && x.array->buffers[0] != nullptr;
    if (!some) return {};
    const int64_t begin = x.begin();
    return graph::to_host(memory(f, x, 0, begin >> 3, ((begin & 7) + x.n + 7) >> 3, 1, 1));
  }();
  const auto is_valid = [&, shift = x.begin() & 7](int64_t i) {
    const int64_t k = i + shift;
    return valid.data() == nullptr || (valid.as<uint8_t>()[k >> 3] >> (k & 7) & 1) != 0;
  };
  for (int64_t k = 0; k < buffers; ++k)
    check<ValueError>(sizes.as<int64_t>()[k] >= 0, "from_arrow: buffer {} of {} has {} bytes", k, f,
                      sizes.as<int64_t>()[k]);
  struct View {
    int32_t size, prefix, buffer, offset;
  };
  static_assert(sizeof(View) == 16);
  const auto* views = b.as<View>();
  void* made = nullptr;
  const Buffer offsets = Buffer::allocate((x.n + 1) * 8, &made);
  auto* out = static_cast<int64_t*>(made);
  out[0] = 0;
  for (int64_t i = 0; i < x.n; ++i) {
    const View& v = views[i];
    const bool there = is_valid(i);
    if (there) {
      check<ValueError>(v.size >= 0, "from_arrow: text {} of {} has {} bytes", i, f, v.size);
      if (v.size > kMostViewBytes) {
        const bool ok = v.buffer >= 0 && v.buffer < buffers && v.offset >= 0 &&
                        sizes.as<int64_t>()[v.buffer] >= int64_t{v.offset} + v.size;
        check<ValueError>(ok, "from_arrow: text {} of {} is outside of buffer {}", i, f, v.buffer);
      }
    }
    out[i + 1] = out[i] + (there ? v.size : 0);
  }
  std::vector<Buffer> parts;  // on the host
  for (int64_t k = 0; k < buffers; ++k)
    parts.push_back(graph::to_host(memory(f, x, 2 + k, 0, sizes.as<int64_t>()[k], 1, 1)));
  const Buffer data = Buffer::allocate(out[x.n], &made);
  auto* to = static_cast<char*>(made);
  for (int64_t i = 0; i < x.n; ++i) {
    const int64_t size = out[i + 1] - out[i];
    if (size == 0) continue;
    const View& v = views[i];
    const auto* from = size <= kMostViewBytes
                           ? reinterpret_cast<const char*>(&v.prefix)
                           : parts[static_cast<size_t>(v.buffer)].as<char>() + v.offset;
    std::memcpy(to + out[i], from, static_cast<size_t>(size));
  }
  const int64_t total = out[x.n];
  const bool is_small = total < INT32_MAX;
  if (is_small) {
    // As most texts have them; each one is written behind where the next ones are read.
    for (int64_t i = 0; i <= x.n; ++i) {
      const auto offset = static_cast<int32_t>(out[i]);
      std::memcpy(reinterpret_cast<std::byte*>(out) + 4 * i, &offset, sizeof offset);
    }
  }
  const SpaceRef lists =
      graph::stored_list(x.s, placed(offsets.slice(0, (x.n + 1) * (is_small ? 4 : 8))),
                         is_small ? DType::int32 : DType::int64, {0, total, -1});
  return bytes_node(placed(data), lists, f.is_utf8, -1, parameters_of(f));
}

}  // namespace serrate::interop::arrow
