// An evaluated array as Awkward's form and buffers, trimmed to what it uses.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/host.h"
#include "graph/backend.h"
#include "graph/evaluate.h"
#include "interop/foreign.h"
#include "serrate/error.h"
#include "serrate/io.h"

namespace serrate {
namespace {

using graph::ColumnRef;
using graph::Node;
using graph::NodeKind;
using graph::SpaceRef;

std::string_view index_name(DType t) {
  return t == DType::int32 ? "i32" : t == DType::uint32 ? "u32" : "i64";
}

class Exporter {
 public:
  Exporter(const ToBuffersOptions& o, Device device, Buffers& out)
      : o_(o), device_(device), out_(out), next_(o.id_start) {}

  // Form of the items first .. first + n - 1 of the domain of a level.
  std::string form(const Node& n, int64_t first, int64_t count) {
    switch (n.kind) {
      case NodeKind::leaf: {
        const std::string key = next_key();
        put(key, "data", items(n.column, first, count), n.column->dtype, n.unit);
        const std::string& primitive = out_.dtypes.back();
        return node("NumpyArray", fmt::format(R"("primitive": "{}", "inner_shape": [])", primitive),
                    n.parameters, key);
      }
      case NodeKind::list:
        return list(n, first, count);
      case NodeKind::option:
        return option(n, first, count);
      case NodeKind::record:
        return record(n, first, count);
      case NodeKind::union_:
        return union_of(n, first, count);
      case NodeKind::categorical:
        return categorical(n, nullptr, first, count);
      case NodeKind::unknown:
        break;
    }
    return node("EmptyArray", "", {}, next_key());
  }

 private:
  std::string next_key() {
    std::string key = o_.form_key;
    const std::string id = fmt::format("{}", next_++);
    for (size_t at; (at = key.find("{id}")) != key.npos;) key.replace(at, 4, id);
    return key;
  }

  static std::string node(std::string_view kind, std::string_view members, const Parameters& p,
                          const std::string& key) {
    std::string parameters;
    for (const auto& [k, json] : p)
      parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", json_quote(k), json);
    return fmt::format(R"({{"class": "{}", {}{}"parameters": {{{}}}, "form_key": {}}})", kind,
                       members, members.empty() ? "" : ", ", parameters, json_quote(key));
  }

  void put(const std::string& key, const char* attribute, Buffer b, DType t,
           std::string_view unit = {}) {
    if (o_.byteorder == ByteOrder::big) b = interop::swapped(b, t);
    if (on_host(b)) b = graph::to_device(b, device_);
    out_.buffers.emplace_back(o_.key(key, attribute), std::move(b));
    out_.dtypes.push_back(unit.empty() ? std::string(name(t))
                                       : fmt::format("{}[{}]", name(t), unit));
  }

  static Buffer items(const ColumnRef& c, int64_t first, int64_t count) {
    if (c->kind == graph::ColumnKind::constant) {
      check<ValueError>(count == 0 || is_stored(c), "to_buffers: the array is not evaluated");
      return {};
    }
    return c->buffer.slice(first * itemsize(c->dtype), count * itemsize(c->dtype));
  }
  static bool is_stored(const ColumnRef& c) { return c->kind == graph::ColumnKind::load; }

  template <class F>
  Buffer make(int64_t count, DType t, F&& value) {
    void* out = nullptr;
    Buffer b = Buffer::allocate(count * itemsize(t), &out);
    for (int64_t i = 0; i < count; ++i) static_cast<int64_t*>(out)[i] = value(i);
    return b;
  }

  // -- lists --
  static int64_t at(const ColumnRef& c, int64_t p) {
    const Buffer b = graph::to_host(c->buffer.slice(p * itemsize(c->dtype), itemsize(c->dtype)));
    return c->dtype == DType::int32    ? *b.as<int32_t>()
           : c->dtype == DType::uint32 ? *b.as<uint32_t>()
                                       : *b.as<int64_t>();
  }

