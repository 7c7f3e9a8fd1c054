// Types as text, in one line or indented, as Awkward prints them.
#include <algorithm>
#include <array>

#include "core/json_text.h"
#include "serrate/error.h"
#include "serrate/type.h"
#include "time_unit.h"

namespace serrate {
namespace {

using Kind = Type::Kind;

bool is_identifier(std::string_view s) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !s.empty() && letter(s[0]) && std::all_of(s.begin(), s.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

/// Whether Name[...] would be read as something else than a record of that name.
bool is_reserved(std::string_view s) {
  for (const std::string_view word : {"unknown", "string", "bytes", "option", "tuple", "struct",
                                      "union", "categorical", "float128", "complex256"}) {
    if (s == word) return true;
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    if (s == name(static_cast<DType>(i))) return true;
  }
  return false;
}

/// `parameters={...}` of all that the notation does not say by itself, or "".
std::string parameter_text(const Type& t, std::initializer_list<std::string_view> hidden = {}) {
  std::string out;
  for (const auto& [key, json] : t.parameters()) {
    if (key == "__categorical__") continue;
    if (std::find(hidden.begin(), hidden.end(), key) != hidden.end()) continue;
    out += (out.empty() ? "" : ", ") + json_quote(key) + ": " + json;
  }
  return out.empty() ? out : "parameters={" + out + "}";
}

class Printer {
 public:
  explicit Printer(bool compact) : compact_(compact) {}

  void print(const Type& t) {
    // Awkward puts the mark of a categorical option inside the option.
    // A name that a behaviour gave to the type, in place of all of it.
    if (const auto own = t.parameter("__typestr__"); own.size() >= 2) {
      out_ += own.substr(1, own.size() - 2);
      return;
    }
    const bool mark = t.is_categorical() && !t.is(Kind::option);
    if (mark) out_ += "categorical[type=";
    print_plain(t);
    if (mark) out_ += "]";
  }

  std::string take() { return std::move(out_); }

 private:
  void print_plain(const Type& t) {
    switch (t.kind()) {
      case Kind::unknown:
        return print_suffixed("unknown", parameter_text(t));
      case Kind::number:
        return print_number(t);
      case Kind::string:
        return print_text("string", t);
      case Kind::bytestring:
        return print_text("bytes", t);
      case Kind::list:
      case Kind::regular:
        return print_list(t);
      case Kind::option:
        return print_option(t);
      case Kind::record:
        return print_record(t);
      case Kind::union_:
        return print_union(t);
      case Kind::array:
        out_ += size_text(t) + " * ";
        return print(t.content());
    }
  }

  static std::string size_text(const Type& t) {
    return t.size() == kUnknownSize ? "##" : std::to_string(t.size());
  }

  void print_suffixed(std::string_view head, const std::string& params) {
    out_ += head;
    if (!params.empty()) out_ += "[" + params + "]";
  }

  void print_text(std::string_view head, const Type& t) {
    out_ += head;
    if (t.size() != kUnknownSize) out_ += "[" + size_text(t) + "]";
  }

  void print_number(const Type& t) {
    const std::string_view array = t.parameter("__array__");
    if (array == "\"char\"" || array == "\"byte\"") {
      out_ += array.substr(1, 4);
      return;
    }
    std::string head(name(t.dtype()));
    if (!t.unit().empty()) head += fmt::format("[{}]", t.unit());
    const auto unit = core::json_string(t.parameter("__unit__"));
    const auto canonical = unit ? core::canonical_time_unit(*unit) : std::nullopt;
    std::string params = canonical ? parameter_text(t, {"__unit__"}) : parameter_text(t);
    if (canonical) {
      params = "unit=" + json_quote(*canonical) + (params.empty() ? "" : ", ") + params;
    }
    print_suffixed(head, params);
  }

  void print_list(const Type& t) {
    const std::string_view array = t.parameter("__array__");
    if (array == "\"string\"" || array == "\"bytestring\"") {
      return print_text(array == "\"string\"" ? "string" : "bytes", t);
    }
    const std::string params = parameter_text(t);
    if (!params.empty()) out_ += "[";
    out_ += t.is(Kind::list) ? "var * " : size_text(t) + " * ";
    print(t.content());
    if (!params.empty()) out_ += ", " + params + "]";
  }

  void print_option(const Type& t) {
    const Type& content = t.content();
    const std::string params = parameter_text(t);
    const std::string_view array = content.parameter("__array__");
    const bool text = array == "\"string\"" || array == "\"bytestring\"" || array == "\"char\"" ||
                      array == "\"byte\"";
    const bool brackets = !params.empty() || (content.is_list_like() && !text);
    out_ += brackets ? "option[" : "?";
    if (t.is_categorical()) out_ += "categorical[type=";
    print(content);
    if (t.is_categorical()) out_ += "]";
    if (!params.empty()) out_ += ", " + params;
    if (brackets) out_ += "]";
  }

  void print_record(const Type& t) {
    std::string params = parameter_text(t, {"__record__"});
    const std::string_view name_json = t.parameter("__record__");
    std::string name = t.record_name();
    if (!name_json.empty() && (!is_identifier(name) || is_reserved(name))) {
      const std::string rest = params.empty() ? "}" : ", " + params.substr(12);
      params = "parameters={\"__record__\": " + std::string(name_json) + rest;
      name.clear();
    }
    const std::string_view open = t.is_tuple() ? "(" : "{", close = t.is_tuple() ? ")" : "}";
    if (!name.empty()) {
      out_ += name + "[";
      if (params.empty()) return print_contents(t, "]");
      return print_contents(t, params + "]", t.contents().empty() ? "" : ", ");
    }
    if (params.empty()) {
      out_ += open;
      return print_contents(t, close);
    }
    out_ += t.is_tuple() ? "tuple[[" : "struct[{";
    print_contents(t, (t.is_tuple() ? "], " : "}, ") + params + "]");
  }

  void print_union(const Type& t) {
    const std::string params = parameter_text(t);
    out_ += "union[";
    print_contents(t, params + "]", params.empty() || t.contents().empty() ? "" : ", ");
  }

  /// The contents between line breaks (if there are any), then `before_break` and, after it,
  /// `close`.
  void print_contents(const Type& t, std::string_view close, std::string_view before_break = "") {
    indent_ += compact_ ? 0 : 4;
    print_break();
    for (size_t i = 0; i < t.contents().size(); ++i) {
      if (!t.fields().empty()) {
        const std::string& field = t.fields()[i];
        out_ += (is_identifier(field) ? field : json_quote(field)) + ": ";
      }
      print(t.content(i));
      if (i + 1 < t.contents().size()) {
        out_ += compact_ ? ", " : ",";
        print_break();
      }
    }
    out_ += before_break;
    indent_ -= compact_ ? 0 : 4;
    print_break();
    out_ += close;
  }

  void print_break() {
    if (!compact_) out_ += "\n" + std::string(indent_, ' ');
  }

  bool compact_;
  size_t indent_ = 0;
  std::string out_;
};

}  // namespace

std::string Type::str() const {
  Printer printer(/*compact=*/true);
  printer.print(*this);
  return printer.take();
}

std::string Type::pretty() const {
  Printer printer(/*compact=*/false);
  printer.print(*this);
  return printer.take();
}

}  // namespace serrate
