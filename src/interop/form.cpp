// Reading forms from JSON.
#include "interop/form.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/json_text.h"
#include "core/types/time_unit.h"
#include "serrate/error.h"

namespace serrate::interop {
namespace {

using Json = nlohmann::ordered_json;

// Awkward 1 has the type of the offsets or index in the name of the class.
struct ClassName {
  std::string_view name;
  FormClass kind;
  std::string_view suffixes;  // "|"-separated
};
constexpr ClassName kClasses[] = {
    {"EmptyArray", FormClass::empty, ""},
    {"NumpyArray", FormClass::numpy, ""},
    {"RegularArray", FormClass::regular, ""},
    {"ListArray", FormClass::list, "32|U32|64"},
    {"ListOffsetArray", FormClass::list_offset, "32|U32|64"},
    {"RecordArray", FormClass::record, ""},
    {"IndexedArray", FormClass::indexed, "32|U32|64"},
    {"IndexedOptionArray", FormClass::indexed_option, "32|64"},
    {"ByteMaskedArray", FormClass::byte_masked, ""},
    {"BitMaskedArray", FormClass::bit_masked, ""},
    {"UnmaskedArray", FormClass::unmasked, ""},
    {"UnionArray", FormClass::union_, "8_32|8_U32|8_64"},
};

std::optional<DType> index_type(std::string_view text) {
  if (text == "i32" || text == "32" || text == "8_32") return DType::int32;
  if (text == "u32" || text == "U32" || text == "8_U32") return DType::uint32;
  if (text == "i64" || text == "64" || text == "8_64") return DType::int64;
  return {};
}

class Parser {
 public:
  Form form(const Json& j, const std::string& where, int depth) const {
    check<ValueError>(depth < kMaxTypeDepth, "from_buffers: forms may be {} levels deep at most",
                      kMaxTypeDepth);
    Form f;
    f.where = where;
    if (j.is_string()) {
      f.kind = FormClass::numpy;
      f.class_name = "NumpyArray";
      primitive(f, j.get<std::string>());
      return f;
    }
    check<ValueError>(j.is_object(),
                      "from_buffers: expected an object or a primitive at {}, got {}", where,
                      j.type_name());
    const std::string name = text(j, f, "class");
    std::string_view suffix;
    const ClassName* found = nullptr;
    for (const auto& c : kClasses) {
      if (!name.starts_with(c.name)) continue;
      suffix = std::string_view(name).substr(c.name.size());
      const std::string all = "|" + std::string(c.suffixes) + "|";
      if (suffix.empty() || (suffix.find('|') == suffix.npos &&
                             all.find("|" + std::string(suffix) + "|") != all.npos))
        found = &c;
      if (found) break;
    }
    check<ValueError>(found != nullptr, "from_buffers: unknown class \"{}\" at {}", name, where);
    f.kind = found->kind;
    f.class_name = found->name;
    common(j, f);
    members(j, f, suffix, depth);
    return f;
  }

 private:
  const Json& member(const Json& j, const Form& f, const char* key) const {
    const auto it = j.find(key);
    check<ValueError>(it != j.end(), "from_buffers: {}{}{} lacks \"{}\"", f.class_name,
                      f.class_name.empty() ? "the form node at " : " at ", f.where, key);
    return *it;
  }
  std::string text(const Json& j, const Form& f, const char* key) const {
    const Json& m = member(j, f, key);
    check<ValueError>(m.is_string(), "from_buffers: \"{}\" of the form node at {} is {}, not text",
                      key, f.where, m.type_name());
    return m.get<std::string>();
  }
  bool boolean(const Json& j, const Form& f, const char* key) const {
    const Json& m = member(j, f, key);
    check<ValueError>(m.is_boolean(), "from_buffers: \"{}\" of {} is {}, not true or false", key,
                      f.describe(), m.type_name());
    return m.get<bool>();
  }
  int64_t size(const Json& m, const Form& f, const char* key) const {
    const bool ok = m.is_number_integer() &&
                    !(m.is_number_unsigned() && m.get<uint64_t>() > uint64_t{1} << 62) &&
                    m.get<int64_t>() >= 0;
    check<ValueError>(ok, "from_buffers: \"{}\" of {} must be a size, is {}", key, f.describe(),
                      m.dump());
    return m.get<int64_t>();
  }
  Form child(const Json& j, const Form& f, const std::string& name, int depth) const {
    return form(j, f.where + "." + name, depth + 1);
  }
  void one_of(const Json& j, const Form& f, const char* key,
              std::initializer_list<const char*> allowed) const {
    if (!j.contains(key)) return;  // Awkward 1 said it with the class
    const std::string t = text(j, f, key);
    for (const char* a : allowed) {
      if (t == a) return;
    }
    throw ValueError(
        fmt::format("from_buffers: \"{}\" of {} can't be \"{}\"", key, f.describe(), t));
  }

