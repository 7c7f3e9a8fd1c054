// The public functions as data (structural.def), and their signatures, read while compiling.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace serrate::python {

/// What a function takes as its first argument.
enum class Takes : unsigned char { any, array_or_record, array_or_scalar, array };

struct FunctionRow {
  std::string_view name, group;
  std::string_view signature;  ///< empty if the function is written in Python
  Takes takes = Takes::any;
  std::string_view doc = {};
};

inline constexpr FunctionRow kFunctions[] = {
#define SERRATE_FUNCTION(name, signature, takes, doc) {#name, GROUP, signature, Takes::takes, doc},
#define SERRATE_PYTHON(name) {#name, GROUP, {}},
#include "functions/structural.def"
};

/// The row of that name, or null.
constexpr const FunctionRow* find_function(std::string_view name) {
  for (const FunctionRow& row : kFunctions) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

consteval const FunctionRow& function_row(std::string_view name) {
  const FunctionRow* row = find_function(name);
  return row ? *row : throw "structural.def has no row of that name";
}

/// One parameter of a signature: `name: annotation = value`.
struct Parameter {
  std::string_view name, annotation;
  std::string_view value;  ///< the text of its default; empty if it must be given

  constexpr bool takes_none() const {
    return value == "None" || annotation.find("None") != std::string_view::npos;
  }
};

constexpr std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \n") + 1 - first);
}

constexpr Parameter read_parameter(std::string_view text) {
  const size_t equals = text.find('='), colon = text.substr(0, equals).find(':');
  const size_t end = std::min({colon, equals, text.size()});
  Parameter p{trimmed(text.substr(0, end)), {}, {}};
  if (colon != std::string_view::npos) p.annotation = trimmed(text.substr(0, equals)).substr(end);
  if (equals != std::string_view::npos) p.value = trimmed(text.substr(equals + 1));
  return p;
}

/// The parameters of a signature, but for those that all functions have.
struct Signature {
  std::array<Parameter, 12> parameters{};
  size_t count = 0;
  size_t positional = 0;        ///< so many come before those that are given by name
  bool has_star = false;        ///< `*`, or *args, which is the last positional one
  bool ends_in_common = false;  ///< `...`: highlevel=, behavior=, attrs=
};

constexpr Signature read_signature(std::string_view text) {
  Signature s;
  text = text.substr(1, text.rfind(") -> ") - 1);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view one = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (one == "...") {
      s.ends_in_common = true;
    } else if (one == "*") {
      s.has_star = true;
    } else {
      const bool var_args = one[0] == '*';
      if (var_args) one.remove_prefix(1);
      if (!s.has_star) ++s.positional;
      s.has_star |= var_args;
      s.parameters.at(s.count++) = read_parameter(one);
    }
  }
  return s;
}

/// What decides about the C++ types that bind a function: functions of one shape share them.
struct Shape {
  size_t count = 0, positional = 0;
  bool ends_in_common = false;
  bool by_name = false;  ///< there are some that are given by name only
  std::array<bool, 12> takes_none{}, has_default{};
};

constexpr Shape shape_of(std::string_view signature) {
  const Signature s = read_signature(signature);
  const bool more = s.count > s.positional || s.ends_in_common;
  Shape out{s.count, s.positional, s.ends_in_common, s.has_star && more, {}, {}};
  for (size_t i = 0; i < s.count; ++i) {
    out.takes_none[i] = s.parameters[i].takes_none();
    out.has_default[i] = !s.parameters[i].value.empty();
  }
  return out;
}

/// The name of a function as an argument of a template.
template <size_t n>
struct Name {
  char text[n]{};
  consteval Name(const char (&name)[n]) { std::copy_n(name, n, text); }
};

}  // namespace serrate::python
