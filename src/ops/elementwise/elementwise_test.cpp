// Element-wise functions, where, and constants in the shape of an array.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

using namespace serrate;
using testing::array;
using testing::show;

namespace {
const Array missing = array("5 * option[var * ?int64]", "[[1,2],[],[3,null],null,[5]]");
const Array yes_no = array("2 * bool", "[true, false]");
}  // namespace

TEST_CASE("python numbers take the array's type", "[elementwise]") {
  CHECK(show(array("2 * float32", "[1, 2]") + 1.5) == "2 * float32 | [2.5,3.5]");
  CHECK(show(array("2 * int8", "[1, 2]") + 1) == "2 * int8 | [2,3]");
  CHECK(show(array("2 * int8", "[1, 2]") + 1.5) == "2 * float64 | [2.5,3.5]");
  CHECK_THROWS_AS(array("2 * int8", "[1, 2]") + 300, ValueError);
  CHECK(show(array("2 * int8", "[1, 2]") < 300) == "2 * bool | [true,true]");
  CHECK(show(Array(1) + Array(2)) == "int64 | 3");
}

TEST_CASE("times of different units meet in the finer one", "[elementwise]") {
  const Array s = array("2 * datetime64[s]", "[10, 20]");
  const Array ms = array("2 * datetime64[ms]", "[10500, 20000]");
  const Array step = array("2 * timedelta64[s]", "[1, 2]");
  CHECK(show(s - ms) == "2 * timedelta64[ms] | [-500,0]");
  CHECK(show(s + step) == "2 * datetime64[s] | [11,22]");
  CHECK(show(s + 5) == "2 * datetime64[s] | [15,25]");
  CHECK(show(step * 2) == "2 * timedelta64[s] | [2,4]");
  CHECK(show(s < ms) == "2 * bool | [true,false]");
  CHECK_THROWS_AS(s + s, TypeError);
}

TEST_CASE("where chooses and unifies", "[elementwise]") {
  const Array ints = array("2 * int64", "[1, 2]");
  CHECK(show(where(yes_no, ints, array("2 * float64", "[1.5, 2.5]"))) == "2 * float64 | [1.0,2.5]");
  CHECK(show(where(yes_no, ints, array("2 * string", R"(["a", "b"])"))) ==
        "2 * union[int64, string] | [1,\"b\"]");
  CHECK(show(where(array("2 * ?bool", "[true, null]"), ints, array("2 * float64", "[1.5, 2.5]"))) ==
        "2 * ?float64 | [1.0,null]");
  CHECK(show(where(array("3 * bool", "[true,false,true]"), array("3 * ?int64", "[1,2,null]"),
                   array("3 * ?float64", "[1.5,null,3]"))) == "3 * ?float64 | [1.0,null,null]");
  CHECK(show(where(yes_no, array("2 * var * int64", "[[1,2],[3]]"),
                   array("2 * var * float64", "[[1.5],[3,3]]"))) ==
        "2 * var * float64 | [[1.0,2.0],[3.0,3.0]]");
  CHECK(show(where(yes_no, array("2 * var * int64", "[[1,2],[3]]"), 0)) ==
        "2 * union[var * int64, int64] | [[1,2],0]");
  CHECK(show(where(yes_no, 1, 0.5)) == "2 * float64 | [1.0,0.5]");
  CHECK(show(where(yes_no, array("2 * {x: int64}", R"([{"x":1},{"x":2}])"),
                   array("2 * {x: float64}", R"([{"x":1.5},{"x":2}])"))) ==
        R"(2 * {x: float64} | [{"x":1.0},{"x":2.0}])");
  CHECK(show(where(yes_no, array("2 * string", R"(["a","bc"])"),
                   array("2 * string", R"(["c","def"])"))) == R"(2 * string | ["a","def"])");
  CHECK(
      show(where(yes_no, array("2 * ?int64", "[1,null]"), array("2 * ?string", R"(["a",null])"))) ==
      "2 * union[?int64, ?string] | [1,null]");
}

TEST_CASE("where with a nested condition", "[elementwise]") {
  const Array c = array("2 * var * bool", "[[true],[false,true]]");
  CHECK(show(where(c, array("2 * int64", "[1,2]"), array("2 * int64", "[3,4]"))) ==
        "2 * var * int64 | [[1],[4,2]]");
  CHECK(show(where(c, array("2 * ?int64", "[null,1]"), array("2 * var * int64", "[[3],[4,4]]"))) ==
        "2 * var * ?int64 | [[null],[4,1]]");
  CHECK(show(where(c, array("2 * var * int64", "[[1],[2,3]]"),
                   array("2 * var * var * int64", "[[[3]],[[4],[4]]]"))) ==
        "2 * var * union[int64, var * int64] | [[1],[[4],3]]");
}

TEST_CASE("leaves of another type", "[elementwise]") {
  CHECK(show(values_astype(missing, DType::float32)) ==
        "5 * option[var * ?float32] | [[1.0,2.0],[],[3.0,null],null,[5.0]]");
  CHECK(show(values_astype(array("3 * union[?int64, ?string]", R"([1,"a",null])"),
                           DType::float32)) == R"(3 * union[?float32, ?string] | [1.0,"a",null])");
}

TEST_CASE("constants keep structure and type", "[elementwise]") {
  CHECK(show(full_like(missing, Array(5))) ==
        "5 * option[var * ?int64] | [[5,5],[],[5,null],null,[5]]");
  CHECK(show(full_like(array("2 * float64", "[1,2]"), Array(true))) == "2 * float64 | [1.0,1.0]");
  CHECK(show(zeros_like(array("2 * bool", "[true,true]"))) == "2 * bool | [false,false]");
  CHECK(show(ones_like(array("1 * timedelta64[s]", "[5]"))) == "1 * timedelta64[s] | [1]");
  CHECK(show(full_like(missing, Array(5), {.dtype = DType::float32})) ==
        "5 * option[var * ?float32] | [[5.0,5.0],[],[5.0,null],null,[5.0]]");
  CHECK(show(full_like(array("2 * string", R"(["ab", ""])"), Array(5))) ==
        R"(2 * string | ["5","5"])");
  CHECK(show(full_like(array("1 * var * unknown", "[[]]"), Array(5))) ==
        "1 * var * unknown | [[]]");
}
