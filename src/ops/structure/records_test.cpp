// Records; values and types are those of Awkward Array 2.14.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

using namespace serrate;
using testing::array;
using testing::show;

namespace {
const Array D = array("2 * {x: int64, y: float64}", R"([{"x": 1, "y": 1.5}, {"x": 2, "y": 2.5}])");
const Array N = array("3 * var * {x: int64, y: {z: int64}}",
                      R"([[{"x": 1, "y": {"z": 1}}], [], [{"x": 2, "y": {"z": 5}}]])");
const Array T = array("2 * (int64, float64)", R"([[1, 2.5], [3, 4.5]])");
const Array O = array("3 * ?{x: ?int64}", R"([{"x": 1}, null, {"x": null}])");
const Array J = array("2 * var * int64", R"([[1, 2], [3]])");
const Array X = array("5 * option[var * ?int64]", R"([[1, 2], [], [3, null], null, [5]])");
const Array U = array("2 * {x: union[int64, string], y: ?int64}",
                      R"([{"x": 1, "y": null}, {"x": "a", "y": 1}])");
}  // namespace

TEST_CASE("zip", "[records]") {
  CHECK(show(zip({J, array("2 * string", R"(["a","b"])")})) ==
        R"(2 * var * (int64, string) | [[[1,"a"],[2,"a"]],[[3,"b"]]])");
  CHECK(show(zip({{"x", J}, {"y", Array(1)}})) ==
        R"(2 * var * {x: int64, y: int64} | [[{"x":1,"y":1},{"x":2,"y":1}],[{"x":3,"y":1}]])");
  CHECK(
      show(zip({array("2 * option[var * int64]", "[[1,2],null]"), array("2 * int64", "[1,2]")})) ==
      R"(2 * option[var * (int64, int64)] | [[[1,1],[2,1]],null])");
  CHECK(show(zip({array("2 * ?int64", "[1,null]"), array("2 * int64", "[1,2]")})) ==
        R"(2 * (?int64, int64) | [[1,1],[null,2]])");
  CHECK(show(zip({Array(1), Array(2)})) == R"((int64, int64) | [1,2])");
  CHECK(show(zip({array("2 * int64", "[1,2]"), D})) ==
        R"(2 * (int64, {x: int64, y: float64}) | [[1,{"x":1,"y":1.5}],[2,{"x":2,"y":2.5}]])");
  CHECK(
      show(zip({array("2 * var * int64", "[[1],[2,3]]"), D})) ==
      R"(2 * var * (int64, {x: int64, y: float64}) | [[[1,{"x":1,"y":1.5}]],[[2,{"x":2,"y":2.5}],[3,{"x":2,"y":2.5}]]])");
  CHECK(show(zip({array("2 * 1 * int64", "[[1],[2]]"), array("2 * 2 * int64", "[[1,2],[3,4]]")})) ==
        R"(2 * 2 * (int64, int64) | [[[1,1],[1,2]],[[2,3],[2,4]]])");
  CHECK(show(zip({{"x", J}, {"y", J}}, {.depth_limit = 1})) ==
        R"(2 * {x: var * int64, y: var * int64} | [{"x":[1,2],"y":[1,2]},{"x":[3],"y":[3]}])");
  CHECK(
      show(zip({{"x", X}, {"y", Array(1)}}, {.with_name = "P"})) ==
      R"(5 * option[var * P[x: ?int64, y: int64]] | [[{"x":1,"y":1},{"x":2,"y":1}],[],[{"x":3,"y":1},{"x":null,"y":1}],null,[{"x":5,"y":1}]])");
  CHECK(
      show(zip({{"x", array("2 * union[int64, var * int64]", "[1,[1]]")},
                {"y", array("2 * union[int64, var * int64]", "[1,[2]]")}})) ==
      R"(2 * union[{x: int64, y: int64}, var * {x: int64, y: int64}] | [{"x":1,"y":1},[{"x":1,"y":2}]])");
  CHECK(show(zip({{"x", array("0 * unknown", "[]")}, {"y", array("0 * unknown", "[]")}})) ==
        R"(0 * {x: unknown, y: unknown} | [])");
}

TEST_CASE("fields", "[records]") {
  CHECK(show(D["x"]) == R"(2 * int64 | [1,2])");
  CHECK(show(N["y"]["z"]) == R"(3 * var * int64 | [[1],[],[5]])");
  CHECK(show(O["x"]) == R"(3 * ?int64 | [1,null,null])");
  CHECK(show(T["1"]) == R"(2 * float64 | [2.5,4.5])");
  CHECK(show(U["x"]) == R"(2 * union[int64, string] | [1,"a"])");
  CHECK(show(unzip(N)[1]) == R"(3 * var * {z: int64} | [[{"z":1}],[],[{"z":5}]])");
  CHECK(show(unzip(J)[0]) == R"(2 * var * int64 | [[1,2],[3]])");
  CHECK(show(project(D, {"y"})) == R"(2 * {y: float64} | [{"y":1.5},{"y":2.5}])");
  CHECK(show(project(N, {"x"})) == R"(3 * var * {x: int64} | [[{"x":1}],[],[{"x":2}]])");
  CHECK(show(project(T, {"1"})) == R"(2 * (float64) | [[2.5],[4.5]])");
}

