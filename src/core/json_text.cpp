// JSON values of type parameters, kept as text in the form of Python's json.dumps.
#include "json_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "serrate/error.h"
#include "serrate/type.h"

namespace serrate::core {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// As Python's repr of a float: shortest digits, always with a point or an exponent.
std::string float_text(double v) {
  std::string out = fmt::format("{}", v);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

/// Integers stay text, so that they keep all digits; "+5" and "007" become what Python makes of
/// them.
std::string integer_text(std::string_view digits) {
  const bool negative = digits.front() == '-';
  if (digits.front() == '-' || digits.front() == '+') digits.remove_prefix(1);
  const size_t first = digits.find_first_not_of('0');
  if (first == std::string_view::npos) return "0";
  return (negative ? "-" : "") + std::string(digits.substr(first));
}

std::string read_number(std::string_view text, size_t& pos) {
  const size_t start = pos;
  const auto digits = [&] {
    const size_t from = pos;
    while (pos < text.size() && is_digit(text[pos])) ++pos;
    return pos - from;
  };
  if (text[pos] == '+' || text[pos] == '-') ++pos;
  size_t count = digits();
  bool integer = true;
  if (pos < text.size() && text[pos] == '.') {
    ++pos;
    integer = false;
    count += digits();
  }
  if (count == 0) fail_expected(text, start, "a JSON value");
  if (pos < text.size() && (text[pos] == 'e' || text[pos] == 'E')) {
    ++pos;
    integer = false;
    if (pos < text.size() && (text[pos] == '+' || text[pos] == '-')) ++pos;
    if (digits() == 0) fail_expected(text, pos, "digits of an exponent");
  }
  const std::string_view token = text.substr(start, pos - start);
  if (integer) return integer_text(token);
  const double v = std::strtod(std::string(token).c_str(), nullptr);
  if (!std::isfinite(v)) fail_expected(text, start, "a number within the range of float64");
  return float_text(v);
}

std::string read_value(std::string_view text, size_t& pos, int depth);

/// Calls element() for each comma-separated part between the brackets.
template <class Element>
void read_sequence(std::string_view text, size_t& pos, char close, Element element) {
  ++pos;
  skip_blanks(text, pos);
  if (pos < text.size() && text[pos] == close) {
    ++pos;
    return;
  }
  while (true) {
    element();
    skip_blanks(text, pos);
    const char c = pos < text.size() ? text[pos] : '\0';
    if (c != close && c != ',') fail_expected(text, pos, fmt::format("',' or '{}'", close));
    ++pos;
    if (c == close) return;
    skip_blanks(text, pos);
  }
}

std::vector<std::pair<std::string, std::string>> read_members(std::string_view text, size_t& pos,
                                                              int depth) {
  std::vector<std::pair<std::string, std::string>> out;
  read_sequence(text, pos, '}', [&] {
    std::string key = read_json_string(text, pos);
    skip_blanks(text, pos);
    if (pos >= text.size() || text[pos] != ':') fail_expected(text, pos, "':'");
    ++pos;
    std::string value = read_value(text, pos, depth + 1);
    for (auto& member : out) {
      if (member.first == key) {
        member.second = std::move(value);
        return;
      }
    }
    out.emplace_back(std::move(key), std::move(value));
  });
  return out;
}

std::string read_value(std::string_view text, size_t& pos, int depth) {
  skip_blanks(text, pos);
  if (depth > kMaxTypeDepth) fail_expected(text, pos, "JSON nested at most 256 deep");
  if (pos >= text.size()) fail_expected(text, pos, "a JSON value");
  for (const std::string_view word : {"true", "false", "null"}) {
    if (text.substr(pos).starts_with(word)) {
      pos += word.size();
      return std::string(word);
    }
  }
  switch (text[pos]) {
    case '"':
      return json_quote(read_json_string(text, pos));
    case '[': {
      std::string out;
      read_sequence(text, pos, ']', [&] {
        out += out.empty() ? "" : ", ";
        out += read_value(text, pos, depth + 1);
      });
      return "[" + out + "]";
    }
    case '{': {
      std::string out;
      for (const auto& [key, value] : read_members(text, pos, depth)) {
        out += (out.empty() ? "" : ", ") + json_quote(key) + ": " + value;
      }
      return "{" + out + "}";
    }
    default:
      return read_number(text, pos);
  }
}

}  // namespace

void skip_blanks(std::string_view text, size_t& pos) {
  while (pos < text.size() && std::string_view(" \t\f\r\n").find(text[pos]) != std::string::npos) {
    ++pos;
  }
}

void fail_expected(std::string_view text, size_t pos, std::string_view what) {
  const std::string got = pos < text.size() ? json_quote(text.substr(pos, 20)) : "the end";
  throw ValueError(fmt::format("type string: expected {} at position {}, got {}", what, pos, got));
}

std::string read_json_string(std::string_view text, size_t& pos) {
  if (pos >= text.size() || text[pos] != '"') fail_expected(text, pos, "a string in quotes");
  const size_t start = pos++;
  while (pos < text.size() && text[pos] != '"') pos += text[pos] == '\\' ? 2 : 1;
  if (pos >= text.size()) fail_expected(text, text.size(), "a closing quote");
  ++pos;
  const auto value =
      nlohmann::json::parse(text.substr(start, pos - start), nullptr, /*allow_exceptions=*/false);
  if (!value.is_string()) fail_expected(text, start, "a valid JSON string");
  return value.get<std::string>();
}

std::string read_json(std::string_view text, size_t& pos) { return read_value(text, pos, 0); }

std::vector<std::pair<std::string, std::string>> read_json_object(std::string_view text,
                                                                  size_t& pos) {
  skip_blanks(text, pos);
  if (pos >= text.size() || text[pos] != '{') fail_expected(text, pos, "a JSON object");
  return read_members(text, pos, 0);
}

std::string canonical_json(std::string_view text) {
  size_t pos = 0;
  std::string out = read_json(text, pos);
  skip_blanks(text, pos);
  if (pos != text.size()) fail_expected(text, pos, "the end of the JSON value");
  return out;
}

std::optional<std::string> json_string(std::string_view json) {
  if (json.empty() || json.front() != '"') return std::nullopt;
  size_t pos = 0;
  return read_json_string(json, pos);
}

}  // namespace serrate::core

namespace serrate {

std::string json_quote(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) {
    std::string out(1, '"');
    return out.append(text).append(1, '"');
  }
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/true,
                                   nlohmann::json::error_handler_t::replace);
}

}  // namespace serrate
