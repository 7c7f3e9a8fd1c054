// Exporting numbers, times, decimals and texts.
#include <cstring>

#include "core/json_text.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "interop/arrow/decimals.h"
#include "interop/arrow/exporter.h"
#include "serrate/error.h"

namespace serrate::interop::arrow {

using graph::apply;
using graph::ColumnRef;
using graph::constant;
using graph::Node;
using graph::NodeKind;

namespace {

constexpr std::string_view format_of(DType t) {
  switch (t) {
    case DType::int8:
      return "c";
    case DType::uint8:
      return "C";
    case DType::int16:
      return "s";
    case DType::uint16:
      return "S";
    case DType::int32:
      return "i";
    case DType::uint32:
      return "I";
    case DType::int64:
      return "l";
    case DType::uint64:
      return "L";
    case DType::float16:
      return "e";
    case DType::float32:
      return "f";
    case DType::float64:
      return "g";
    default:
      return "";
  }
}

// NumPy's units as those that Arrow has: how many of which.
struct Unit {
  std::string_view numpy;
  int64_t times;
  char datetime, timedelta;  // letters of formats; 0: none
};
constexpr Unit kUnits[] = {{"s", 1, 's', 's'},    {"ms", 1, 'm', 'm'}, {"us", 1, 'u', 'u'},
                           {"ns", 1, 'n', 'n'},   {"m", 60, 's', 's'}, {"h", 3600, 's', 's'},
                           {"D", 1, 'D', 0},      {"W", 7, 'D', 0},    {"D", 86400, 0, 's'},
                           {"W", 604800, 0, 's'}, {"M", 1, 0, 'M'},    {"Y", 12, 0, 'M'}};

ColumnRef same(const ColumnRef& c, int64_t) { return c; }
// The smallest number stays what is no time.
ColumnRef scaled(const ColumnRef& c, int64_t times) {
  const ColumnRef i = graph::cast(c, DType::int64);
  return apply(Op::where, {apply(Op::equal, {i, constant(INT64_MIN)}), i,
                           apply(Op::multiply, {i, constant(times)})});
}

struct Timed {
  std::string format;
  int64_t times;
  bool narrow;  // int32
};
Timed timed(const Node& n) {
  const bool is_datetime = n.column->dtype == DType::datetime64;
  size_t digits = 0;
  while (digits < n.unit.size() && n.unit[digits] >= '0' && n.unit[digits] <= '9') ++digits;
  const int64_t many = digits == 0 || digits > 9 ? 1 : std::stoll(n.unit.substr(0, digits));
  for (const Unit& u : kUnits) {
    const char letter = is_datetime ? u.datetime : u.timedelta;
    if (digits > 9 || u.numpy != std::string_view(n.unit).substr(digits) || letter == 0) continue;
    const int64_t times = u.times * many;
    if (letter == 'D') return {"tdD", times, true};
    if (letter == 'M') return {"tiM", times, true};
    if (!is_datetime) return {fmt::format("tD{}", letter), times, false};
    const std::string zone = core::json_string(parameter(n, "timezone")).value_or("");
    return {fmt::format("ts{}:{}", letter, zone), times, false};
  }
  throw TypeError(fmt::format("to_arrow: {}[{}] has no type of Arrow's; see values_astype",
                              name(n.column->dtype), n.unit));
}

}  // namespace

Made Exporter::number(const Part& p) const {
  const DType t = p.n.column->dtype;
  const Buffer data = items_of_column(p.n.column, p.first, p.count);
  if (t == DType::boolean) {
    Made m = begin(p, "b", "NumpyArray");
    m.buffers.push_back(bits(data, p.count).first);
    return m;
  }
  if (!o_.extensionarray) {
    if (const auto as = arrow_parameter(p.n)) {
      if (as->kind == Kind::decimal && is_exact(as->precision, as->scale) && on_host(data) &&
          t == (is_whole(as->precision, as->scale) ? DType::int64 : DType::float64))
        return decimal(p, *as);
      if (as->kind == Kind::number && as->dtype == t && as->unit == p.n.unit &&
          as->format.starts_with("t")) {
        Made m = begin(p, as->format, "NumpyArray");
        m.buffers.push_back(as->stored == DType::int32
                                ? computed(data, DType::int64, p.count, DType::int32, same, 0)
                                : data);
        return m;
      }
    }
  }
  if (is_time(t)) {
    const Timed as = timed(p.n);
    Made m = begin(p, as.format, "NumpyArray");
    const bool changes = as.narrow || as.times != 1;
    m.buffers.push_back(changes
                            ? computed(data, DType::int64, p.count,
                                       as.narrow ? DType::int32 : DType::int64, scaled, as.times)
                            : data);
    return m;
  }
  check<TypeError>(!is_complex(t),
                   "to_arrow: Arrow has no complex numbers; make records of x.real and x.imag");
  Made m = begin(p, std::string(format_of(t)), "NumpyArray");
  m.buffers.push_back(data);
  return m;
}

Made Exporter::decimal(const Part& p, const Field& as) const {
  Made m = begin(p, as.format, "NumpyArray");
  const Buffer data = items_of_column(p.n.column, p.first, p.count);
  const auto width = static_cast<int>(as.width);
  m.buffers.push_back(p.n.column->dtype == DType::int64
                          ? integers_to_decimals(data.as<int64_t>(), p.count, width, as.scale)
                          : doubles_to_decimals(data.as<double>(), p.count, width, as.scale));
  return m;
}

Made Exporter::interval(const Part& p, const Field& as) const {
  Made m = begin(p, as.format, "RecordArray");
  void* made = nullptr;
  const Buffer b = Buffer::allocate(p.count * as.width, &made);
  int64_t at = 0;
  for (const auto& c : p.n.contents) {
    const int64_t size = itemsize(c->column->dtype);
    const Buffer part = graph::to_host(items_of_column(c->column, p.first, p.count));
    for (int64_t i = 0; i < p.count; ++i)
      std::memcpy(static_cast<std::byte*>(made) + i * as.width + at, part.data() + i * size,
                  static_cast<size_t>(size));
    at += size;
  }
  m.buffers.push_back(placed(b));
  return m;
}

Made Exporter::unknown(const Part& p) const {
  if (o_.emptyarray_to.empty()) {
    Made m;
    m.format = "n";
    m.length = m.null_count = p.count;
    m.flags = ARROW_FLAG_NULLABLE;
    finish(m, p, "EmptyArray");
    return m;
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    if (name(t) != o_.emptyarray_to || is_time(t) || is_complex(t)) continue;
    const bool is_boolean = t == DType::boolean;
    Made m = begin(p, is_boolean ? "b" : std::string(format_of(t)), "NumpyArray");
    void* made = nullptr;
    const int64_t bytes = is_boolean ? (p.count + 7) / 8 : p.count * itemsize(t);
    const Buffer zeros = Buffer::allocate(bytes, &made);
    if (bytes > 0) std::memset(made, 0, static_cast<size_t>(bytes));
    m.buffers.push_back(placed(zeros));
    return m;
  }
  throw TypeError(
      fmt::format("to_arrow: emptyarray_to is \"{}\", expected the name of a number's "
                  "type",
                  o_.emptyarray_to));
}

Made Exporter::text(const Part& p) const {
  const bool utf8 = parameter(p.n, "__array__") == "\"string\"";
  const ColumnRef& column = p.n.contents[0]->column;
  const Field* want = p.want;
  const bool is_wanted = want != nullptr && want->kind == Kind::text;
  if (p.n.size >= 0 && !utf8 && !is_wanted) {
    const Lists l = lists(p, false);
    Made m = begin(p, fmt::format("w:{}", p.n.size), "RegularArray");
    m.buffers.push_back(items_of_column(column, l.first, l.items));
    return m;
  }
  const bool to32 = is_wanted ? want->width == 4 : utf8 ? o_.string_to32 : o_.bytestring_to32;
  Lists l = lists(p, to32);
  if (l.offsets.data() == nullptr) {
    void* made = nullptr;
    l.offsets = Buffer::allocate((p.count + 1) * 8, &made);
    for (int64_t i = 0; i <= p.count; ++i) static_cast<int64_t*>(made)[i] = i * p.n.size;
    l.offsets = placed(l.offsets);
    l.type = DType::int64;
  }
  const Buffer data = items_of_column(column, l.first, l.items);
  if (want != nullptr && want->kind == Kind::text_view && on_host(data) && l.items < INT32_MAX) {
    struct View {
      int32_t size;
      char prefix[4];
      int32_t buffer, offset;
    };
    Made m = begin(p, utf8 ? "vu" : "vz", "ListOffsetArray");
    void* made = nullptr;
    m.buffers.push_back(Buffer::allocate(p.count * 16, &made));
    const auto fill = [&](const auto* o) {
      for (int64_t i = 0; i < p.count; ++i) {
        View v{static_cast<int32_t>(o[i + 1] - o[i]), {}, 0, 0};
        const auto* from = data.as<char>() + o[i];
        if (v.size <= 12) {
          std::memcpy(v.prefix, from, static_cast<size_t>(std::min(v.size, 4)));
          char rest[8] = {};
          if (v.size > 4) std::memcpy(rest, from + 4, static_cast<size_t>(v.size - 4));
          std::memcpy(&v.buffer, rest, 8);
        } else {
          std::memcpy(v.prefix, from, 4);
          v.offset = static_cast<int32_t>(o[i]);
        }
        std::memcpy(static_cast<View*>(made) + i, &v, sizeof v);
      }
    };
    l.type == DType::int32 ? fill(l.offsets.as<int32_t>()) : fill(l.offsets.as<int64_t>());
    m.buffers.push_back(data);
    m.buffers.push_back(Buffer::copy_of(&l.items, 8));
    return m;
  }
  const bool is_small = l.type == DType::int32;
  Made m = begin(p, utf8 ? (is_small ? "u" : "U") : is_small ? "z" : "Z", "ListOffsetArray");
  m.buffers.push_back(l.offsets);
  m.buffers.push_back(data);
  return m;
}

}  // namespace serrate::interop::arrow