  template <class T>
  static Buffer offsets_from_zero(const SpaceRef& s, int64_t first, int64_t count) {
    void* out = nullptr;
    Buffer b = Buffer::allocate((count + 1) * static_cast<int64_t>(sizeof(T)), &out);
    auto* o = static_cast<T*>(out);
    const T base = count ? static_cast<T>(at(s->starts, first)) : 0;
    const Buffer stops = graph::to_host(items(s->stops, first, count));
    o[0] = 0;
    for (int64_t i = 0; i < count; ++i) o[i + 1] = stops.as<T>()[i] - base;
    return b;
  }

  std::string list(const Node& n, int64_t first, int64_t count) {
    const SpaceRef& s = n.space;
    const std::string key = next_key();
    const Node& content = *n.contents[0];
    if (n.size >= 0 && s->kind == graph::SpaceKind::fixed) {
      const std::string inner = form(content, first * s->size, count * s->size);
      return node("RegularArray", fmt::format(R"("size": {}, "content": {})", n.size, inner),
                  n.parameters, key);
    }
    int64_t begin = 0, end = 0;
    std::string_view type = "i64";
    if (s->kind == graph::SpaceKind::fixed) {
      // All of one length, but of a type that does not say so.
      begin = first * s->size;
      end = begin + count * s->size;
      put(key, "offsets", make(count + 1, DType::int64, [&](int64_t i) { return i * s->size; }),
          DType::int64);
    } else {
      const DType t = s->starts->dtype;
      const graph::StoredExtent owners = graph::stored_extent(s->parent);
      if (graph::is_stored(s) && owners.first == first && owners.size == count) {
        // Known without a look, often, where offsets are on a GPU.
        const graph::StoredExtent all = graph::stored_extent(s);
        begin = all.first;
        end = all.first + all.size;
      } else if (count) {
        begin = at(s->starts, first);
        end = at(s->stops, first + count - 1);
      }
      if (n.size >= 0)
        return node(
            "RegularArray",
            fmt::format(R"("size": {}, "content": {})", n.size, form(content, begin, end - begin)),
            n.parameters, key);
      type = index_name(t);
      const Buffer& starts = s->starts->buffer;
      const bool whole = begin == 0 && count > 0 &&
                         s->stops->buffer.data() == starts.data() + itemsize(t) &&
                         s->stops->dtype == t;
      Buffer offsets;
      if (whole)  // the last offset lies behind the starts
        offsets = Buffer(starts.data() + first * itemsize(t), (count + 1) * itemsize(t),
                         starts.owner(), starts.device());
      else
        offsets = t == DType::int32    ? offsets_from_zero<int32_t>(s, first, count)
                  : t == DType::uint32 ? offsets_from_zero<uint32_t>(s, first, count)
                                       : offsets_from_zero<int64_t>(s, first, count);
      put(key, "offsets", std::move(offsets), t);
    }
    const std::string inner = form(content, begin, end - begin);
    return node("ListOffsetArray", fmt::format(R"("offsets": "{}", "content": {})", type, inner),
                n.parameters, key);
  }

  // -- options --
  /// Of unknown type, or a record with a field that is.
  static bool has_no_values(const Node& n) {
    return n.kind == NodeKind::unknown ||
           (n.kind == NodeKind::record &&
            std::any_of(n.contents.begin(), n.contents.end(),
                        [](const graph::NodeRef& c) { return has_no_values(*c); }));
  }

  std::string option(const Node& n, int64_t first, int64_t count) {
    const Node& content = *n.contents[0];
    if (content.kind == NodeKind::categorical) return categorical(content, &n, first, count);
    const std::string key = next_key();
    if (has_no_values(content)) {
      // All are missing.
      put(key, "index", make(count, DType::int64, [](int64_t) { return -1; }), DType::int64);
      const std::string inner = form(content, 0, 0);
      return node("IndexedOptionArray", fmt::format(R"("index": "i64", "content": {})", inner),
                  n.parameters, key);
    }
    if (graph::is_unmasked(n))
      return node("UnmaskedArray", fmt::format(R"("content": {})", form(content, first, count)),
                  n.parameters, key);
    put(key, "mask", items(n.column, first, count), DType::int8);
    const std::string inner = form(content, first, count);
    return node("ByteMaskedArray",
                fmt::format(R"("mask": "i8", "valid_when": true, "content": {})", inner),
                n.parameters, key);
  }

