// Schemas as columns, and columns as forms: see schema.h.
#include "io/json/schema.h"

#include <nlohmann/json.hpp>

#include "io/json/target.h"
#include "serrate/error.h"

namespace serrate::io {
namespace {

using Json = nlohmann::ordered_json;

void append_bytes(builder::Bytes& a, const builder::Bytes& b) {
  if (b.size) std::memcpy(a.grow(b.size), b.memory.block->data, static_cast<size_t>(b.size));
}

std::string quoted(const Json& x) { return x.dump(-1, ' ', true); }

int64_t regular_size(const Json& schema) {
  const auto least = schema.find("minItems"), most = schema.find("maxItems");
  if (least == schema.end() || most == schema.end() || *least != *most) return -1;
  check<TypeError>(least->is_number_unsigned(),
                   "from_json: the schema's minItems and maxItems must be integers, got {}",
                   quoted(*least));
  return least->get<int64_t>();
}

const Json& member(const Json& schema, const char* name, const char* of) {
  const auto found = schema.find(name);
  check<TypeError>(found != schema.end(), "from_json: the schema is not concrete: {} without '{}'",
                   of, name);
  return *found;
}

// The one type besides "null".
std::string type_name(const Json& schema, bool& optional) {
  const Json& type = member(schema, "type", "a level");
  if (type.is_string()) return type.get<std::string>();
  check<TypeError>(type.is_array(), "from_json: no type of a JSONSchema: {}", quoted(type));
  std::vector<std::string> names;
  for (const Json& t : type) {
    check<TypeError>(t.is_string(), "from_json: no type of a JSONSchema: {}", quoted(type));
    if (t == "null")
      optional = true;
    else
      names.push_back(t.get<std::string>());
  }
  check<TypeError>(names.size() == 1,
                   "from_json: a schema with unions of types: {}; leave it out, "
                   "then types are found while reading",
                   quoted(type));
  return names[0];
}

void add_categories(SchemaColumn& c, const Json& values) {
  c.type = SchemaType::category;
  check<TypeError>(values.is_array() && !values.empty(),
                   "from_json: the schema's enum must be a list of strings, got {}",
                   quoted(values));
  for (const Json& v : values) {
    check<TypeError>(v.is_string(),
                     "from_json: the schema's enum must be a list of strings, got {}",
                     quoted(values));
    if (c.index.try_emplace(v.get<std::string>(), c.names.size()).second)
      c.names.push_back(v.get<std::string>());
  }
}

std::unique_ptr<SchemaColumn> column(const Json& schema, int depth) {
  check<TypeError>(schema.is_object(), "from_json: no JSONSchema: {}", quoted(schema));
  check<ValueError>(depth + 3 < kMaxTypeDepth, "from_json: a schema of too many levels");
  auto out = std::make_unique<SchemaColumn>();
  SchemaColumn& c = *out;
  const std::string type = type_name(schema, c.optional);
  if (type == "boolean") {
    c.type = SchemaType::boolean;
  } else if (type == "integer") {
    c.type = SchemaType::integer;
  } else if (type == "number") {
    c.type = SchemaType::number;
  } else if (type == "string") {
    c.type = SchemaType::string;
    if (const auto e = schema.find("enum"); e != schema.end()) add_categories(c, *e);
  } else if (type == "array") {
    c.size = regular_size(schema);
    c.type = c.size >= 0 ? SchemaType::regular : SchemaType::list;
    c.contents.push_back(column(member(schema, "items", "an array"), depth + 1));
  } else {
    check<TypeError>(type == "object", "from_json: no type of a JSONSchema: '{}'", type);
    const Json& properties = member(schema, "properties", "an object");
    check<TypeError>(properties.is_object(),
                     "from_json: the schema's properties must be an object");
    for (const auto& [name, p] : properties.items()) {
      c.index.emplace(name, c.names.size());
      c.names.push_back(name);
      c.contents.push_back(column(p, depth + 1));
    }
  }
  return out;
}
Json string_form(const std::string& key) {
  Json chars = {{"class", "NumpyArray"}, {"primitive", "uint8"}, {"form_key", key + "c"}};
  chars["parameters"] = {{"__array__", "char"}};
  Json out = {{"class", "ListOffsetArray"}, {"offsets", "i64"}, {"content", chars}};
  out["parameters"] = {{"__array__", "string"}};
  out["form_key"] = key;
  return out;
}

// The offsets behind a 0.
Buffer with_zero(const builder::Bytes& b) {
  void* out = nullptr;
  Buffer made = Buffer::allocate(b.size + 8, &out);
  std::memset(out, 0, 8);
  if (b.size)
    std::memcpy(static_cast<char*>(out) + 8, b.memory.block->data, static_cast<size_t>(b.size));
  return made;
}

Buffer of_bytes(const builder::Bytes& b) { return b.memory.buffer(b.size); }

}  // namespace

std::unique_ptr<SchemaColumn> schema_column(const Json& schema) { return column(schema, 0); }

void SchemaColumn::pad() {
  switch (type) {
    case SchemaType::boolean:
      return push(uint8_t{0});
    case SchemaType::string:
      return push(text.size);
    case SchemaType::list:
      return push(contents[0]->length);
    case SchemaType::regular:
      for (int64_t i = 0; i < size; ++i) {
        if (contents[0]->optional) *contents[0]->valid.grow(1) = std::byte{0};
        contents[0]->pad();
      }
      break;
    case SchemaType::object:
      for (auto& c : contents) {
        if (c->optional) *c->valid.grow(1) = std::byte{0};
        c->pad();
      }
      break;
    case SchemaType::category:
      return push(int64_t{optional ? -1 : 0});
    default:
      return push(int64_t{0});
  }
  ++length;
}

void SchemaColumn::append(const SchemaColumn& b) {
  append_bytes(valid, b.valid);
  const int64_t base = type == SchemaType::string ? text.size
                       : type == SchemaType::list ? contents[0]->length
                                                  : 0;
  const int64_t before = data.size;
  append_bytes(data, b.data);
  if (base) {
    auto* offsets =
        reinterpret_cast<int64_t*>(static_cast<std::byte*>(data.memory.block->data) + before);
    for (int64_t i = 0; i < (data.size - before) / 8; ++i) offsets[i] += base;
  }
  append_bytes(text, b.text);
  length += b.length;
  for (size_t k = 0; k < contents.size(); ++k) contents[k]->append(*b.contents[k]);
}

void SchemaColumn::make_complex(const std::pair<std::string, std::string>& fields) {
  const auto re = index.find(fields.first), im = index.find(fields.second);
  if (type != SchemaType::object || re == index.end() || im == index.end()) {
    for (auto& c : contents) c->make_complex(fields);
    return;
  }
  builder::Bytes out;
  const SchemaColumn* parts[] = {contents[re->second].get(), contents[im->second].get()};
  for (const SchemaColumn* p : parts) {
    const bool number = p->type == SchemaType::integer || p->type == SchemaType::number;
    if (!number || p->optional) fail_complex(fields);
  }
  const auto at = [&](const SchemaColumn& c, int64_t i) {
    const void* items = c.data.memory.block->data;
    return c.type == SchemaType::integer
               ? static_cast<double>(static_cast<const int64_t*>(items)[i])
               : static_cast<const double*>(items)[i];
  };
  for (int64_t i = 0; i < length; ++i) {
    const double z[] = {at(*parts[0], i), at(*parts[1], i)};
    std::memcpy(out.grow(16), z, 16);
  }
  data = std::move(out);
  type = SchemaType::number;
  size = 16;
  contents.clear();
}

std::unique_ptr<SchemaColumn> SchemaColumn::fresh() const {
  auto out = std::make_unique<SchemaColumn>();
  out->type = type;
  out->optional = optional;
  out->size = size;
  out->names = names;
  out->index = index;
  for (const auto& c : contents) out->contents.push_back(c->fresh());
  return out;
}

Json SchemaColumn::plain_form(std::unordered_map<std::string, Buffer>& buffers,
                              const std::string& key) const {
  const auto number = [&](const char* primitive) {
    buffers[key + "-data"] = of_bytes(data);
    return Json{{"class", "NumpyArray"}, {"primitive", primitive}, {"form_key", key}};
  };
  switch (type) {
    case SchemaType::boolean:
      return number("bool");
    case SchemaType::integer:
      return number("int64");
    case SchemaType::number:
      return number(size == 16 ? "complex128" : "float64");
    case SchemaType::string:
      buffers[key + "-offsets"] = with_zero(data);
      buffers[key + "c-data"] = of_bytes(text);
      return string_form(key);
    case SchemaType::category: {
      builder::Bytes ends, letters;
      for (const std::string& s : names) {
        if (!s.empty())
          std::memcpy(letters.grow(static_cast<int64_t>(s.size())), s.data(), s.size());
        std::memcpy(ends.grow(8), &letters.size, 8);
      }
      buffers[key + "s-offsets"] = with_zero(ends);
      buffers[key + "sc-data"] = of_bytes(letters);
      buffers[key + "-index"] = of_bytes(data);
      Json out = {{"class", optional ? "IndexedOptionArray" : "IndexedArray"}, {"index", "i64"}};
      out["content"] = string_form(key + "s");
      out["parameters"] = {{"__array__", "categorical"}};
      out["form_key"] = key;
      return out;
    }
    case SchemaType::list:
      buffers[key + "-offsets"] = with_zero(data);
      return {{"class", "ListOffsetArray"},
              {"offsets", "i64"},
              {"content", contents[0]->form(buffers)},
              {"form_key", key}};
    case SchemaType::regular:
      return {{"class", "RegularArray"},
              {"size", size},
              {"content", contents[0]->form(buffers)},
              {"form_key", key}};
    case SchemaType::object:
      break;
  }
  Json forms = Json::array();
  for (const auto& c : contents) forms.push_back(c->form(buffers));
  return {{"class", "RecordArray"}, {"fields", names}, {"contents", forms}, {"form_key", key}};
}

Json SchemaColumn::form(std::unordered_map<std::string, Buffer>& buffers) const {
  const std::string key = "node" + std::to_string(buffers.size());
  buffers[key] = {};  // so that names differ
  Json plain = plain_form(buffers, key);
  if (!optional || type == SchemaType::category) return plain;
  buffers[key + "v-mask"] = of_bytes(valid);
  return {{"class", "ByteMaskedArray"},
          {"mask", "i8"},
          {"valid_when", true},
          {"content", plain},
          {"form_key", key + "v"}};
}

}  // namespace serrate::io
