// strings_astype: texts parsed as numbers.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "graph/evaluate.h"
#include "ops/categories.h"
#include "ops/contents.h"
#include "ops/input.h"
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
  check<ValueError>(error == std::errc() && end == t.data() + t.size(),
                    "strings_astype: '{}' is not {}", all, kind);
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

/// Where a list over `space` has an item that anybody may look at: options above tell.
NodeRef parsed(const SpaceRef& space, const NodeRef& n, DType to, const std::byte* valid) {
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
  const bool half = to == DType::float16 || is_complex(to);
  const DType t = half ? DType::float64 : to;
  const StoredExtent e = stored_extent(space);
  const int64_t size = itemsize(t);
  void* writable = nullptr;
  const Buffer out = Buffer::allocate((e.first + e.size) * size, &writable);
  auto* at = static_cast<std::byte*>(writable);
  const auto* text = static_cast<const char*>(stored_data(n->contents[0]->column));
  const Parse parse_one = parser(t);
  for (int64_t i = 0; i < e.size; i++) {
    std::byte* slot = at + (e.first + i) * size;
    std::memset(slot, 0, static_cast<size_t>(size));
    if (valid && valid[e.first + i] == std::byte{0}) continue;
    const int64_t begin = stored_offset(n->space, i), end = stored_offset(n->space, i + 1);
    parse_one(begin == end ? std::string_view()
                           : std::string_view(text + begin, static_cast<size_t>(end - begin)),
              slot);
  }
  return leaf(cast(stored_column(out, t, space), to));
}

}  // namespace

Array strings_astype(const Array& x, DType to) {
  check<TypeError>(!is_time(to), "strings_astype: conversion to times is not supported");
  if (x.device() == Device::cuda)  // read where text is read
    return to_backend(strings_astype(to_backend(x, Device::cpu), to), Device::cuda);
  return Array(parsed(unit(), x.evaluate().node(), to, nullptr));
}

}  // namespace serrate
