// Calls written as text, for tables of what operations give: "combinations x n=2 axis=0".
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "examples.h"
#include "serrate/ops.h"

namespace serrate::testing {

/// A call and "type | JSON" (several joined by " ; ") or the name of the exception.
struct Call {
  const char* text;
  const char* expected;
};

inline std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) out.push_back(part);
  return out;
}

class Keywords {
 public:
  explicit Keywords(const std::vector<std::string>& words) {
    for (size_t i = 2; i < words.size(); i++) {
      const size_t equal = words[i].find('=');
      values_[words[i].substr(0, equal)] = words[i].substr(equal + 1);
    }
  }
  bool has(const char* key) const { return values_.count(key) > 0; }
  std::string text(const char* key) const { return has(key) ? values_.at(key) : ""; }
  int number(const char* key, int otherwise) const {
    return has(key) ? std::stoi(values_.at(key)) : otherwise;
  }
  Axis axis(int otherwise) const {
    return text("axis") == "None" ? Axis() : Axis(number("axis", otherwise));
  }
  std::vector<std::string> names(const char* key) const { return split(text(key), ','); }
  std::vector<int> numbers(const char* key) const {
    std::vector<int> out;
    for (const auto& n : names(key)) out.push_back(std::stoi(n));
    return out;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// "2" or "[1,None,2]"
inline Array counts(const std::string& text) {
  if (text[0] != '[') return Array(std::stoi(text));
  json v = json::array();
  bool option = false;
  for (const auto& c : split(text.substr(1, text.size() - 2), ',')) {
    option = option || c == "None";
    v.push_back(c == "None" ? json() : json(std::stoi(c)));
  }
  return array(std::to_string(v.size()) + (option ? " * ?int64" : " * int64"), v.dump());
}

inline std::string run(const std::string& text) {
  const auto words = split(text, ' ');
  const std::string& op = words[0];
  const Keywords k(words);
  std::vector<Array> arrays;
  for (const auto& name : split(words[1], ',')) arrays.push_back(example(name));
  const Array& x = arrays[0];
  if (op == "broadcast_arrays") {
    std::optional<int> limit;
    if (k.has("depth_limit")) limit = k.number("depth_limit", 0);
    std::string out;
    try {
      for (const auto& a : broadcast_arrays(arrays, {.depth_limit = limit}))
        out += (out.empty() ? "" : " ; ") + show(a);
    } catch (const ValueError&) {
      return "ValueError";
    }
    return out;
  }
  return outcome([&]() -> Array {
    if (op == "combinations" || op == "argcombinations") {
      const CombinationOptions o{k.number("replacement", 0) != 0, k.number("axis", 1),
                                 k.names("fields"), k.text("with_name")};
      return op == "combinations" ? combinations(x, k.number("n", 2), o)
                                  : argcombinations(x, k.number("n", 2), o);
    }
    if (op == "cartesian" || op == "argcartesian") {
      const CartesianOptions o{k.number("axis", 1), k.names("fields"), k.numbers("nested"),
                               k.text("with_name")};
      return op == "cartesian" ? cartesian(arrays, o) : argcartesian(arrays, o);
    }
    if (op == "num") return num(x, k.number("axis", 1));
    if (op == "flatten") return flatten(x, k.axis(1));
    if (op == "ravel") return ravel(x);
    if (op == "local_index") return local_index(x, k.number("axis", -1));
    if (op == "to_regular") return to_regular(x, k.axis(1));
    if (op == "from_regular") return from_regular(x, k.axis(1));
    if (op == "concatenate")
      return concatenate(arrays, k.number("axis", 0), k.number("mergebool", 1) != 0);
    if (op == "unflatten") return unflatten(x, counts(k.text("counts")), k.number("axis", 0));
    throw std::logic_error("no operation " + op);
  });
}

template <size_t N>
void check_calls(const Call (&calls)[N]) {
  for (const Call& c : calls) {
    INFO(c.text);
    CHECK(run(c.text) == c.expected);
  }
}

}  // namespace serrate::testing
