// The nodes of types: makers, accessors, parameters and equality.
#include "serrate/type.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/json_text.h"
#include "core/types/name_index.h"
#include "serrate/error.h"
#include "time_unit.h"

namespace serrate {

struct Type::Node {
  Kind kind = Kind::unknown;
  DType dtype = DType::int64;
  bool tuple = false;
  int depth = 1;
  int64_t size = kUnknownSize;
  std::string unit = {};
  std::vector<std::string> fields = {};
  std::vector<Type> contents = {};
  std::shared_ptr<const Parameters> parameters = nullptr;
};

namespace {

void check_size(int64_t size, const char* what) {
  check<ValueError>(size >= 0 || size == kUnknownSize, "type: {} must not be negative, got {}",
                    what, size);
}

/// Two fields may have one name (x[["a", "a"]]): the first is found.
void check_names(const std::vector<std::string>& names, size_t contents) {
  check<ValueError>(names.size() == contents, "type: record has {} field names for {} contents",
                    names.size(), contents);
}

std::string_view find(const Parameters& parameters, std::string_view key) {
  for (const auto& [k, v] : parameters) {
    if (k == key) return v;
  }
  return {};
}

bool same_parameters(const Parameters& a, const Parameters& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& p) {
           return find(b, p.first) == p.second;
         });
}

const Parameters& no_parameters() {
  static const Parameters& none = *new Parameters;
  return none;
}

}  // namespace

Type Type::make(Node node) {
  for (const Type& content : node.contents) {
    check<TypeError>(!content.is(Kind::array), "type: an array type cannot be inside another type");
    node.depth = std::max(node.depth, content.depth() + 1);
  }
  check<ValueError>(node.depth <= kMaxTypeDepth, "type: nested deeper than {} levels",
                    kMaxTypeDepth);
  return Type(std::make_shared<const Node>(std::move(node)));
}

Type::Type() : Type(unknown()) {}

Type Type::unknown() {
  static const Type& shared = *new Type(make({}));
  return shared;
}

Type Type::number(DType dtype, std::string_view unit) {
  // The common types share one node each, so that making them allocates nothing.
  using Numbers = std::array<std::shared_ptr<const Node>, kDTypeCount>;
  static const Numbers& shared = *new Numbers([] {
    Numbers out;
    for (int i = 0; i < kDTypeCount; ++i) {
      out[i] = make({.kind = Kind::number, .dtype = static_cast<DType>(i)}).node_;
    }
    return out;
  }());
  if (unit.empty()) return Type(shared[static_cast<int>(dtype)]);
  check<TypeError>(is_time(dtype), "type: {} has no unit, got {}", name(dtype), unit);
  const auto canonical = core::canonical_time_unit(unit);
  check<ValueError>(canonical.has_value(), "type: unknown unit of {}: {}", name(dtype), unit);
  return make({.kind = Kind::number, .dtype = dtype, .unit = *canonical});
}

Type Type::datetime(std::string_view name, std::string_view unit) {
  check<ValueError>(name == "datetime64" || name == "timedelta64",
                    "type: expected datetime64 or timedelta64, got {}", name);
  return number(name == "datetime64" ? DType::datetime64 : DType::timedelta64, unit);
}

Type Type::character() {
  static const Type& shared =
      *new Type(number(DType::uint8).with_parameter("__array__", "\"char\""));
  return shared;
}

Type Type::byte() {
  static const Type& shared =
      *new Type(number(DType::uint8).with_parameter("__array__", "\"byte\""));
  return shared;
}

Type Type::string() {
  static const Type& shared = *new Type(make({.kind = Kind::string}));
  return shared;
}

Type Type::string(int64_t size) {
  check_size(size, "size of a string");
  return make({.kind = Kind::string, .size = size});
}

Type Type::bytestring() {
  static const Type& shared = *new Type(make({.kind = Kind::bytestring}));
  return shared;
}

Type Type::bytestring(int64_t size) {
  check_size(size, "size of a bytestring");
  return make({.kind = Kind::bytestring, .size = size});
}

Type Type::list(Type content) {
  return make({.kind = Kind::list, .contents = {std::move(content)}});
}

Type Type::regular(Type content, int64_t size) {
  check_size(size, "size of a regular dimension");
  return make({.kind = Kind::regular, .size = size, .contents = {std::move(content)}});
}

Type Type::option(Type content) {
  return make({.kind = Kind::option, .contents = {std::move(content)}});
}

Type Type::record(std::vector<std::string> names, std::vector<Type> contents) {
  check_names(names, contents.size());
  return make({.kind = Kind::record, .fields = std::move(names), .contents = std::move(contents)});
}

Type Type::tuple(std::vector<Type> contents) {
  return make({.kind = Kind::record, .tuple = true, .contents = std::move(contents)});
}

