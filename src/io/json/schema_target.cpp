// JSON read by a JSONSchema, straight into the columns that it names.
#include <nlohmann/json.hpp>

#include "io/json/schema.h"
#include "io/json/target.h"
#include "serrate/error.h"
#include "serrate/io.h"
#include "serrate/ops.h"

namespace serrate::io {
namespace {

const char* name_of(SchemaType t) {
  switch (t) {
    case SchemaType::boolean:
      return "a boolean";
    case SchemaType::integer:
      return "an integer";
    case SchemaType::number:
      return "a number";
    case SchemaType::string:
      return "a string";
    case SchemaType::category:
      return "a string of its enum";
    case SchemaType::list:
    case SchemaType::regular:
      return "an array";
    case SchemaType::object:
      break;
  }
  return "an object";
}

[[noreturn]] void mismatch(const JsonCursor& c, const char* p, const SchemaColumn& s) {
  c.fail(p, fmt::format("the schema expects {}{}", name_of(s.type), s.optional ? " or null" : ""));
}

class SchemaTarget final : public JsonTarget {
 public:
  SchemaTarget(std::unique_ptr<SchemaColumn> column, bool is_list, const JsonNumbers& o)
      : root_(std::move(column)), is_list_(is_list), numbers_(o), special_(o) {}

  void read(JsonCursor& c) override {
    c_ = &c;
    if (!is_list_) return value(*root_);
    const char* p = c.next();
    if (*p != '[') c.fail(p, "the schema expects an array");
    items(*root_, p);
  }
  std::unique_ptr<JsonTarget> fresh() const override {
    return std::make_unique<SchemaTarget>(root_->fresh(), is_list_, numbers_);
  }
  void append(std::span<const std::unique_ptr<JsonTarget>> later) override {
    for (const auto& part : later) root_->append(*static_cast<SchemaTarget&>(*part).root_);
  }
  Array array(bool single) override {
    if (numbers_.complex_record_fields) root_->make_complex(*numbers_.complex_record_fields);
    std::unordered_map<std::string, Buffer> buffers;
    const std::string form = root_->form(buffers).dump();
    Array out =
        from_buffers(form, root_->length, [&](const std::string& key) { return buffers.at(key); });
    return single && !is_list_ ? getitem(out, {int64_t{0}}) : out;
  }

 private:
  void value(SchemaColumn& s) {
    const char* p = c_->next();
    if (s.optional) {
      if (*p == 'n') {
        c_->literal(p, "null");
        *s.valid.grow(1) = std::byte{0};
        return s.pad();
      }
      *s.valid.grow(1) = std::byte{1};
    }
    switch (s.type) {
      case SchemaType::boolean:
        if (*p != 't' && *p != 'f') mismatch(*c_, p, s);
        c_->literal(p, *p == 't' ? "true" : "false");
        return s.push(static_cast<uint8_t>(*p == 't'));
      case SchemaType::integer:
      case SchemaType::number:
        return number(s, p);
      case SchemaType::string: {
        const std::string_view x = string(s, p);
        if (!x.empty())
          std::memcpy(s.text.grow(static_cast<int64_t>(x.size())), x.data(), x.size());
        return s.push(s.text.size);
      }
      case SchemaType::category: {
        const auto found = s.index.find(std::string(string(s, p)));
        if (found == s.index.end()) mismatch(*c_, p, s);
        return s.push(static_cast<int64_t>(found->second));
      }
      case SchemaType::list:
      case SchemaType::regular:
        return list(s, p);
      case SchemaType::object:
        return object(s, p);
    }
  }

  std::string_view string(const SchemaColumn& s, const char* p) {
    if (*p != '"') mismatch(*c_, p, s);
    return c_->string(p + 1, scratch_);
  }

  void number(SchemaColumn& s, const char* p) {
    const bool integer = s.type == SchemaType::integer;
    if (*p != '-' && !is_digit(*p)) {
      double x;
      const bool special =
          *p == '"' && !integer && special_.any() && special_.find(c_->string(p + 1, scratch_), x);
      if (!special) mismatch(*c_, p, s);
      return s.push(x);
    }
    const JsonNumber x = c_->number(p);
    if (!integer) return s.push(x.integer ? static_cast<double>(x.i) : x.d);
    if (!x.integer) c_->fail(p, "the schema expects an integer that int64 holds");
    s.push(x.i);
  }

  void items(SchemaColumn& content, const char* p) {
    const JsonCursor::Level level(*c_, p);
    if (c_->peek() == ']') return c_->skip();
    do {
      value(content);
    } while (c_->more(']'));
  }

  void list(SchemaColumn& s, const char* p) {
    if (*p != '[') mismatch(*c_, p, s);
    SchemaColumn& content = *s.contents[0];
    const int64_t before = content.length;
    items(content, p);
    if (s.type == SchemaType::list) return s.push(content.length);
    const int64_t n = content.length - before;
    if (n != s.size)
      c_->fail(p, fmt::format("the schema expects an array of {} items, got {}", s.size, n));
    ++s.length;
  }

  void object(SchemaColumn& s, const char* p) {
    if (*p != '{') mismatch(*c_, p, s);
    const JsonCursor::Level level(*c_, p);
    if (c_->peek() == '}') {
      c_->skip();
    } else {
      do {
        const char* key = c_->key();
        const auto found = s.index.find(std::string(c_->string(key, scratch_)));
        c_->colon();
        if (found == s.index.end()) {
          c_->pass(c_->next(), scratch_);
          continue;
        }
        SchemaColumn& content = *s.contents[found->second];
        if (content.length > s.length)
          c_->fail(key - 1, fmt::format("the object has a property '{}' already", found->first));
        value(content);
      } while (c_->more('}'));
    }
    for (size_t k = 0; k < s.contents.size(); ++k) {
      SchemaColumn& content = *s.contents[k];
      if (content.length > s.length) continue;
      if (!content.optional)
        c_->fail(p, fmt::format("the schema expects a property '{}'", s.names[k]));
      *content.valid.grow(1) = std::byte{0};
      content.pad();
    }
    ++s.length;
  }

  std::unique_ptr<SchemaColumn> root_;
  bool is_list_;  // the rows are those of arrays
  JsonNumbers numbers_;
  SpecialNumbers special_;
  std::string scratch_;
  JsonCursor* c_ = nullptr;
};

}  // namespace

std::unique_ptr<JsonTarget> schema_target(const std::string& schema, const JsonNumbers& o) {
  using Json = nlohmann::ordered_json;
  const Json json = Json::parse(schema, nullptr, false);
  check<ValueError>(!json.is_discarded(), "from_json: the schema is no JSON");
  check<TypeError>(json.is_object(), "from_json: no JSONSchema: {}", json.dump(-1, ' ', true));
  const auto type = json.find("type");
  const bool is_list = type != json.end() && *type == "array";
  check<TypeError>(is_list || (type != json.end() && *type == "object"),
                   "from_json: the root of a schema must be of type 'array' or 'object'");
  if (!is_list) return std::make_unique<SchemaTarget>(schema_column(json), false, o);
  const auto items = json.find("items");
  check<TypeError>(items != json.end(),
                   "from_json: the schema is not concrete: an array without 'items'");
  return std::make_unique<SchemaTarget>(schema_column(*items), true, o);
}

}  // namespace serrate::io
