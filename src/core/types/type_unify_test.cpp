// Tests of the common type of two types, against ak.concatenate.
#include "../../../tests/cpp/catch.h"
#include "serrate/error.h"
#include "serrate/type.h"

using serrate::parse_type;
using serrate::Type;
using serrate::unify;

namespace {

struct Case {
  std::string a, b;
  std::string with_mergebool;
  std::string without = with_mergebool;
};

/// str(ak.concatenate([a, b], mergebool=...).type.content) of Awkward 2.14.
const Case kCases[] = {
    {"int64", "int64", "int64"},
    {"int64", "float32", "float64"},
    {"int8", "uint8", "int16"},
    {"int64", "uint64", "float64"},
    {"bool", "int64", "int64", "union[bool, int64]"},
    {"bool", "float32", "float32", "union[bool, float32]"},
    {"bool", "bool", "bool"},
    {"complex64", "float64", "complex128"},
    {"int64", "?int64", "?int64"},
    {"?int64", "float32", "?float64"},
    {"?int64", "?bool", "?int64", "union[?int64, ?bool]"},
    {"?string", "string", "?string"},
    {"string", "string", "string"},
    {"string", "bytes", "union[string, bytes]"},
    {"string", "int64", "union[string, int64]"},
    {"string[3]", "string[3]", "string[3]"},
    {"string[3]", "string[4]", "string"},
    {"string[3]", "string", "string"},
    {"bytes[2]", "bytes[2]", "bytes[2]"},
    {"unknown", "int64", "int64"},
    {"int64", "unknown", "int64"},
    {"unknown", "var * int64", "var * int64"},
    {"?unknown", "int64", "?int64"},
    {"string", "?unknown", "?string"},
    {"unknown", "unknown", "unknown"},
    {"var * int64", "var * float64", "var * float64"},
    {"var * int64", "3 * float64", "var * float64"},
    {"3 * int64", "3 * float64", "3 * float64"},
    {"3 * int64", "2 * float64", "var * float64"},
    {"var * int64", "int64", "union[var * int64, int64]"},
    {"var * int64", "var * string", "union[var * int64, var * string]"},
    {"var * bool", "var * int64", "var * int64", "union[var * bool, var * int64]"},
    {"var * int64", "var * ?int64", "var * ?int64"},
    {"option[var * int64]", "var * float32", "option[var * float64]"},
    {"option[3 * int64]", "3 * int64", "option[3 * int64]"},
    {"option[3 * int64]", "2 * int64", "option[var * int64]"},
    {"var * unknown", "var * string", "var * string"},
    {"var * var * int8", "var * 2 * int16", "var * var * int16"},
    {"var * union[int64, string]", "var * bool", "var * union[int64, string, bool]"},
    {"{x: int64}", "{x: float64}", "{x: float64}"},
    {"{x: int64, y: string}", "{y: string, x: bool}", "{x: int64, y: string}",
     "union[{x: int64, y: string}, {y: string, x: bool}]"},
    {"{x: int64}", "{y: int64}", "union[{x: int64}, {y: int64}]"},
    {"{x: int64}", "{x: string}", "union[{x: int64}, {x: string}]"},
    {"{x: int64}", "{x: int64, y: int64}", "union[{x: int64}, {x: int64, y: int64}]"},
    {"{x: int64}", "?{x: float32}", "?{x: float64}"},
    {"{x: ?int64}", "{x: int64}", "{x: ?int64}"},
    {"{x: var * int64}", "{x: 3 * int64}", "{x: var * int64}"},
    {"(int64, string)", "(float64, string)", "(float64, string)"},
    {"(int64, string)", "(int64)", "union[(int64, string), (int64)]"},
    {"(int64)", "{x: int64}", "union[(int64), {x: int64}]"},
    {"P[x: int64]", "P[x: float64]", "P[x: float64]"},
    {"P[x: int64]", "{x: int64}", "union[P[x: int64], {x: int64}]"},
    {"P[x: int64]", "Q[x: int64]", "union[P[x: int64], Q[x: int64]]"},
    {"{}", "{}", "{}"},
    {"()", "()", "()"},
    {"union[int64, string]", "int64", "union[int64, string]"},
    {"union[int64, string]", "bool", "union[int64, string]", "union[int64, string, bool]"},
    {"union[int64, string]", "?bool", "union[?int64, ?string]", "union[?int64, ?string, ?bool]"},
    {"union[int64, string]", "float64", "union[float64, string]"},
    {"union[int64, string]", "var * int64", "union[int64, string, var * int64]"},
    {"union[int64, string]", "?int64", "union[?int64, ?string]"},
    {"union[int64, string]", "union[string, bool]", "union[int64, string]",
     "union[int64, string, bool]"},
    {"union[int64, string]", "?unknown", "union[?int64, ?string]"},
    {"int64", "union[string, bool]", "union[int64, string]", "union[int64, string, bool]"},
    {"?int64", "union[string, {x: int64}]", "union[?int64, ?string, ?{x: int64}]"},
    {"union[?int64, ?string]", "{x: int64}", "union[?int64, ?string, ?{x: int64}]"},
    {"datetime64[s]", "datetime64[s]", "datetime64[s]"},
    {"datetime64[s]", "datetime64[ms]", "union[datetime64[s], datetime64[ms]]"},
    {"datetime64[s]", "int64", "union[datetime64[s], int64]"},
    {"timedelta64[s]", "datetime64[s]", "union[timedelta64[s], datetime64[s]]"},
    {R"t(int64[parameters={"a": 1, "b": 2}])t", R"t(int64[parameters={"a": 1, "b": 3}])t",
     R"t(int64[parameters={"a": 1}])t"},
    {R"t(int64[parameters={"a": 1}])t", "int64", "int64"},
    {R"t([var * int64, parameters={"__list__": "a"}])t", "var * int64",
     R"t(union[[var * int64, parameters={"__list__": "a"}], var * int64])t"},
    {R"t([var * int64, parameters={"__doc__": "a"}])t",
     R"t([var * bool, parameters={"__doc__": "a"}])t",
     R"t([var * int64, parameters={"__doc__": "a"}])t",
     R"t(union[[var * int64, parameters={"__doc__": "a"}], [var * bool, parameters={"__doc__": "a"}]])t"},
    {"char", "uint8", "union[char, uint8]"},
    {"char", "char", "char"},
};

/// Here Awkward's result depends on the order or loses what both agree on; ours does not.
const Case kOwn[] = {
    {"3 * int64", "unknown", "3 * int64"},                                   // var * int64
    {"P[x: int64]", "unknown", "P[x: int64]"},                               // {x: int64}
    {"P[x: int64]", "?unknown", "?P[x: int64]"},                             // ?{x: int64}
    {"3 * int64", "union[string, bool]", "union[3 * int64, string, bool]"},  // var *
    {"string", "categorical[type=string]", "string"},                        // stays categorical
    {"categorical[type=string]", "string", "string"},
    {"categorical[type=string]", "categorical[type=string]",
     "categorical[type=string]"},  // not implemented
    {"categorical[type=string]", "?categorical[type=string]", "?categorical[type=string]"},
    {"categorical[type=string]", "unknown", "categorical[type=string]"},  // not implemented
    {"?categorical[type=string]", "string", "?string"},
    {"categorical[type=string]", "int64", "union[categorical[type=string], int64]"},
    {"timedelta64[s]", "bool", "union[timedelta64[s], bool]"},  // timedelta64[s]
    {"float16", "int8", "float16"},
    {"2 * int64", "3 * int64", "var * int64"},
    {"??int64", "int64", "?int64"},
    {"?union[int64, string]", "int64", "union[?int64, ?string]"},
};

void check_case(const Case& c) {
  const Type a = parse_type(c.a, false), b = parse_type(c.b, false);
  INFO(c.a << " with " << c.b);
  CHECK(unify(a, b, true).str() == c.with_mergebool);
  CHECK(unify(a, b, false).str() == c.without);
}

}  // namespace

