// Missing values; values and types are those of Awkward Array 2.14.
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
const Array J = array("2 * var * int64", R"([[1, 2], [3]])");
const Array X = array("5 * option[var * ?int64]", R"([[1, 2], [], [3, null], null, [5]])");
const Array S = array("2 * ?string", R"(["a", null])");
const Array U = array("3 * union[?int64, ?string]", R"([1, "a", null])");
const Array F = array("2 * ?int64", R"([1, null])");
const Array reg = array("2 * 2 * int64", R"([[1, 2], [3, 4]])");
const Array deep = array("2 * var * var * int64", R"([[[1, 2], []], []])");
const Array rl = array("2 * {x: var * int64}", R"([{"x": [1]}, {"x": []}])");
const Array rn = array("2 * ?{x: var * ?int64}", R"([{"x": [null, 1]}, null])");
}  // namespace

TEST_CASE("mask", "[missing]") {
  CHECK(show(mask(array("3 * int64", "[1,2,3]"), array("3 * ?bool", "[true,false,null]"))) ==
        R"(3 * ?int64 | [1,null,null])");
  CHECK(show(mask(X, array("5 * bool", "[true,false,true,true,false]"))) ==
        R"(5 * option[var * ?int64] | [[1,2],null,[3,null],null,null])");
  CHECK(show(mask(J, array("2 * var * bool", "[[true,false],[true]]"))) ==
        R"(2 * var * ?int64 | [[1,null],[3]])");
  CHECK(show(mask(J, array("2 * bool", "[true,false]"), false)) ==
        R"(2 * option[var * int64] | [null,[3]])");
  CHECK(show(mask(array("2 * int64", "[1,2]"), array("2 * var * bool", "[[true,false],[true]]"))) ==
        R"(2 * var * ?int64 | [[1,null],[2]])");
  CHECK(show(mask(D, array("2 * bool", "[true,false]"))) ==
        R"(2 * ?{x: int64, y: float64} | [{"x":1,"y":1.5},null])");
  CHECK(show(mask(array("2 * union[int64, string]", R"([1,"b"])"),
                  array("2 * bool", "[true,false]"))) ==
        R"(2 * union[?int64, ?string] | [1,null])");
  CHECK(show(mask(N, array("3 * var * bool", "[[true],[],[false]]"))) ==
        R"(3 * var * ?{x: int64, y: {z: int64}} | [[{"x":1,"y":{"z":1}}],[],[null]])");
}

TEST_CASE("is_none", "[missing]") {
  CHECK(show(is_none(X, 0)) == R"(5 * bool | [false,false,false,true,false])");
  CHECK(show(is_none(X, 1)) ==
        R"(5 * option[var * bool] | [[false,false],[],[false,true],null,[false]])");
  CHECK(show(is_none(X, -1)) ==
        R"(5 * option[var * bool] | [[false,false],[],[false,true],null,[false]])");
  CHECK(show(is_none(X, -2)) == R"(5 * bool | [false,false,false,true,false])");
  CHECK(show(is_none(U)) == R"(3 * bool | [false,false,true])");
  CHECK(show(is_none(D)) ==
        R"(2 * {x: bool, y: bool} | [{"x":false,"y":false},{"x":false,"y":false}])");
  CHECK(show(is_none(S)) == R"(2 * bool | [false,true])");
  CHECK(show(is_none(J)) == R"(2 * bool | [false,false])");
}

