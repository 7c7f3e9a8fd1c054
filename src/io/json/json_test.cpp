// JSON from C++, and tokens found both ways.
#include "serrate/json.h"

#include <random>

#include "../../../tests/cpp/catch.h"
#include "io/json/target.h"
#include "io/json/text.h"
#include "io/json/tokens.h"
#include "serrate/error.h"
#include "serrate/io.h"
#include "serrate/type.h"

namespace serrate {
namespace {

std::string typed(std::string_view text, const FromJsonOptions& o = {}) {
  const Array x = from_json(text, o);
  return x.type().str() + " " + to_json(x);
}

TEST_CASE("from_json finds types and to_json writes them") {
  CHECK(typed("[[1, 2.5], [], null]") == "3 * option[var * float64] [[1.0,2.5],[],null]");
  CHECK(typed("{\"x\": 1}\n{\"x\": 2}", {.line_delimited = true}) ==
        "2 * {x: int64} [{\"x\":1},{\"x\":2}]");
  CHECK(typed("{\"x\": [true]}") == "{x: var * bool} {\"x\":[true]}");
  CHECK(typed("12") == "int64 12");
  CHECK(typed("[\"a\", 1]") == "2 * union[string, int64] [\"a\",1]");
  // No byte behind the text is read.
  const std::string text = "123456";
  CHECK(from_json(std::string_view(text).substr(0, 3)).item<int>() == 123);
}

TEST_CASE("from_json finds fields of few and of many names") {
  for (size_t n : {1u, 15u, 16u, 17u, 18u, 60u}) {
    const auto record = [&](bool backwards) {
      std::string out = "{";
      for (size_t i = 0; i < n; ++i) {
        const size_t k = backwards ? n - 1 - i : i;
        out += (i ? "," : "") + fmt::format("\"a field number {}\":{}", k, 100 * k);
      }
      return out + "}";
    };
    // Once in order, once the other way round, once as a field that was missing before.
    const Array x =
        from_json("[" + record(false) + "," + record(true) + ",{\"late\":[" + record(true) + "]}]");
    const std::string first = record(false);
    const std::string text = to_json(x);
    CHECK(text.substr(0, first.size()) == "[" + first.substr(0, first.size() - 1));
    CHECK(x.fields().size() == n + 1);
    for (size_t k = 0; k < n; ++k) {
      const std::string name = fmt::format("a field number {}", k);
      CHECK(to_json(x[name]) == fmt::format("[{},{},null]", 100 * k, 100 * k));
    }
  }
  CHECK_THROWS_WITH(from_json("{\"x\": 1, \"x\": 2}"),
                    Catch::Matchers::ContainsSubstring("already"));
}

TEST_CASE("from_json of one document that is no list") {
  CHECK(typed("{\"x\": [[1], []], \"s\": \"a\", \"n\": null}") ==
        "{x: var * var * int64, s: string, n: ?unknown} {\"x\":[[1],[]],\"s\":\"a\",\"n\":null}");
  CHECK(typed("\"text\"") == "string \"text\"");
  CHECK(typed("{}") == "{} {}");
  CHECK(typed("2.5") == "float64 2.5");
  const Array x = from_json("{\"rows\": [{\"x\": 1}, {\"x\": 2}]}");
  CHECK(to_json(sum(x["rows"]["x"])) == "3");
}

TEST_CASE("from_json says what is wrong where") {
  CHECK_THROWS_AS(from_json("[1,]"), ValueError);
  CHECK_THROWS_WITH(from_json("[1,\n x]"),
                    "from_json: expected a value at byte 5 (line 2, column 2): x]");
  CHECK_THROWS_AS(from_json("[]", {.schema = "{\"type\": \"integer\"}"}), TypeError);
}

TEST_CASE("from_json by a schema") {
  const std::string schema =
      R"({"type": "array", "items": {"type": ["array", "null"], "items": {"type": "number"}}})";
  CHECK(typed("[[1], null, []]", {.schema = schema}) ==
        "3 * option[var * float64] [[1.0],null,[]]");
}

TEST_CASE("to_json in pieces is the whole") {
  const Array x = from_json("[[1, 2], [], [3]]");
  std::string all;
  to_json(x, [&](std::string_view s) { all += s; }, {.num_indent_spaces = 1});
  CHECK(all == to_json(x, {.num_indent_spaces = 1}));
  CHECK(to_json(x, ToJsonOptions{.line_delimiter = "\n"}) == "[1,2]\n[]\n[3]\n");
}

// Positions, or where the error is.
std::string tokens_of(std::string_view text, bool plainly) {
  std::string out;
  try {
    io::Tokens tokens;
    std::vector<uint32_t> plain;
    std::span<const uint32_t> found;
    if (plainly)
      found = plain = io::find_tokens_plainly(text);
    else
      found = tokens.find(text);
    for (const uint32_t p : found) out += std::to_string(p) + " ";
  } catch (const io::JsonError& e) {
    out = "error at " + std::to_string(e.at);
  }
  return out;
}

TEST_CASE("tokens found at once are those found byte by byte") {
  std::mt19937 random(1);
  const std::string letters = "[]{}:,\"\"\"\\\\ \n\ta1-.e\xc3\xa9x";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const size_t n = random() % 200;
    for (size_t i = 0; i < n; ++i) text += letters[random() % letters.size()];
    INFO(text);
    CHECK(tokens_of(text, false) == tokens_of(text, true));
  }
}

// What is wrong with a text, by tokens found one way or the other.
std::string error_in(std::string_view text, bool plainly) {
  io::Tokens tokens;
  try {
    std::vector<uint32_t> plain;
    if (plainly) plain = io::find_tokens_plainly(text);
    io::JsonCursor c(text, plainly ? std::span<const uint32_t>(plain) : tokens.find(text));
    const auto target = io::discovering_target({});
    while (!c.done()) target->read(c);
  } catch (const io::JsonError& e) {
    return e.what + " at " + std::to_string(e.at);
  }
  return "none";
}

TEST_CASE("errors are at the same place, whoever finds the tokens") {
  // simdjson takes some control characters for commas and colons, and looks no further.
  CHECK(error_in("\n\x0e\x1a\n", false) == "expected a value at 1");
  CHECK(error_in("[1\x0c 2] ", false) == error_in("[1\x0c 2] ", true));
  std::mt19937 random(2);
  const std::string letters = "[]{}:,\"\" \n1a\\\x01\x0c\x0e\x1a\x1b\x1d\x1f\x7f";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const size_t n = 1 + random() % 12;
    for (size_t i = 0; i < n; ++i) text += letters[random() % letters.size()];
    text += '\n';
    INFO(text);
    CHECK(error_in(text, false) == error_in(text, true));
  }
}

TEST_CASE("doubles have the fewest digits") {
  const auto text = [](double x) {
    char out[40];
    return std::string(out, io::write_double(out, x));
  };
  CHECK(text(0.1) == "0.1");
  CHECK(text(-0.0) == "-0.0");
  CHECK(text(1e16) == "1e+16");
  CHECK(text(1e15) == "1000000000000000.0");
  CHECK(text(1e-4) == "0.0001");
  CHECK(text(-1.25e-5) == "-1.25e-05");
  CHECK(text(123456789012345.5) == "123456789012345.5");
}

}  // namespace
}  // namespace serrate
