// strings_astype: texts parsed as numbers and times.
#include "ops/elementwise/strings_astype.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/host.h"
#include "core/types/parse_time.h"
#include "graph/evaluate.h"
#include "graph/operation.h"
#include "ops/tree/categories.h"
#include "ops/tree/contents.h"
#include "ops/tree/input.h"
#include "serrate/error.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using namespace graph;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r\f\v");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r\f\v") - first + 1);
}

template <class T>
T number(std::string_view text, const char* kind) {
  const std::string_view all = trimmed(text);
  std::string_view t = all;
  if (!t.empty() && t[0] == '+') t.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
  check<ValueError>(error == std::errc() && end == t.data() + t.size(), "'{}' is not {}", all,
                    kind);
  return value;
}

template <class T>
void parse(std::string_view text, std::byte* out) {
  T value;
  if constexpr (std::is_same_v<T, bool>)
    value = number<int64_t>(text, "an integer") != 0;
  else if constexpr (std::is_floating_point_v<T>)
    value = static_cast<T>(number<double>(text, "a number"));
  else
    value = number<T>(text, "an integer in the range of the type");
  std::memcpy(out, &value, sizeof value);
}

using Parse = void (*)(std::string_view, std::byte*);

Parse parser(DType t) {
  switch (t) {
    case DType::boolean:
      return parse<bool>;
    case DType::int8:
      return parse<int8_t>;
    case DType::int16:
      return parse<int16_t>;
    case DType::int32:
      return parse<int32_t>;
    case DType::int64:
      return parse<int64_t>;
    case DType::uint8:
      return parse<uint8_t>;
    case DType::uint16:
      return parse<uint16_t>;
    case DType::uint32:
      return parse<uint32_t>;
    case DType::uint64:
      return parse<uint64_t>;
    case DType::float32:
      return parse<float>;
    default:
      return parse<double>;
  }
}

// The strings of a list over `space`, but those that an option above hides.
struct Texts {
  Texts(const SpaceRef& space, const NodeRef& strings, const std::byte* valid)
      : strings_(strings),
        extent(stored_extent(space)),
        valid_(valid),
        bytes_(static_cast<const char*>(stored_data(strings->contents[0]->column))) {}

  /// f(position in the domain of the space, text) for each; errors say which one it was.
  template <class F>
  void each(F&& f) const {
    for (int64_t i = 0; i < extent.size; i++) {
      const int64_t at = extent.first + i;
      if (valid_ && valid_[at] == std::byte{0}) continue;
      const int64_t begin = stored_offset(strings_->space, i),
                    end = stored_offset(strings_->space, i + 1);
      const std::string_view text =
          begin == end ? std::string_view()
                       : std::string_view(bytes_ + begin, static_cast<size_t>(end - begin));
      try {
        f(at, text);
      } catch (const ValueError& e) {
        throw ValueError(fmt::format("strings_astype: string {}: {}", i, e.what()));
      }
    }
  }

 private:
  NodeRef strings_;

 public:
  StoredExtent extent;

 private:
  const std::byte* valid_;
  const char* bytes_;
};

struct Target {
  DType type;
  std::string unit;
};

NodeRef numbers(const SpaceRef& space, const Texts& texts, DType to) {
  const bool half = to == DType::float16 || is_complex(to);
  const DType t = half ? DType::float64 : to;
  const int64_t size = itemsize(t), items = texts.extent.first + texts.extent.size;
  void* writable = nullptr;
  const Buffer out = Buffer::allocate(items * size, &writable);
  std::memset(writable, 0, static_cast<size_t>(items * size));
  auto* at = static_cast<std::byte*>(writable);
  const Parse parse_one = parser(t);
  texts.each([&](int64_t i, std::string_view text) { parse_one(text, at + i * size); });
  return leaf(cast(stored_column(out, t, space), to));
}

NodeRef times(const SpaceRef& space, const Texts& texts, const Target& to) {
  std::string unit = to.unit;
  if (unit.empty() && to.type == DType::datetime64) {
    int finest = -1;
    texts.each([&](int64_t, std::string_view text) {
      const core::ParsedTime t = core::parse_datetime(text);
      if (!t.is_nat) finest = std::max(finest, t.unit);
    });
    if (finest >= 0) unit = core::kTimeUnits[finest];
  }
  void* writable = nullptr;
  const int64_t items = texts.extent.first + texts.extent.size;
  const Buffer out = Buffer::allocate(items * 8, &writable);
  auto* at = static_cast<int64_t*>(writable);
  std::fill_n(at, items, 0);
  texts.each([&](int64_t i, std::string_view text) {
    at[i] = to.type == DType::timedelta64
                ? core::parse_timedelta(text)
                : core::datetime_in(core::parse_datetime(text), unit.empty() ? "s" : unit);
  });
  return leaf(stored_column(out, to.type, space), unit);
}

/// `valid`: where a list over `space` has an item that anybody may look at; null: everywhere.
NodeRef parsed(const SpaceRef& space, const NodeRef& n, const Target& to, const std::byte* valid) {
  switch (n->kind) {
    case NodeKind::list:
      if (is_string(*n)) break;
      return list_node(n->space, parsed(n->space, n->contents[0], to, nullptr), n->size,
                       n->parameters);
    case NodeKind::option: {
      const bool constant = n->column->kind == ColumnKind::constant;
      const auto* bits = constant ? nullptr : static_cast<const std::byte*>(stored_data(n->column));
      return option_node(n->column, parsed(space, n->contents[0], to, bits));
    }
    case NodeKind::categorical:
      return ops::with_categories(space, n, parsed(n->space, n->contents[0], to, nullptr));
    case NodeKind::record:
    case NodeKind::union_: {
      std::vector<NodeRef> contents;
      for (const auto& c : n->contents) contents.push_back(parsed(space, c, to, nullptr));
      if (n->kind == NodeKind::union_) return union_node(n->column, contents, n->parameters);
      return ops::record_like(*n, std::move(contents));
    }
    default:
      return n;
  }
  const Texts texts(space, n, valid);
  return is_time(to.type) ? times(space, texts, to) : numbers(space, texts, to.type);
}

}  // namespace

Array ops::strings_astype(const Array& x, DType to, const std::string& unit) {
  const graph::Operation operation;
  if (const Device there = x.device(); !is_host(there))  // read where text is read
    return to_backend(strings_astype(to_backend(x, Device::cpu), to, unit), there);
  return Array(parsed(graph::unit(), x.evaluate().node(), {to, unit}, nullptr));
}

Array strings_astype(const Array& x, DType to) { return ops::strings_astype(x, to, {}); }

}  // namespace serrate
