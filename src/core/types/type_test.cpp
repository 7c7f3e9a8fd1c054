// Tests of printing, parsing, parameters and equality of types.
#include "serrate/type.h"

#include "../../../tests/cpp/catch.h"
#include "serrate/error.h"

using serrate::DType;
using serrate::equivalent;
using serrate::parse_type;
using serrate::Type;
using Kind = Type::Kind;

namespace {

struct Case {
  std::string text;
  std::string printed = text;
};

/// Texts, and how Awkward 2.14 prints what it reads from them (where that differs).
const Case kCases[] = {
    {"{type: int64}"},
    {"{var: int64}"},
    {"{int64: int64}"},
    {R"t({"type": int64})t", "{type: int64}"},
    {"categorical[type=unknown]"},
    {R"t([unknown, parameters={"a": 1}])t", R"t(unknown[parameters={"a": 1}])t"},
    {"??int64"},
    {"union[int64]"},
    {R"t(datetime64[s][parameters={"a": 1}])t"},
    {R"t(Foo[x: int64, parameters={"a": 1}])t"},
    {R"t(Foo["type": int64])t", "Foo[type: int64]"},
    {"Foo[]"},
    {R"t({"a\u00e9b": int64})t"},
    {"categorical[type=?int64]", "?categorical[type=int64]"},
    {"?categorical[type=string]"},
    {"( int64 )", "(int64)"},
    {R"t(int64[parameters={"b":{"z":1,"a":+2.5e3,"c":[.5,5.,007,-0,1e15,1e16,1e-5,12345678901234567890123]}}])t",
     R"t(int64[parameters={"b": {"z": 1, "a": 2500.0, "c": [0.5, 5.0, 7, 0, 1000000000000000.0, 1e+16, 1e-05, 12345678901234567890123]}}])t"},
    {R"t([string, parameters={"a": 1}])t", "string"},
    {R"t([var * uint8, parameters={"__array__": "string"}])t", "string"},
    {R"t(int64[parameters={"__unit__": "s"}])t", R"t(int64[unit="s"])t"},
    {R"t(int64[parameters={"__unit__": "10us", "x": "y"}])t",
     R"t(int64[unit="10us", parameters={"x": "y"}])t"},
    {R"t([?int64, parameters={"a": 1}])t", R"t(option[int64, parameters={"a": 1}])t"},
    {R"t(int64[parameters={"a": null}])t", "int64"},
    {"?var*int64", "option[var * int64]"},
    {"option[string]", "?string"},
    {R"t(option[int64, parameters={"a":"b"}])t", R"t(option[int64, parameters={"a": "b"}])t"},
    {R"t(categorical[type=option[int64, parameters={"a":"b"}]])t",
     R"t(option[categorical[type=int64], parameters={"a": "b"}])t"},
    {"categorical[type={x: int64}]"},
    {R"t(tuple[[], parameters={"a": 1}])t"},
    {"tuple[[int64]]", "(int64)"},
    {"struct[{x: int64}]", "{x: int64}"},
    {R"t(struct[{"x y": int64}, parameters={"__record__": "a b"}])t"},
    {R"t(union[int64, string, parameters={"a": "b"}])t"},
    {"unknown[parameters={}]", "unknown"},
    {"[unknown, parameters={}]", "unknown"},
    {R"t(3 * [2 * int64, parameters={"a": 1}])t"},
    {R"t(struct[{x: int64}, parameters={"__record__": "option", "k": 1}])t"},
    {"bool"},
    {"int8"},
    {"int16"},
    {"int32"},
    {"uint8"},
    {"uint16"},
    {"uint32"},
    {"uint64"},
    {"float32"},
    {"float64"},
    {"complex64"},
    {"complex128"},
    {"datetime64"},
    {"timedelta64"},
    {"datetime64[ns]"},
    {"datetime64[10us]"},
    {"timedelta64[1D]", "timedelta64[D]"},
    {"timedelta64[007h]", "timedelta64[7h]"},
    {"unknown"},
    {"string"},
    {"bytes"},
    {"char"},
    {"byte"},
    {"string[5]"},
    {"bytes[5]"},
    {"string[0]"},
    {"3 * int64"},
    {"0 * var * float32"},
    {"3 * 4 * 5 * bool"},
    {"var * var * string"},
    {"var * 3 * ?float64"},
    {"?string"},
    {"option[3 * int64]"},
    {"option[var * ?int64]"},
    {"?bytes[4]"},
    {"?{x: ?int64, y: option[var * string]}"},
    {"{}"},
    {"()"},
    {"(int64, float64)"},
    {"(int64, (string, {x: bool}))"},
    {"{x: int64, y: float64}"},
    {R"t({"x": int64, "0": float64, "a b": string, "_ok1": bool, "\"q\"": int8, "": int8})t",
     R"t({x: int64, "0": float64, "a b": string, _ok1: bool, "\"q\"": int8, "": int8})t"},
    {"Point[x: float64, y: float64]"},
    {"Point[float64, float64]"},
    {R"t(Vec3D["x": float64])t", "Vec3D[x: float64]"},
    {"var * Point[x: float64, y: var * Point[x: int8]]"},
    {"union[int64, string]"},
    {"union[int64, var * union[string, ?bool]]"},
    {"union[]"},
    {"union[?int64, ?string]"},
    {"categorical[type=string]"},
    {"var * categorical[type=int64]"},
    {"categorical[type=categorical[type=string]]", "categorical[type=string]"},
    {R"t([var * int64, parameters={"__list__": "name"}])t"},
    {R"t([3 * int64, parameters={"__array__": "sorted_map"}])t"},
    {R"t([var * char, parameters={"__array__": "string"}])t", "string"},
    {R"t([var * byte, parameters={"__array__": "bytestring"}])t", "bytes"},
    {R"t([7 * byte, parameters={"__array__": "bytestring"}])t", "bytes[7]"},
    {R"t([7 * char, parameters={"__array__": "string", "__doc__": "seven"}])t", "string[7]"},
    {R"t(uint8[parameters={"__array__": "char"}])t", "char"},
    {R"t(uint8[parameters={"__array__": "byte"}])t", "byte"},
    {R"t(struct[{x: int64}, parameters={"__doc__": "a \"doc\""}])t"},
    {R"t(tuple[[int64, string], parameters={"__doc__": "a doc", "n": [1, 2.5, true, false, null, {"k": "v"}]}])t"},
    {R"t(struct[{}, parameters={"__record__": "Empty"}])t", "Empty[]"},
    {R"t(tuple[[], parameters={"__record__": "Empty"}])t", "Empty[]"},
    {R"t(struct[{x: int64}, parameters={"__record__": "int64"}])t"},
    {R"t(struct[{x: int64}, parameters={"__record__": "float128"}])t"},
    {R"t(struct[{x: int64}, parameters={"__record__": "with-dash"}])t"},
    {R"t(tuple[[int64], parameters={"__record__": "Name", "__doc__": "x"}])t",
     R"t(Name[int64, parameters={"__doc__": "x"}])t"},
    {R"t(option[var * int64, parameters={"__doc__": "hi"}])t"},
    {R"t([option[var * int64], parameters={"__doc__": "hi"}])t",
     R"t(option[var * int64, parameters={"__doc__": "hi"}])t"},
    {R"t(option[int64[parameters={"__doc__": "inner"}], parameters={"__doc__": "outer"}])t"},
    {R"t([int64[parameters={"a": 1, "b": 2}], parameters={"a": 3}])t",
     R"t(int64[parameters={"a": 3, "b": 2}])t"},
    {R"t({x: int64[parameters={"__units__": "GeV"}]})t"},
    {"   3*var  *  ?  int64  ", "3 * var * ?int64"},
    {"{ x :int64,y: (int8 ,int16) }", "{x: int64, y: (int8, int16)}"},
    {R"t(datetime64[s][parameters={"__doc__": "t"}])t"},
    {R"t(datetime64[parameters={"__doc__": "t"}])t"},
    {"?datetime64[ms]"},
};