TEST_CASE("unify gives the types that Awkward gives") {
  for (const Case& c : kCases) check_case(c);
}

TEST_CASE("unify where Awkward's result depends on order") {
  for (const Case& c : kOwn) check_case(c);
}

TEST_CASE("unify of a type with itself changes nothing") {
  for (const Case& c : kCases) {
    const Type t = unify(parse_type(c.a, false), parse_type(c.b, false), false);
    INFO(t.str());
    CHECK(unify(t, t, false) == t);
    CHECK(equivalent(unify(t, Type::unknown(), false), t, true));
    CHECK(equivalent(unify(Type::unknown(), t, false), t, true));
  }
}

TEST_CASE("unify adds the lengths of arrays") {
  CHECK(unify(parse_type("3 * int64"), parse_type("4 * bool")).str() == "7 * int64");
  CHECK(unify(parse_type("## * int64"), parse_type("4 * bool")).str() == "## * int64");
  const Type huge = Type::array(INT64_MAX, Type::unknown());
  CHECK_THROWS_AS(unify(huge, huge), serrate::ValueError);
  CHECK_THROWS_AS(unify(huge, Type::unknown()), serrate::TypeError);
}

TEST_CASE("a union has at most 128 types") {
  std::vector<Type> contents;
  for (int i = 0; i < 128; ++i) contents.push_back(Type::record({std::to_string(i)}, {Type()}));
  const Type full = Type::union_(contents);
  CHECK(unify(full, contents[5]).contents().size() == 128);
  CHECK_THROWS_AS(unify(full, Type::string()), serrate::ValueError);
}

TEST_CASE("simplify_option moves options into unions") {
  const auto simple = [](const char* text) { return simplify_option(parse_type(text)).str(); };
  CHECK(simple("int64") == "?int64");
  CHECK(simple("??int64") == "?int64");
  CHECK(simple("union[int64, ?string]") == "union[?int64, ?string]");
}