  // The index chooses among all categories; with an option, -1 is missing.
  std::string categorical(const Node& n, const Node* option, int64_t first, int64_t count) {
    const std::string key = next_key();
    const DType t = n.column->dtype;
    Parameters p = option ? option->parameters : Parameters{};
    p.insert(p.begin(), {"__array__", "\"categorical\""});
    const bool as_is = !option && (t == DType::int32 || t == DType::uint32 || t == DType::int64);
    Buffer index = as_is ? items(n.column, first, count) : Buffer();
    if (!as_is) {
      View v;
      v.dtype = t;
      const Buffer chosen = graph::to_host(items(n.column, first, count));
      const bool masked = option != nullptr && !graph::is_unmasked(*option);
      const Buffer there = masked ? graph::to_host(items(option->column, first, count)) : Buffer();
      v.data = chosen.data();
      const auto* valid = there.as<uint8_t>();
      index = make(count, DType::int64,
                   [&](int64_t i) { return !valid || valid[i] ? v.index(i) : -1; });
    }
    const DType written = as_is ? t : DType::int64;
    put(key, "index", std::move(index), written);
    const graph::NodeRef values = graph::evaluate(graph::list_node(n.space, n.contents[0]));
    const graph::StoredExtent e = graph::stored_extent(values->space);
    const std::string inner = form(*values->contents[0], e.first, e.size);
    return node(option ? "IndexedOptionArray" : "IndexedArray",
                fmt::format(R"("index": "{}", "content": {})", index_name(written), inner), p, key);
  }

  std::string record(const Node& n, int64_t first, int64_t count) {
    const std::string key = next_key();
    std::string fields, contents;
    for (size_t i = 0; i < n.contents.size(); ++i) {
      const char* comma = i ? ", " : "";
      if (!n.is_tuple) fields += comma + json_quote((*n.fields)[i]);
      contents += comma + form(*n.contents[i], first, count);
    }
    return node("RecordArray",
                fmt::format(R"("fields": {}, "contents": [{}])",
                            n.is_tuple ? "null" : "[" + fields + "]", contents),
                n.parameters, key);
  }

  // Contents are as long as the union, so the index is the position.
  std::string union_of(const Node& n, int64_t first, int64_t count) {
    const std::string key = next_key();
    put(key, "tags", items(n.column, first, count), DType::int8);
    put(key, "index", make(count, DType::int64, [](int64_t i) { return i; }), DType::int64);
    std::string contents;
    for (size_t i = 0; i < n.contents.size(); ++i)
      contents += (i ? ", " : "") + form(*n.contents[i], first, count);
    return node("UnionArray",
                fmt::format(R"("tags": "i8", "index": "i64", "contents": [{}])", contents),
                n.parameters, key);
  }

  const ToBuffersOptions& o_;
  Device device_;
  Buffers& out_;
  int64_t next_;
};

}  // namespace

Buffers to_buffers(const Array& x, const ToBuffersOptions& o) {
  x.evaluate();
  const graph::NodeRef root = x.node();
  check<TypeError>(root->kind == NodeKind::list && !graph::is_string(*root),
                   "to_buffers: expected an array, got {}", x.type().str());
  const graph::StoredExtent e = graph::stored_extent(root->space);
  check<ValueError>(is_host(x.device()) || o.byteorder == ByteOrder::little,
                    "to_buffers: big-endian buffers can't be made on the GPU: "
                    "to_backend(x, \"cpu\") first");
  Buffers out;
  out.length = e.size;
  out.form_json = Exporter(o, x.device(), out).form(*root->contents[0], e.first, e.size);
  return out;
}

}  // namespace serrate
