// enforce_type, run_lengths and records of other fields: values, types and refusals.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

namespace serrate {
namespace {

using testing::array;
using testing::show;

std::string as(const Array& x, const char* type) {
  return show(enforce_type(x, parse_type(type, false)));
}

TEST_CASE("enforce_type adds and takes away options") {
  CHECK(as(array("2 * int64", "[1,2]"), "?float32") == "2 * ?float32 | [1.0,2.0]");
  CHECK(as(array("2 * ?int64", "[1,2]"), "int64") == "2 * int64 | [1,2]");
  CHECK_THROWS_AS(as(array("2 * ?int64", "[1,null]"), "int64"), ValueError);
  CHECK_THROWS_AS(as(array("1 * int64", "[1]"), "string"), TypeError);
}

TEST_CASE("enforce_type of lists, records and unions") {
  CHECK(as(array("2 * var * int64", "[[1,2],[3,4]]"), "2 * int64") ==
        "2 * 2 * int64 | [[1,2],[3,4]]");
  CHECK_THROWS_AS(as(array("2 * var * int64", "[[1],[3,4]]"), "2 * int64"), ValueError);
  CHECK(as(array("1 * {x: int64}", R"([{"x":1}])"), "{x: float64, y: ?string}") ==
        R"(1 * {x: float64, y: ?string} | [{"x":1.0,"y":null}])");
  CHECK_THROWS_AS(as(array("1 * {x: int64}", R"([{"x":1}])"), "{x: int64, y: string}"), TypeError);
  CHECK(as(array("1 * int64", "[1]"), "union[int64, string]") == "1 * union[int64, string] | [1]");
  const Array both = array("2 * union[int64, string]", R"([1,"a"])");
  CHECK_THROWS_AS(as(both, "int64"), ValueError);
  CHECK(as(getitem(both, {Slice{0, 1}}), "int64") == "1 * int64 | [1]");
}

TEST_CASE("run_lengths of numbers, strings and missing values") {
  CHECK(show(run_lengths(array("3 * var * int64", "[[1,1,2],[],[2]]"))) ==
        "3 * var * int64 | [[2,1],[],[1]]");
  CHECK(show(run_lengths(array("3 * string", R"(["a","a","b"])"))) == "2 * int64 | [2,1]");
  CHECK(show(run_lengths(array("4 * ?int64", "[1,null,null,1]"))) == "3 * int64 | [1,2,1]");
}

TEST_CASE("records of a union become one type of record") {
  const Array u = concatenate(
      {array("1 * {a: int64}", R"([{"a":1}])"), array("1 * {b: string}", R"([{"b":"x"}])")});
  CHECK(show(merge_union_of_records(u)) ==
        R"(2 * {a: ?int64, b: ?string} | [{"a":1,"b":null},{"a":null,"b":"x"}])");
  CHECK(show(merge_option_of_records(array("2 * ?{a: int64}", R"([{"a":1},null])"))) ==
        R"(2 * {a: ?int64} | [{"a":1},{"a":null}])");
  CHECK_THROWS_AS(merge_union_of_records(array("1 * int64", "[1]"), 1), AxisError);
  const auto both = broadcast_fields(
      {array("1 * {x: int64}", R"([{"x":1}])"), array("1 * {y: int64}", R"([{"y":2}])")});
  CHECK(show(both[1]) == R"(1 * {x: ?unknown, y: int64} | [{"x":null,"y":2}])");
}

TEST_CASE("zip with missing values outside, and without broadcasting") {
  const Array x = array("2 * ?int64", "[1,null]"), y = array("2 * int64", "[3,4]");
  CHECK(show(zip({{"x", x}, {"y", y}}, {.optiontype_outside_record = true})) ==
        R"(2 * ?{x: int64, y: int64} | [{"x":1,"y":3},null])");
  CHECK(show(zip_no_broadcast(std::vector<std::pair<std::string, Array>>{{"y", y}})) ==
        R"(2 * {y: int64} | [{"y":3},{"y":4}])");
  CHECK_THROWS_AS(zip_no_broadcast({y, array("1 * int64", "[1]")}), ValueError);
}

TEST_CASE("records are equal when all they hold is") {
  const Array a = array("2 * {x: int64, y: var * int64}", R"([{"x":1,"y":[2]},{"x":3,"y":[]}])");
  const Array b = array("2 * {y: var * int64, x: float64}", R"([{"y":[2],"x":1},{"y":[4],"x":3}])");
  CHECK(show(a == b) == "2 * bool | [true,false]");
  CHECK(show(a != b) == "2 * bool | [false,true]");
}

}  // namespace
}  // namespace serrate