Type Type::union_(std::vector<Type> contents) {
  return make({.kind = Kind::union_, .contents = std::move(contents)});
}

Type Type::array(int64_t length, Type content) {
  check_size(length, "length of an array");
  return make({.kind = Kind::array, .size = length, .contents = {std::move(content)}});
}

namespace {

/// What a type holds.
template <class Node>
const Node& held(const std::shared_ptr<const Node>& node) {
  check<ValueError>(node != nullptr, "Type: it was moved from; assign another one to it first");
  return *node;
}

}  // namespace

Type::Kind Type::kind() const { return held(node_).kind; }

DType Type::dtype() const {
  if (!is(Kind::number)) throw TypeError("type: expected a number, got " + str());
  return held(node_).dtype;
}

std::string_view Type::unit() const { return held(node_).unit; }
int64_t Type::size() const { return held(node_).size; }
bool Type::is_tuple() const { return held(node_).tuple; }
int Type::depth() const { return held(node_).depth; }
std::span<const Type> Type::contents() const { return held(node_).contents; }
std::span<const std::string> Type::fields() const { return held(node_).fields; }

bool Type::is_fixed_size() const {
  return is(Kind::regular) || (is_string_like() && size() != kUnknownSize);
}

const Type& Type::content(size_t i) const {
  if (i >= held(node_).contents.size()) {
    throw IndexError(fmt::format("type: no content {} in {}", i, str()));
  }
  return held(node_).contents[i];
}

int64_t Type::field_index(std::string_view name) const {
  if (is_tuple()) {
    size_t i = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), i);
    const bool number = error == std::errc() && end == name.data() + name.size();
    return number && i < contents().size() ? static_cast<int64_t>(i) : -1;
  }
  return index_of_name(node_, held(node_).fields, name);
}

const Parameters& Type::parameters() const {
  return held(node_).parameters ? *held(node_).parameters : no_parameters();
}

std::string_view Type::parameter(std::string_view key) const { return find(parameters(), key); }

std::string Type::record_name() const {
  return core::json_string(parameter("__record__")).value_or("");
}

Type Type::as_categorical(bool yes) const {
  if (yes == is_categorical()) return *this;
  return with_parameter("__categorical__", yes ? "true" : "null");
}

Type Type::with_parameter(std::string_view key, std::string_view json) const {
  Parameters next = parameters();
  const auto same = [&](const auto& p) { return p.first == key; };
  const auto found = std::find_if(next.begin(), next.end(), same);
  if (found != next.end()) {
    found->second = json;
  } else {
    next.emplace_back(key, json);
  }
  return with_parameters(next);
}

Type Type::with_parameters(const Parameters& parameters) const {
  check<TypeError>(!is(Kind::array) || parameters.empty(), "type: an array type has no parameters");
  // As a Python dict: a key keeps its first place and its last value. Null is the same as absent.
  auto next = std::make_shared<Parameters>();
  for (const auto& [key, json] : parameters) {
    std::string value = core::canonical_json(json);
    const auto found = std::find_if(next->begin(), next->end(),
                                    [&k = key](const auto& p) { return p.first == k; });
    if (found != next->end()) {
      found->second = std::move(value);
    } else {
      next->emplace_back(key, std::move(value));
    }
  }
  std::erase_if(*next, [](const auto& p) { return p.second == "null"; });
  Node node = held(node_);
  // Strings are a kind of their own: __array__ turns a list of uint8 into one, and a string back.
  const std::string_view given = find(*next, "__array__");
  const auto is_text = [&] { return given == "\"string\"" || given == "\"bytestring\""; };
  const bool of_bytes =
      is_list_like() && content().is(Kind::number) && content().dtype() == DType::uint8;
  if (is_text() && (is_string_like() || of_bytes)) {
    node.kind = given == "\"string\"" ? Kind::string : Kind::bytestring;
    node.contents.clear();
    node.depth = 1;
    std::erase_if(*next, [](const auto& p) { return p.first == "__array__"; });
  } else if (is_string_like() && !given.empty()) {
    node.contents = {is(Kind::string) ? character() : byte()};
    node.kind = node.size == kUnknownSize ? Kind::list : Kind::regular;
  }
  node.parameters = next->empty() ? nullptr : std::move(next);
  return make(std::move(node));
}

bool Type::operator==(const Type& other) const {
  if (node_ == other.node_) return true;
  const Node &a = held(node_), &b = held(other.node_);
  return a.kind == b.kind && (a.kind != Kind::number || a.dtype == b.dtype) && a.size == b.size &&
         a.tuple == b.tuple && a.unit == b.unit && a.fields == b.fields &&
         same_parameters(parameters(), other.parameters()) && a.contents == b.contents;
}

}  // namespace serrate