  void common(const Json& j, Form& f) const {
    if (const auto k = j.find("form_key"); k != j.end() && !k->is_null())
      f.form_key = text(j, f, "form_key");
    const auto p = j.find("parameters");
    if (p == j.end() || p->is_null()) return;
    check<ValueError>(p->is_object(), "from_buffers: \"parameters\" of {} is {}, not an object",
                      f.describe(), p->type_name());
    for (const auto& [key, value] : p->items()) {
      if (!value.is_null()) f.parameters.emplace_back(key, core::canonical_json(value.dump()));
    }
  }

  void primitive(Form& f, const std::string& name) const {
    const std::string_view base = std::string_view(name).substr(0, name.find('['));
    bool found = false;
    for (int t = 0; t < kDTypeCount; ++t) {
      if (serrate::name(static_cast<DType>(t)) != base) continue;
      f.dtype = static_cast<DType>(t);
      found = true;
    }
    std::string_view rest = std::string_view(name).substr(base.size());
    if (found && !rest.empty()) {
      found = is_time(f.dtype) && rest.size() > 2 && rest.back() == ']';
      if (found) {
        const auto unit = core::canonical_time_unit(rest.substr(1, rest.size() - 2));
        found = unit.has_value();
        f.unit = unit.value_or("");
      }
    }
    check<ValueError>(found, "from_buffers: unknown primitive \"{}\" at {}", name, f.where);
  }

  void index_member(const Json& j, Form& f, const char* key, std::string_view suffix) const {
    const auto from_name = index_type(suffix);
    if (!j.contains(key) && from_name) {
      f.index = *from_name;
      return;
    }
    const std::string t = text(j, f, key);
    const auto type = t.size() == 3 ? index_type(t) : std::nullopt;
    const bool ok = type && !(f.kind == FormClass::indexed_option && *type == DType::uint32);
    check<ValueError>(ok, "from_buffers: \"{}\" of {} can't be \"{}\"", key, f.describe(), t);
    f.index = *type;
  }

  void members(const Json& j, Form& f, std::string_view suffix, int depth) const {
    switch (f.kind) {
      case FormClass::empty:
        return;
      case FormClass::numpy:
        primitive(f, text(j, f, "primitive"));
        if (const auto s = j.find("inner_shape"); s != j.end() && !s->is_null()) {
          check<ValueError>(s->is_array(), "from_buffers: \"inner_shape\" of {} is not a list",
                            f.describe());
          for (const auto& n : *s) f.inner_shape.push_back(size(n, f, "inner_shape"));
          check<ValueError>(depth + static_cast<int>(f.inner_shape.size()) < kMaxTypeDepth,
                            "from_buffers: forms may be {} levels deep at most", kMaxTypeDepth);
        }
        return;
      case FormClass::record:
        record(j, f, depth);
        return;
      case FormClass::union_: {
        one_of(j, f, "tags", {"i8"});
        index_member(j, f, "index", suffix);
        const Json& contents = member(j, f, "contents");
        check<ValueError>(contents.is_array() && contents.size() < 128,
                          "from_buffers: \"contents\" of {} must be a list of up to 127 forms",
                          f.describe());
        for (size_t i = 0; i < contents.size(); ++i)
          f.contents.push_back(child(contents[i], f, fmt::format("contents[{}]", i), depth));
        return;
      }
      case FormClass::regular:
        f.size = size(member(j, f, "size"), f, "size");
        break;
      case FormClass::list: {
        index_member(j, f, "starts", suffix);
        const DType starts = f.index;
        index_member(j, f, "stops", suffix);
        check<ValueError>(starts == f.index, "from_buffers: starts and stops of {} differ in type",
                          f.describe());
        break;
      }
      case FormClass::list_offset:
        index_member(j, f, "offsets", suffix);
        break;
      case FormClass::indexed:
      case FormClass::indexed_option:
        index_member(j, f, "index", suffix);
        break;
      case FormClass::byte_masked:
      case FormClass::bit_masked:
        one_of(j, f, "mask", {"i8", "u8"});
        f.valid_when = boolean(j, f, "valid_when");
        if (f.kind == FormClass::bit_masked) f.lsb_order = boolean(j, f, "lsb_order");
        break;
      case FormClass::unmasked:
        break;
    }
    f.contents.push_back(child(member(j, f, "content"), f, "content", depth));
    if (const auto a = f.parameter("__array__"); a == "\"string\"" || a == "\"bytestring\"")
      string_content(f, a == "\"string\"" ? "\"char\"" : "\"byte\"");
  }

