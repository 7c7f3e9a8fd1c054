// Metadata of Awkward Array's in Arrow's.
#include "interop/arrow/awkward.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_text.h"

namespace serrate::interop::arrow {
namespace {

using Json = nlohmann::ordered_json;

Parameters parameters_in(const Json& j) {
  Parameters out;
  if (!j.is_object()) return out;
  for (const auto& [key, value] : j.items()) {
    if (!value.is_null()) out.emplace_back(key, core::canonical_json(value.dump()));
  }
  return out;
}
Parameters parameters_in(const Json& j, const char* key) {
  const auto it = j.find(key);
  return it == j.end() ? Parameters{} : parameters_in(*it);
}
std::string text_in(const Json& j, const char* key) {
  const auto it = j.find(key);
  return it != j.end() && it->is_string() ? it->get<std::string>() : "";
}
bool truth_in(const Json& j, const char* key) {
  const auto it = j.find(key);
  return it != j.end() && it->is_boolean() && it->get<bool>();
}

std::string json_of(const Parameters& p) {
  std::string out = "{";
  for (const auto& [key, json] : p)
    out += fmt::format("{}{}: {}", out.size() > 1 ? ", " : "", json_quote(key), json);
  return out + "}";
}
std::string name_or_null(const std::string& name) {
  return name.empty() ? "null" : json_quote(name);
}

// Texts nested deeper than this are nobody's parameters.
bool is_shallow(std::string_view text) {
  int depth = 0, most = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') most = std::max(most, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return most < 200;
}
std::optional<Json> parsed(std::string_view text) {
  if (!is_shallow(text)) return {};
  Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded()) return {};
  return j;
}

}  // namespace

std::optional<AwkwardNode> read_awkward(std::string_view json) {
  const std::optional<Json> j = parsed(json);
  if (!j || !j->is_object()) return {};
  AwkwardNode n;
  n.mask_type = text_in(*j, "mask_type");
  n.node_type = text_in(*j, "node_type");
  n.mask_parameters = parameters_in(*j, "mask_parameters");
  n.node_parameters = parameters_in(*j, "node_parameters");
  n.is_tuple = truth_in(*j, "record_is_tuple");
  n.is_scalar = truth_in(*j, "record_is_scalar");
  n.never_missing = truth_in(*j, "is_nonnullable_nulltype");
  return n;
}

std::string write_awkward(const AwkwardNode& n) {
  const bool record = n.node_type == "RecordArray";
  return fmt::format(
      R"({{"mask_type": {}, "node_type": {}, "mask_parameters": {}, "node_parameters": {}, )"
      R"("record_is_tuple": {}, "record_is_scalar": {}, "is_nonnullable_nulltype": {}, )"
      R"("option_type": false}})",
      name_or_null(n.mask_type), name_or_null(n.node_type),
      n.mask_type.empty() ? "null" : json_of(n.mask_parameters), json_of(n.node_parameters),
      !record      ? "null"
      : n.is_tuple ? "true"
                   : "false",
      n.is_scalar, n.never_missing);
}

std::optional<AwkwardTable> read_awkward_table(std::string_view json) {
  const std::optional<Json> j = parsed(json);
  if (!j || !j->is_array()) return {};
  AwkwardTable t;
  for (const Json& part : *j) {
    if (!part.is_object()) continue;
    for (const auto& [key, value] : part.items()) {
      if (key == "optiontype_fields" && value.is_array()) {
        for (const Json& name : value) {
          if (name.is_string()) t.optional_fields.push_back(name.get<std::string>());
        }
      } else if (key == "record_is_scalar") {
        t.is_scalar = value.is_boolean() && value.get<bool>();
      } else if (key == "RecordArray") {
        t.record = parameters_in(value);
      } else if (key == "UnmaskedArray" || key == "BitMaskedArray" || key == "ByteMaskedArray" ||
                 key == "IndexedOptionArray") {
        t.option_type = key;
        t.option = parameters_in(value);
      }
    }
  }
  return t;
}

std::string write_awkward_table(const AwkwardTable& t) {
  std::string names;
  for (const std::string& name : t.optional_fields)
    names += (names.empty() ? "" : ", ") + json_quote(name);
  std::string out = fmt::format(R"([{{"optiontype_fields": [{}]}}, {{"record_is_scalar": {}}}, )",
                                names, t.is_scalar);
  if (t.option) out += fmt::format(R"({{"{}": {}}}, )", t.option_type, json_of(*t.option));
  return out + fmt::format(R"({{"RecordArray": {}}}])", json_of(t.record));
}

}  // namespace serrate::interop::arrow
