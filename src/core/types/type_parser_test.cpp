// Tests of reading types: lengths, errors and bounds. What is read is tested with printing.
#include "../../../tests/cpp/catch.h"
#include "serrate/error.h"
#include "serrate/type.h"

using serrate::DType;
using serrate::parse_type;
using serrate::Type;
using Kind = Type::Kind;

namespace {

std::string error_of(std::string_view text) {
  try {
    parse_type(text);
  } catch (const serrate::ValueError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a leading length makes an array only at high level") {
  CHECK(parse_type("3 * int64") == Type::array(3, Type::number(DType::int64)));
  CHECK(parse_type("3 * int64", false) == Type::regular(Type::number(DType::int64), 3));
  CHECK(parse_type("3 * 2 * int64").content().is(Kind::regular));
  CHECK(parse_type("## * int64").size() == serrate::kUnknownSize);
}

TEST_CASE("bad type strings name the position and what was expected") {
  CHECK(error_of("int63") == "type string: expected a type at position 0, got \"int63\"");
  CHECK(error_of("{x: int64") == "type string: expected ',' at position 9, got the end");
  CHECK(error_of("{x int64}") == "type string: expected ':' at position 3, got \"int64}\"");
  CHECK(error_of("int8 int8") ==
        "type string: expected the end of the type at position 5, got \"int8\"");
  for (const char* text : {"",
                           " ",
                           "3 *",
                           "3",
                           "var int64",
                           "(int64,)",
                           "(int64",
                           "[var * int64]",
                           "option[int64",
                           "option[int64, parameters={\"a\":}]",
                           "option[int64, parameters={\"a\": 1e999}]",
                           "datetime64[foo]",
                           "datetime64[-5s]",
                           "datetime64[",
                           "datetime64[99999999999s]",
                           "99999999999999999999 * int64",
                           "-1 * int64",
                           "# * int64",
                           "string[x]",
                           "string[5",
                           "float128",
                           "complex256",
                           "{\"x: int64}",
                           "{\"\\q\": int64}",
                           "{\"\xff\": int64}",
                           "{3: int64}",
                           "Point[x: int64, int64]",
                           "Point[int64, x: int64]",
                           "union[int64",
                           "categorical[string]",
                           "int64[parameters={\"a\": tru}]",
                           "int64[parameters={\"a\": +}]",
                           "int64[parameters={\"a\": 1e}]",
                           "int64[parameters={a: 1}]",
                           "int64[parameters=[1]]",
                           "\xce\xbc"}) {
    INFO(text);
    CHECK(error_of(text).starts_with("type"));
  }
}

TEST_CASE("deep nesting is an error, not a crash") {
  const auto nested = [](size_t n, const std::string& open) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += open;
    return out;
  };
  CHECK(parse_type(nested(200, "var * ") + "int64").depth() == 201);
  for (const char* open : {"?", "var * ", "2 * ", "(", "[", "{x: ", "P[", "union[", "tuple[["}) {
    CHECK(error_of(nested(100000, open) + "int64") != "no error");
  }
  CHECK(error_of("int64[parameters={\"a\": " + nested(100000, "[")) != "no error");
  Type t;
  const auto wrap = [&] {
    for (int i = 0; i < 1000; ++i) t = Type::list(t);
  };
  CHECK_THROWS_AS(wrap(), serrate::ValueError);
}