TEST_CASE("fill_none", "[missing]") {
  CHECK(show(fill_none(X, 0)) == R"(5 * option[var * int64] | [[1,2],[],[3,0],null,[5]])");
  CHECK(show(fill_none(X, 0, none)) == R"(5 * union[var * int64, int64] | [[1,2],[],[3,0],0,[5]])");
  CHECK(show(fill_none(X, 0, 0)) ==
        R"(5 * union[var * ?int64, int64] | [[1,2],[],[3,null],0,[5]])");
  CHECK(show(fill_none(X, 1.5, 1)) ==
        R"(5 * option[var * float64] | [[1.0,2.0],[],[3.0,1.5],null,[5.0]])");
  CHECK(show(fill_none(X, Array(), 0)) == R"(5 * var * ?int64 | [[1,2],[],[3,null],[],[5]])");
  CHECK(show(fill_none(X, array("string", R"("a")"))) ==
        R"(5 * option[var * union[int64, string]] | [[1,2],[],[3,"a"],null,[5]])");
  CHECK(show(fill_none(X, true)) == R"(5 * option[var * int64] | [[1,2],[],[3,1],null,[5]])");
  CHECK(show(fill_none(S, array("string", R"("bc")"))) == R"(2 * string | ["a","bc"])");
  CHECK(show(fill_none(U, array("string", R"("b")"))) ==
        R"(3 * union[int64, string] | [1,"a","b"])");
  CHECK(show(fill_none(array("1 * ?unknown", "[null]"), 1)) == R"(1 * int64 | [1])");
  CHECK(show(fill_none(rn, 0)) == R"(2 * ?{x: var * int64} | [{"x":[0,1]},null])");
  CHECK(show(fill_none(rn, 0, none)) == R"(2 * union[{x: var * int64}, int64] | [{"x":[0,1]},0])");
  CHECK(show(fill_none(X, array("2 * int64", "[7,8]"), 0)) ==
        R"(5 * var * ?int64 | [[1,2],[],[3,null],[7,8],[5]])");
  CHECK(show(fill_none(mask(array("2 * int8", "[1,2]"), array("2 * bool", "[true,false]")), 5)) ==
        R"(2 * int64 | [1,5])");
  CHECK(show(fill_none(J, 0.5)) == R"(2 * var * int64 | [[1,2],[3]])");
}

TEST_CASE("drop_none", "[missing]") {
  CHECK(show(drop_none(X)) == R"(4 * var * int64 | [[1,2],[],[3],[5]])");
  CHECK(show(drop_none(X, 0)) == R"(4 * var * ?int64 | [[1,2],[],[3,null],[5]])");
  CHECK(show(drop_none(X, 1)) == R"(5 * option[var * int64] | [[1,2],[],[3],null,[5]])");
  CHECK(show(drop_none(X, -1)) == R"(5 * option[var * int64] | [[1,2],[],[3],null,[5]])");
  CHECK(show(drop_none(rn)) == R"(1 * {x: var * int64} | [{"x":[1]}])");
  CHECK(show(drop_none(rn, 1)) == R"(2 * ?{x: var * int64} | [{"x":[1]},null])");
  CHECK(show(drop_none(U)) == R"(3 * union[?int64, ?string] | [1,"a",null])");
  CHECK(show(drop_none(reg)) == R"(2 * var * int64 | [[1,2],[3,4]])");
  CHECK(show(drop_none(S)) == R"(1 * string | ["a"])");
}

TEST_CASE("pad_none", "[missing]") {
  CHECK(show(pad_none(X, 2, 1, false)) ==
        R"(5 * option[var * ?int64] | [[1,2],[null,null],[3,null],null,[5,null]])");
  CHECK(show(pad_none(X, 2, 1, true)) ==
        R"(5 * option[2 * ?int64] | [[1,2],[null,null],[3,null],null,[5,null]])");
  CHECK(show(pad_none(X, 2, 0, false)) ==
        R"(5 * option[var * ?int64] | [[1,2],[],[3,null],null,[5]])");
  CHECK(show(pad_none(X, 7, 0, false)) ==
        R"(7 * option[var * ?int64] | [[1,2],[],[3,null],null,[5],null,null])");
  CHECK(show(pad_none(X, 7, 0, true)) ==
        R"(7 * option[var * ?int64] | [[1,2],[],[3,null],null,[5],null,null])");
  CHECK(show(pad_none(X, 1, -1, false)) ==
        R"(5 * option[var * ?int64] | [[1,2],[null],[3,null],null,[5]])");
  CHECK(show(pad_none(X, 1, 1, true)) == R"(5 * option[1 * ?int64] | [[1],[null],[3],null,[5]])");
  CHECK(show(pad_none(X, 3, 0, true)) == R"(3 * option[var * ?int64] | [[1,2],[],[3,null]])");
  CHECK(show(pad_none(reg, 3, 1, false)) == R"(2 * 3 * ?int64 | [[1,2,null],[3,4,null]])");
  CHECK(show(pad_none(reg, 1, 1, false)) == R"(2 * 2 * int64 | [[1,2],[3,4]])");
  CHECK(show(pad_none(reg, 1, 1, true)) == R"(2 * 1 * ?int64 | [[1],[3]])");
  CHECK(show(pad_none(reg, 3, 1, true)) == R"(2 * 3 * ?int64 | [[1,2,null],[3,4,null]])");
  CHECK(
      show(pad_none(N, 2, 1, false)) ==
      R"(3 * var * ?{x: int64, y: {z: int64}} | [[{"x":1,"y":{"z":1}},null],[null,null],[{"x":2,"y":{"z":5}},null]])");
  CHECK(show(pad_none(rl, 2, 1, false)) ==
        R"(2 * {x: var * ?int64} | [{"x":[1,null]},{"x":[null,null]}])");
  CHECK(show(pad_none(rl, 2, -1, false)) ==
        R"(2 * {x: var * ?int64} | [{"x":[1,null]},{"x":[null,null]}])");
  CHECK(show(pad_none(deep, 2, 2, false)) ==
        R"(2 * var * var * ?int64 | [[[1,2],[null,null]],[]])");
  CHECK(show(pad_none(S, 3, 0, false)) == R"(3 * ?string | ["a",null,null])");
}