  // Lists that are text hold bytes.
  void string_content(Form& f, const char* letter) const {
    if (f.kind != FormClass::list && f.kind != FormClass::list_offset &&
        f.kind != FormClass::regular)
      return;
    Form& c = f.contents[0];
    check<ValueError>(
        c.kind == FormClass::numpy && c.dtype == DType::uint8 && c.inner_shape.empty(),
        "from_buffers: {} is text, so its content must be a NumpyArray of uint8, got {}",
        f.describe(), c.class_name);
    if (c.parameter("__array__").empty()) c.parameters.emplace_back("__array__", letter);
  }

  void record(const Json& j, Form& f, int depth) const {
    const Json& contents = member(j, f, "contents");
    const auto fields = j.find("fields");
    f.is_tuple = (fields == j.end() || fields->is_null()) && !contents.is_object();
    if (contents.is_object()) {
      for (const auto& [key, value] : contents.items()) f.fields.push_back(key);
    } else {
      check<ValueError>(contents.is_array(), "from_buffers: \"contents\" of {} is not a list",
                        f.describe());
      if (!f.is_tuple) {
        check<ValueError>(fields->is_array(), "from_buffers: \"fields\" of {} is not a list",
                          f.describe());
        for (const auto& n : *fields) {
          check<ValueError>(n.is_string(), "from_buffers: a field name of {} is {}, not text",
                            f.describe(), n.type_name());
          f.fields.push_back(n.get<std::string>());
        }
        check<ValueError>(f.fields.size() == contents.size(),
                          "from_buffers: {} has {} fields and {} contents", f.describe(),
                          f.fields.size(), contents.size());
      }
    }
    size_t i = 0;
    for (const auto& c : contents) {
      const std::string name = f.is_tuple ? fmt::format("contents[{}]", i) : f.fields[i];
      f.contents.push_back(child(c, f, name, depth));
      ++i;
    }
  }
};

// Refuses nesting that no form needs, so that recursion over the JSON is safe.
void check_nesting(std::string_view json) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      check<ValueError>(++depth <= 4 * kMaxTypeDepth, "from_buffers: the form is nested too deep");
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

}  // namespace

std::string_view Form::parameter(std::string_view key) const {
  for (const auto& [k, json] : parameters) {
    if (k == key) return json;
  }
  return {};
}

Form parse_form(std::string_view json) {
  check_nesting(json);
  Json j;
  // A bare primitive need not be quoted.
  const size_t first = json.find_first_not_of(" \t\r\n");
  if (first != json.npos && json[first] >= 'a' && json[first] <= 'z') {
    j = std::string(json.substr(first, json.find_last_not_of(" \t\r\n") + 1 - first));
  } else {
    j = Json::parse(json, nullptr, false);
    check<ValueError>(!j.is_discarded(), "from_buffers: the form is not valid JSON");
  }
  return Parser().form(j, "form", 0);
}

}  // namespace serrate::interop