TEST_CASE("with_field", "[records]") {
  CHECK(show(with_field(D, 1, {"z"})) ==
        R"(2 * {x: int64, y: float64, z: int64} | [{"x":1,"y":1.5,"z":1},{"x":2,"y":2.5,"z":1}])");
  CHECK(show(with_field(D, array("2 * int64", "[5,6]"), {"y"})) ==
        R"(2 * {x: int64, y: int64} | [{"x":1,"y":5},{"x":2,"y":6}])");
  CHECK(
      show(with_field(D, J, {"z"})) ==
      R"(2 * {x: int64, y: float64, z: var * int64} | [{"x":1,"y":1.5,"z":[1,2]},{"x":2,"y":2.5,"z":[3]}])");
  CHECK(
      show(with_field(N, array("3 * int64", "[1,2,3]"), {"w"})) ==
      R"(3 * var * {x: int64, y: {z: int64}, w: int64} | [[{"w":1,"x":1,"y":{"z":1}}],[],[{"w":3,"x":2,"y":{"z":5}}]])");
  CHECK(
      show(with_field(N, 1, {"y", "w"})) ==
      R"(3 * var * {x: int64, y: {z: int64, w: int64}} | [[{"x":1,"y":{"w":1,"z":1}}],[],[{"x":2,"y":{"w":1,"z":5}}]])");
  CHECK(
      show(with_field(N, array("3 * var * int64", "[[1],[],[2]]"), {"x"})) ==
      R"(3 * var * {x: int64, y: {z: int64}} | [[{"x":1,"y":{"z":1}}],[],[{"x":2,"y":{"z":5}}]])");
  CHECK(
      show(with_field(T, 3, {"2"})) ==
      R"(2 * {"0": int64, "1": float64, "2": int64} | [{"0":1,"1":2.5,"2":3},{"0":3,"1":4.5,"2":3}])");
  CHECK(
      show(with_field(T, 3, {"x"})) ==
      R"(2 * {"0": int64, "1": float64, x: int64} | [{"0":1,"1":2.5,"x":3},{"0":3,"1":4.5,"x":3}])");
  CHECK(show(with_field(T, 3, {""})) == R"(2 * (int64, float64, int64) | [[1,2.5,3],[3,4.5,3]])");
  CHECK(show(with_field(O, 3, {"y"})) ==
        R"(3 * ?{x: ?int64, y: int64} | [{"x":1,"y":3},null,{"x":null,"y":3}])");
  CHECK(
      show(with_field(D, array("2 * ?int64", "[1,null]"), {"z"})) ==
      R"(2 * {x: int64, y: float64, z: ?int64} | [{"x":1,"y":1.5,"z":1},{"x":2,"y":2.5,"z":null}])");
}

TEST_CASE("without_field", "[records]") {
  CHECK(show(without_field(D, {"x"})) == R"(2 * {y: float64} | [{"y":1.5},{"y":2.5}])");
  CHECK(show(without_field(N, {"y", "z"})) ==
        R"(3 * var * {x: int64, y: {}} | [[{"x":1,"y":{}}],[],[{"x":2,"y":{}}]])");
  CHECK(show(without_field(T, {"0"})) == R"(2 * (float64) | [[2.5],[4.5]])");
  CHECK(show(without_field(O, {"x"})) == R"(3 * ?{} | [{},null,{}])");
}

TEST_CASE("names and parameters", "[records]") {
  CHECK(show(with_name(D, "P")) ==
        R"(2 * P[x: int64, y: float64] | [{"x":1,"y":1.5},{"x":2,"y":2.5}])");
  CHECK(
      show(with_name(N, "P")) ==
      R"(3 * var * P[x: int64, y: {z: int64}] | [[{"x":1,"y":{"z":1}}],[],[{"x":2,"y":{"z":5}}]])");
  CHECK(show(with_name(J, "P")) == R"(2 * var * int64 | [[1,2],[3]])");
  CHECK(show(with_parameter(J, "a", "1")) ==
        R"(2 * [var * int64, parameters={"a": 1}] | [[1,2],[3]])");
  CHECK(
      show(with_parameter(D, "a", R"("b")")) ==
      R"(2 * struct[{x: int64, y: float64}, parameters={"a": "b"}] | [{"x":1,"y":1.5},{"x":2,"y":2.5}])");
  CHECK(show(without_parameters(with_name(D, "P"))) ==
        R"(2 * {x: int64, y: float64} | [{"x":1,"y":1.5},{"x":2,"y":2.5}])");
  CHECK(show(without_parameters(array("1 * string", R"(["a"])"))) == R"(1 * var * uint8 | [[97]])");
}

TEST_CASE("what has no such field", "[records]") {
  CHECK_THROWS_AS(D["q"], FieldError);
  CHECK_THROWS_AS(project(D, {"q"}), FieldError);
  CHECK_THROWS_AS(without_field(D, {"q"}), FieldError);
  CHECK_THROWS_AS(with_field(N, 1, {"q", "w"}), FieldError);
  CHECK_THROWS_AS(with_field(J, 1, {"x"}), ValueError);
  CHECK_THROWS_AS(zip({J, J}, {.depth_limit = 0}), ValueError);
  CHECK_THROWS_AS(zip({{"x", array("3 * int64", "[1,2,3]")}, {"y", J}}), ValueError);
  CHECK(D.fields() == std::vector<std::string>{"x", "y"});
  CHECK(T.fields() == std::vector<std::string>{"0", "1"});
}