TEST_CASE("firsts", "[missing]") {
  CHECK(show(firsts(X)) == R"(5 * ?int64 | [1,null,3,null,5])");
  CHECK(show(firsts(X, 0)) == R"(2 * ?int64 | [1,2])");
  CHECK(show(firsts(deep)) == R"(2 * option[var * int64] | [[1,2],null])");
  CHECK(show(firsts(deep, 2)) == R"(2 * var * ?int64 | [[1,null],[]])");
  CHECK(show(firsts(deep, -1)) == R"(2 * var * ?int64 | [[1,null],[]])");
  CHECK(show(firsts(reg)) == R"(2 * ?int64 | [1,3])");
  CHECK(show(firsts(N)) ==
        R"(3 * ?{x: int64, y: {z: int64}} | [{"x":1,"y":{"z":1}},null,{"x":2,"y":{"z":5}}])");
  CHECK(show(firsts(rl)) == R"(2 * {x: ?int64} | [{"x":1},{"x":null}])");
}

TEST_CASE("singletons", "[missing]") {
  CHECK(show(singletons(F)) == R"(2 * var * int64 | [[1],[]])");
  CHECK(show(singletons(J)) == R"(2 * var * var * int64 | [[[1,2]],[[3]]])");
  CHECK(show(singletons(X)) == R"(5 * var * var * ?int64 | [[[1,2]],[[]],[[3,null]],[],[[5]]])");
  CHECK(show(singletons(X, 1)) ==
        R"(5 * option[var * var * int64] | [[[1],[2]],[],[[3],[]],null,[[5]]])");
  CHECK(show(singletons(X, -1)) ==
        R"(5 * option[var * var * int64] | [[[1],[2]],[],[[3],[]],null,[[5]]])");
  CHECK(show(singletons(D)) ==
        R"(2 * {x: var * int64, y: var * float64} | [{"x":[1],"y":[1.5]},{"x":[2],"y":[2.5]}])");
  CHECK(show(singletons(U)) == R"(3 * union[var * int64, var * string] | [[1],["a"],[]])");
}

TEST_CASE("nan_to_none", "[missing]") {
  CHECK(show(nan_to_none(array("2 * var * ?float64", R"([[1,"nan"],[null]])"))) ==
        R"(2 * var * ?float64 | [[1.0,null],[null]])");
  CHECK(show(nan_to_none(J)) == R"(2 * var * int64 | [[1,2],[3]])");
  CHECK(show(nan_to_none(D)) ==
        R"(2 * {x: int64, y: ?float64} | [{"x":1,"y":1.5},{"x":2,"y":2.5}])");
}

TEST_CASE("a missing list may differ in length from what it meets", "[missing]") {
  const Array yes_no = array("2 * bool", "[true, false]");
  CHECK(show(mask(J, yes_no) + array("2 * var * int64", "[[10,20],[1,2,3]]")) ==
        "2 * option[var * int64] | [[11,22],null]");
  CHECK(show(sum(mask(J, yes_no))) == "int64 | 3");
  CHECK(show(argmax(mask(J, array("2 * bool", "[false, true]")))) == "?int64 | 0");
  CHECK(show(fill_none(max(mask(J, yes_no), {.axis = -1}), 0)) == "2 * int64 | [2,0]");
}

TEST_CASE("axes that are not there", "[missing]") {
  CHECK_THROWS_AS(is_none(F, 1), AxisError);
  CHECK_THROWS_AS(firsts(F, 1), AxisError);
  CHECK_THROWS_AS(pad_none(F, 2, 1), AxisError);
  CHECK_THROWS_AS(mask(F, array("2 * int64", "[1, 0]")), ValueError);
  CHECK(show(firsts(F, 0)) == "?int64 | 1");
}