/// Texts and their several-line form by Awkward 2.14.
const Case kPretty[] = {
    {"var * {x: int64, y: union[string, (int8, ?bool)]}",
     "var * {\n    x: int64,\n    y: union[\n        string,\n        (\n            int8,\n       "
     "     ?bool\n        )\n    ]\n}"},
    {R"t(Point[x: int64, parameters={"a": 1}])t", "Point[\n    x: int64, \nparameters={\"a\": 1}]"},
    {"{}", "{\n    \n}"},
    {R"t(union[int64, string, parameters={"a": 1}])t",
     "union[\n    int64,\n    string, \nparameters={\"a\": 1}]"},
    {R"t(tuple[[int64, string], parameters={"a": 1}])t",
     "tuple[[\n    int64,\n    string\n], parameters={\"a\": 1}]"},
    {"string", "string"},
};

}  // namespace

TEST_CASE("types print as Awkward prints them") {
  for (const Case& c : kCases) {
    INFO(c.text);
    const Type t = parse_type(c.text, /*highlevel=*/false);
    CHECK(t.str() == c.printed);
    const Type again = parse_type(t.str(), /*highlevel=*/false);
    CHECK(again.str() == c.printed);
    CHECK(again == parse_type(again.str(), /*highlevel=*/false));
  }
}

TEST_CASE("types print in several lines as Awkward prints them") {
  for (const Case& c : kPretty) {
    INFO(c.text);
    CHECK(parse_type(c.text).pretty() == c.printed);
    CHECK(parse_type(c.printed).str() == c.text);
  }
}

