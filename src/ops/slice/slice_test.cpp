// Slices of small arrays: values and types as Awkward Array 2.14 gives them.
#include <sstream>

#include "../../../tests/cpp/catch.h"
#include "../../../tests/cpp/examples.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using testing::array;
using testing::example;
using testing::outcome;
using testing::Row;

std::optional<int64_t> bound(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<int64_t>(std::stoll(text));
}

SliceItem item(const std::string& text) {
  if (text == "...") return Ellipsis{};
  if (text == "None") return NewAxis{};
  if (text[0] == '@') {
    const size_t equal = text.find(" = ");
    return array(text.substr(1, equal - 1), text.substr(equal + 3));
  }
  if (text[0] == '\'') return text.substr(1, text.size() - 2);
  if (text[0] == '[') {
    std::vector<std::string> names;
    std::istringstream in(text.substr(1, text.size() - 2));
    for (std::string name; std::getline(in, name, ',');)
      names.push_back(name.substr(1, name.size() - 2));
    return names;
  }
  if (text.find(':') == std::string::npos) return int64_t{std::stoll(text)};
  Slice s;
  std::istringstream in(text);
  std::string part;
  if (std::getline(in, part, ':')) s.start = bound(part);
  if (std::getline(in, part, ':')) s.stop = bound(part);
  if (std::getline(in, part, ':')) s.step = bound(part);
  return s;
}

/// ": ; 'x' ; @3 * int64 = [0,1,2]"
std::vector<SliceItem> items(const std::string& text) {
  std::vector<SliceItem> out;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find(" ; ", begin);
    out.push_back(item(text.substr(begin, end - begin)));
    if (end == std::string::npos) return out;
    begin = end + 3;
  }
}

// clang-format off
#include "slice_test_rows.inc"

}  // namespace

TEST_CASE("slices give Awkward's values and types") {
  for (const Row& row : kRows) {
    INFO(row.array << "[" << row.arguments << "]");
    CHECK(outcome([&] { return getitem(example(row.array), items(row.arguments)); }) ==
          row.expected);
  }
}

TEST_CASE("slices of arrays that are not stored yet") {
  for (const Row& row : kRows) {
    const Array x = example(row.array);
    nlohmann::json all = nlohmann::json::array();
    for (int64_t i = 0; i < x.size(); i++) all.push_back(true);
    const Array mask = array(std::to_string(x.size()) + " * bool", all.dump());
    INFO(row.array << "[" << row.arguments << "]");
    // Rows kept by a mask, and rows turned around twice.
    const std::string kept =
        outcome([&] { return getitem(getitem(x, {mask}), items(row.arguments)); });
    CHECK(kept == row.expected);
    const Array back = getitem(x, {Slice{{}, {}, -1}});
    CHECK(outcome([&] {
            return getitem(getitem(back, {Slice{{}, {}, -1}}), items(row.arguments));
          }) == row.expected);
  }
}

}  // namespace serrate
