// Small arrays for tests: made from a type and JSON, shown as "type | JSON".
#pragma once

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "core/types/with_number.h"
#include "graph/evaluate.h"
#include "serrate/array.h"
#include "serrate/type.h"

namespace serrate::testing {

using nlohmann::json;

template <class F>
auto with_dtype(DType t, F&& f) {
  return with_number(t == DType::boolean ? DType::uint8 : t, f);
}

/// Which member of a union takes a JSON value.
inline bool takes(const Type& t, const json& v) {
  switch (t.kind()) {
    case Type::Kind::option:
      return v.is_null() || takes(t.content(), v);
    case Type::Kind::string:
    case Type::Kind::bytestring:
      return v.is_string();
    case Type::Kind::list:
    case Type::Kind::regular:
      return v.is_array();
    case Type::Kind::record:
      return v.is_object();
    case Type::Kind::number:
      return t.dtype() == DType::boolean ? v.is_boolean()
             : is_floating(t.dtype())    ? v.is_number()
                                         : v.is_number_integer();
    default:
      return false;
  }
}

inline graph::NodeRef store(const Type& t, const std::vector<json>& v, const graph::SpaceRef& s) {
  using namespace graph;
  const auto n = v.size();
  auto column = [&](DType d, auto&& value) {
    return with_dtype(d, [&]<class T>(T) {
      std::vector<T> items;
      for (size_t i = 0; i < n; i++) items.push_back(static_cast<T>(value(v[i])));
      return stored_column(Buffer::copy_of(items.data(), static_cast<int64_t>(n * sizeof(T))), d,
                           s);
    });
  };
  auto lists = [&](auto&& append) {
    std::vector<json> items;
    std::vector<int64_t> offsets{0};
    for (const auto& x : v) {
      append(items, x);
      offsets.push_back(static_cast<int64_t>(items.size()));
    }
    const Buffer b = Buffer::copy_of(offsets.data(), static_cast<int64_t>(8 * offsets.size()));
    return std::pair{stored_list(s, b, DType::int64), items};
  };
  auto append_array = [](std::vector<json>& items, const json& x) {
    for (const auto& y : x) items.push_back(y);
  };
  switch (t.kind()) {
    case Type::Kind::number:
      return leaf(column(t.dtype(),
                         [](const json& x) {
                           if (x.is_boolean()) return x.get<bool>() ? 1.0 : 0.0;
                           if (x.is_string())
                             return std::strtod(x.get<std::string>().c_str(), nullptr);
                           return x.is_number() ? x.get<double>() : 0.0;
                         }),
                  std::string(t.unit()));
    case Type::Kind::unknown:
      return unknown_node();
    case Type::Kind::list: {
      auto [child, items] = lists(append_array);
      return list_node(child, store(t.content(), items, child));
    }
    case Type::Kind::regular: {
      std::vector<json> items;
      for (const auto& x : v) {
        for (int64_t i = 0; i < t.size(); i++)
          items.push_back(x.is_array() ? x[static_cast<size_t>(i)] : json());
      }
      const SpaceRef child = stored_fixed(s, t.size());
      return list_node(child, store(t.content(), items, child), t.size());
    }
    case Type::Kind::string: {
      auto [child, items] = lists([](std::vector<json>& out, const json& x) {
        if (!x.is_string()) return;
        for (unsigned char c : x.get<std::string>()) out.push_back(static_cast<int>(c));
      });
      NodeRef bytes = store(Type::number(DType::uint8), items, child);
      return list_node(child, leaf(bytes->column, "", {{"__array__", "\"char\""}}), -1,
                       {{"__array__", "\"string\""}});
    }
    case Type::Kind::option:
      return option_node(column(DType::boolean, [](const json& x) { return !x.is_null(); }),
                         store(t.content(), v, s));
    case Type::Kind::record: {
      std::vector<NodeRef> contents;
      for (size_t f = 0; f < t.contents().size(); f++) {
        std::vector<json> items;
        for (const auto& x : v) {
          items.push_back(x.is_null()    ? json()
                          : t.is_tuple() ? x[f]
                                         : x[std::string(t.fields()[f])]);
        }
        contents.push_back(store(t.content(f), items, s));
      }
      if (t.is_tuple()) return tuple_node(contents, t.parameters());
      return record_node({t.fields().begin(), t.fields().end()}, contents, t.parameters());
    }
    case Type::Kind::union_: {
      std::vector<NodeRef> contents;
      auto tag_of = [&](const json& x) {
        for (size_t i = 0; i < t.contents().size(); i++) {
          if (takes(t.content(i), x)) return i;
        }
        throw ValueError("no member of the union takes " + x.dump());
      };
      for (size_t k = 0; k < t.contents().size(); k++) {
        std::vector<json> items;
        for (const auto& x : v) items.push_back(tag_of(x) == k ? x : json());
        contents.push_back(store(t.content(k), items, s));
      }
      return union_node(column(DType::int8, tag_of), contents);
    }
    default:
      throw ValueError("testing: cannot store " + t.str());
  }
}

/// array("3 * var * int64", "[[1, 2], [], [3]]")
inline Array array(const std::string& type, const std::string& text) {
  const Type t = parse_type(type);
  const json v = json::parse(text);
  if (!t.is(Type::Kind::array)) return Array(store(t, {v}, graph::unit()));
  const auto rows = graph::rows(t.size());
  return Array(graph::list_node(rows, store(t.content(), {v.begin(), v.end()}, rows)));
}

/// NaN and infinities have no JSON: they are shown as text.
inline json number_json(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  return v;
}

inline json value_at(const graph::Node& n, int64_t i) {
  using namespace graph;
  auto number = [&](const ColumnRef& c) -> json {
    if (c->kind == ColumnKind::constant) {
      if (c->dtype == DType::boolean) return c->scalar.i != 0;
      if (is_floating(c->dtype)) return number_json(c->scalar.f);
      return c->scalar.i;
    }
    const auto* p = static_cast<const std::byte*>(stored_data(c)) + i * itemsize(c->dtype);
    if (is_complex(c->dtype)) {
      double z[2];
      float f[2];
      std::memcpy(c->dtype == DType::complex128 ? static_cast<void*>(z) : f, p,
                  static_cast<size_t>(itemsize(c->dtype)));
      if (c->dtype == DType::complex64) z[0] = f[0], z[1] = f[1];
      return json::array({z[0], z[1]});
    }
    return with_dtype(c->dtype, [&]<class T>(T v) -> json {
      std::memcpy(&v, p, sizeof(T));
      if (c->dtype == DType::boolean) return v != 0;
      if constexpr (std::is_floating_point_v<T>) return number_json(v);
      return v;
    });
  };
  switch (n.kind) {
    case NodeKind::leaf:
      return number(n.column);
    case NodeKind::list: {
      json items = json::array();
      int64_t from = 0, to = n.space->size;
      if (n.space->kind != SpaceKind::rows) {
        const int64_t first = stored_extent(n.space->parent).first;
        from = stored_offset(n.space, i - first);
        to = stored_offset(n.space, i - first + 1);
      }
      if (is_string(n)) {
        std::string text;
        for (int64_t j = from; j < to; j++)
          text += static_cast<char>(value_at(*n.contents[0], j).get<int>());
        return text;
      }
      for (int64_t j = from; j < to; j++) items.push_back(value_at(*n.contents[0], j));
      return items;
    }
    case NodeKind::option:
      return number(n.column) == true ? value_at(*n.contents[0], i) : json();
    case NodeKind::record: {
      json fields = n.is_tuple ? json::array() : json::object();
      for (size_t f = 0; f < n.contents.size(); f++) {
        if (n.is_tuple)
          fields.push_back(value_at(*n.contents[f], i));
        else
          fields[(*n.fields)[f]] = value_at(*n.contents[f], i);
      }
      return fields;
    }
    case NodeKind::union_:
      return value_at(*n.contents[number(n.column).get<size_t>()], i);
    default:
      return json();
  }
}

/// "3 * int64 | [3,0,3]": the evaluated value.
inline std::string show(const Array& a) {
  const std::string type = a.type().str();
  a.evaluate();
  // The type was known before anything ran; evaluation must not change it.
  const std::string after = a.type().str();
  return (type == after ? type : type + " became " + after) + " | " + value_at(*a.node(), 0).dump();
}

}  // namespace serrate::testing