TEST_CASE("types that Awkward prints but does not read") {
  for (const std::string text :
       {"float16", "?float16", "int64[unit=\"s\"]", "int64[unit=\"10us\", parameters={\"a\": 1}]",
        "## * int64", "var[x: int64]", "char[x: int64]", "int8x[int64]", "parameters[int8]",
        "unknown[parameters={\"a\": 1}]", "union[parameters={\"a\": 1}]"}) {
    INFO(text);
    CHECK(parse_type(text).str() == text);
  }
}

TEST_CASE("types are made and taken apart") {
  const Type x = Type::number(DType::float64);
  const Type t = Type::array(3, Type::list(Type::record({"x", "a b"}, {x, Type::option(x)})));
  CHECK(t.str() == "3 * var * {x: float64, \"a b\": ?float64}");
  const Type record = t.content().content();
  CHECK(record.field_index("a b") == 1);
  CHECK(record.field_index("1") == -1);
  CHECK(Type::tuple({x, x}).field_index("1") == 1);
  CHECK(Type::tuple({x, x}).field_index("2") == -1);
  CHECK(record.content(1).content().dtype() == DType::float64);
  CHECK(t.depth() == 5);
  CHECK(Type() == Type::unknown());
  CHECK(Type::datetime("timedelta64", "1ms").unit() == "ms");
  CHECK(Type::string(5).is_fixed_size());
  CHECK_FALSE(Type::string().is_fixed_size());
  CHECK_THROWS_AS(record.dtype(), serrate::TypeError);
  CHECK_THROWS_AS(record.content(2), serrate::IndexError);
  CHECK_THROWS_AS(Type::list(t), serrate::TypeError);
  CHECK_THROWS_AS(Type::regular(x, -2), serrate::ValueError);
  CHECK_THROWS_AS(Type::record({"x"}, {x, x}), serrate::ValueError);
  CHECK_THROWS_AS(Type::datetime("datetime64", "parsec"), serrate::ValueError);
  CHECK_THROWS_AS(Type::datetime("int64", "s"), serrate::ValueError);
  CHECK_THROWS_AS(Type::number(DType::int8, "s"), serrate::TypeError);
}

TEST_CASE("parameters are kept as JSON text") {
  const Type t = Type::number(DType::int8).with_parameter("a", "{\"b\":[1,2]}");
  CHECK(t.parameter("a") == "{\"b\": [1, 2]}");
  CHECK(t.parameter("c").empty());
  CHECK(t.with_parameter("a", "null") == Type::number(DType::int8));
  CHECK(t.with_parameter("b", "1").with_parameter("a", "2").parameters() ==
        serrate::Parameters{{"a", "2"}, {"b", "1"}});
  CHECK(parse_type("Point[x: int8]").record_name() == "Point");
  CHECK(Type::string().as_categorical().str() == "categorical[type=string]");
  CHECK(Type::string().as_categorical().as_categorical(false) == Type::string());
  CHECK_THROWS_AS(t.with_parameter("a", "{"), serrate::ValueError);
  CHECK_THROWS_AS(parse_type("3 * int8").with_parameter("a", "1"), serrate::TypeError);
}

TEST_CASE("strings are lists of characters with a parameter") {
  const Type chars = Type::list(Type::character());
  CHECK(chars.with_parameter("__array__", "\"string\"") == Type::string());
  CHECK(Type::regular(Type::byte(), 4).with_parameter("__array__", "\"bytestring\"") ==
        Type::bytestring(4));
  CHECK(Type::string().with_parameter("__array__", "\"other\"").content() == Type::character());
  CHECK(Type::string(3).with_parameter("__array__", "\"bytestring\"") == Type::bytestring(3));
}

TEST_CASE("equality is exact, equivalence is Awkward's") {
  const auto both = [](const char* a, const char* b) {
    const Type x = parse_type(a), y = parse_type(b);
    return std::pair(x == y, equivalent(x, y));
  };
  using Pair = std::pair<bool, bool>;
  CHECK(both("{x: int8, y: bool}", "{x: int8, y: bool}") == Pair(true, true));
  CHECK(both("{x: int8, y: bool}", "{y: bool, x: int8}") == Pair(false, true));
  CHECK(both("union[int8, bool]", "union[bool, int8]") == Pair(false, true));
  CHECK(both("union[int8, int8]", "union[bool, int8]") == Pair(false, false));
  CHECK(both("int8[parameters={\"a\": 1}]", "int8") == Pair(false, true));
  CHECK(both("P[x: int8]", "{x: int8}") == Pair(false, false));
  CHECK(both("## * int8", "3 * int8") == Pair(false, true));
  CHECK(both("4 * int8", "3 * int8") == Pair(false, false));
  CHECK(both("datetime64[s]", "datetime64[ms]") == Pair(false, false));
  CHECK(both("string[4]", "string") == Pair(false, false));
  CHECK(both("(int8, bool)", "(bool, int8)") == Pair(false, false));
  const Type a = parse_type("int8[parameters={\"a\": 1}]");
  CHECK_FALSE(equivalent(a, Type::number(DType::int8), /*all_parameters=*/true));
}
