// Reads types from their text (datashape strings): "3 * var * {x: ?int64, y: string}".
#include <charconv>
#include <optional>

#include "core/json_text.h"
#include "serrate/error.h"
#include "serrate/type.h"
#include "time_unit.h"

namespace serrate {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<DType> find_dtype(std::string_view word) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (word == name(static_cast<DType>(i))) return static_cast<DType>(i);
  }
  return std::nullopt;
}

/// Recursive descent, one function for each form of type. Between tokens blanks are free.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Type parse_all(bool highlevel) {
    core::skip_blanks(text_, pos_);
    const bool sized = pos_ < text_.size() && (is_digit(text_[pos_]) || text_[pos_] == '#');
    Type out;
    if (highlevel && sized) {
      const int64_t length = read_size();
      expect("*");
      out = Type::array(length, parse_type());
    } else {
      out = parse_type();
    }
    core::skip_blanks(text_, pos_);
    if (pos_ != text_.size()) fail("the end of the type");
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { core::fail_expected(text_, pos_, what); }

  char peek() {
    core::skip_blanks(text_, pos_);
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }

  bool accept(std::string_view token) {
    core::skip_blanks(text_, pos_);
    if (!text_.substr(pos_).starts_with(token)) return false;
    pos_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }

  std::string_view read_word() {
    core::skip_blanks(text_, pos_);
    const size_t start = pos_;
    while (pos_ < text_.size() && (is_letter(text_[pos_]) || is_digit(text_[pos_]))) ++pos_;
    return text_.substr(start, pos_ - start);
  }

  /// Whether the next word is this one and what follows it is `then`; reads both if so.
  bool accept_word_then(std::string_view word, std::string_view then) {
    const size_t start = pos_;
    if (read_word() == word && accept(then)) return true;
    pos_ = start;
    return false;
  }

  /// A non-negative int64, or ## for an unknown one.
  int64_t read_size() {
    if (accept("##")) return kUnknownSize;
    core::skip_blanks(text_, pos_);
    int64_t value = 0;
    if (pos_ >= text_.size() || !is_digit(text_[pos_])) fail("a size");
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + pos_, end, value);
    if (error != std::errc()) fail("a size below 2^63");
    pos_ = stop - text_.data();
    return value;
  }

  Type parse_type() {
    // Counted here too, since the maker's own check would come only after the recursion.
    if (++depth_ > kMaxTypeDepth) fail(fmt::format("at most {} nested types", kMaxTypeDepth));
    Type out = parse_one();
    --depth_;
    return out;
  }

  Type parse_one() {
    const char c = peek();
    if (is_digit(c) || c == '#') {
      const int64_t size = read_size();
      expect("*");
      return Type::regular(parse_type(), size);
    }
    if (is_letter(c)) return parse_word();
    if (accept("?")) return Type::option(parse_type());
    if (accept("(")) return parse_tuple(")");
    if (accept("{")) return parse_record("}");
    if (accept("[")) {
      const Type inner = parse_type();
      expect(",");
      const Type out = with_extra(inner, read_parameters());
      expect("]");
      return out;
    }
    fail("a type");
  }

  Type parse_word() {
    const size_t start = pos_;
    const std::string_view word = read_word();
    if (word == "var" && accept("*")) return Type::list(parse_type());
    if (peek() == '[') {
      if (word == "option") return parse_option();
      if (word == "union") return parse_union();
      if (word == "categorical") return parse_categorical();
      if (word == "tuple" || word == "struct") return parse_explicit_record(word == "tuple");
    }
    if (word == "string" || word == "bytes") return parse_text(word == "string");
    if (word == "unknown") return parse_suffix(Type::unknown());
    if (const auto dtype = find_dtype(word)) return parse_number(*dtype);
    if (peek() == '[') return parse_named(word);
    if (word == "char") return Type::character();
    if (word == "byte") return Type::byte();
    pos_ = start;
    if (word == "float128" || word == "complex256") fail("a type of at most 128 bits");
    fail("a type");
  }

  /// `parameters={...}`
  Parameters read_parameters() {
    if (!accept_word_then("parameters", "=")) fail("'parameters='");
    return core::read_json_object(text_, pos_);
  }

  /// Adds parameters to those that the type has already.
  static Type with_extra(const Type& t, const Parameters& extra) {
    Parameters all = t.parameters();
    all.insert(all.end(), extra.begin(), extra.end());
    return t.with_parameters(all);
  }

  /// Nothing, or `[parameters={...}]`.
  Type parse_suffix(const Type& t) {
    if (!accept("[")) return t;
    const Type out = with_extra(t, read_parameters());
    expect("]");
    return out;
  }

  /// Nothing, or `[10us]`; leaves brackets that hold parameters.
  std::string read_unit() {
    const size_t start = pos_;
    if (!accept("[")) return "";
    const size_t inner = pos_, end = text_.find(']', pos_);
    if (end != std::string_view::npos) {
      if (const auto unit = core::canonical_time_unit(text_.substr(pos_, end - pos_))) {
        pos_ = end + 1;
        return *unit;
      }
    }
    const bool other = accept_word_then("parameters", "=") || accept_word_then("unit", "=");
    pos_ = other ? start : inner;
    if (!other) fail("a unit of time such as 's' or '10us'");
    return "";
  }

  Type parse_number(DType dtype) {
    const Type out = Type::number(dtype, is_time(dtype) ? read_unit() : "");
    if (!accept("[")) return out;
    Parameters all;
    if (accept_word_then("unit", "=")) {
      core::skip_blanks(text_, pos_);
      all.emplace_back("__unit__", json_quote(core::read_json_string(text_, pos_)));
      if (accept("]")) return out.with_parameters(all);
      expect(",");
    }
    for (auto& parameter : read_parameters()) all.push_back(std::move(parameter));
    expect("]");
    return out.with_parameters(all);
  }

  Type parse_text(bool is_string) {
    if (!accept("[")) return is_string ? Type::string() : Type::bytestring();
    const int64_t size = read_size();
    expect("]");
    return is_string ? Type::string(size) : Type::bytestring(size);
  }

  Type parse_option() {
    expect("[");
    Type out = Type::option(parse_type());
    if (accept(",")) out = out.with_parameters(read_parameters());
    expect("]");
    return out;
  }

  Type parse_categorical() {
    expect("[");
    if (!accept_word_then("type", "=")) fail("'type='");
    const Type content = parse_type();
    expect("]");
    return content.as_categorical();
  }

  Type parse_union() {
    expect("[");
    Members members = read_members("]", /*keyed=*/false, Parameters{});
    return Type::union_(std::move(members.contents)).with_parameters(members.parameters);
  }

  Type parse_tuple(std::string_view close) {
    return Type::tuple(read_members(close, /*keyed=*/false, std::nullopt).contents);
  }

  Type parse_record(std::string_view close) {
    Members members = read_members(close, /*keyed=*/true, std::nullopt);
    return Type::record(std::move(members.names), std::move(members.contents));
  }

  /// `tuple[[...], parameters={...}]` and `struct[{...}, parameters={...}]`.
  Type parse_explicit_record(bool is_tuple) {
    expect("[");
    expect(is_tuple ? "[" : "{");
    Type out = is_tuple ? parse_tuple("]") : parse_record("}");
    if (accept(",")) out = out.with_parameters(read_parameters());
    expect("]");
    return out;
  }

  /// `Name[x: T, y: U, parameters={...}]` or the same without field names.
  Type parse_named(std::string_view name) {
    expect("[");
    const bool keyed = next_is_key();
    Members members = read_members("]", keyed, Parameters{{"__record__", json_quote(name)}});
    const Type out = keyed ? Type::record(std::move(members.names), std::move(members.contents))
                           : Type::tuple(std::move(members.contents));
    return out.with_parameters(members.parameters);
  }

  struct Members {
    std::vector<std::string> names;
    std::vector<Type> contents;
    Parameters parameters;
  };

  /// The types up to `close`, with field names if `keyed`. Where parameters may end the list, they
  /// join the given ones.
  Members read_members(std::string_view close, bool keyed, std::optional<Parameters> parameters) {
    Members out;
    while (!accept(close)) {
      if (!out.contents.empty()) expect(",");
      if (parameters && accept_word_then("parameters", "=")) {
        for (auto& p : core::read_json_object(text_, pos_)) parameters->push_back(std::move(p));
        expect(close);
        break;
      }
      if (keyed) {
        out.names.push_back(read_key());
        expect(":");
      }
      out.contents.push_back(parse_type());
    }
    out.parameters = std::move(parameters).value_or(Parameters{});
    return out;
  }

  std::string read_key() {
    if (peek() == '"') return core::read_json_string(text_, pos_);
    if (!is_letter(peek())) fail("a field name");
    return std::string(read_word());
  }

  bool next_is_key() {
    const size_t start = pos_;
    const bool key = peek() == '"' || (!read_word().empty() && peek() == ':');
    pos_ = start;
    return key;
  }

  std::string_view text_;
  size_t pos_ = 0;
  int depth_ = 0;
};

}  // namespace

Type parse_type(std::string_view text, bool highlevel) { return Parser(text).parse_all(highlevel); }

}  // namespace serrate
