// Broadcasting by Awkward's rules; values and types are Awkward's.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

using namespace serrate;
using testing::array;
using testing::show;

namespace {
const Array jagged = array("2 * var * int64", "[[1, 2], [3]]");
const Array regular = array("2 * 2 * int64", "[[1, 2], [2, 3]]");
}  // namespace

TEST_CASE("a shallower operand repeats for every item of a list", "[broadcast]") {
  CHECK(show(jagged + array("2 * int64", "[10, 20]")) == "2 * var * int64 | [[11,12],[23]]");
  CHECK(show(jagged + array("1 * int64", "[5]")) == "2 * var * int64 | [[6,7],[8]]");
  CHECK(show(jagged + 1) == "2 * var * int64 | [[2,3],[4]]");
  CHECK(show(array("2 * 2 * int64", "[[1,2],[2,3]]") + array("2 * var * int64", "[[1,2],[3,4]]")) ==
        "2 * var * int64 | [[2,4],[5,7]]");
}

TEST_CASE("regular dimensions of one stretch", "[broadcast]") {
  CHECK(show(array("2 * 1 * int64", "[[1],[2]]") + jagged) == "2 * var * int64 | [[2,3],[5]]");
  CHECK(show(array("1 * int64", "[1]") + array("3 * int64", "[1,2,3]")) == "3 * int64 | [2,3,4]");
  CHECK(show(regular + array("1 * 2 * int64", "[[10,20]]")) == "2 * 2 * int64 | [[11,22],[12,23]]");
  CHECK(show(array("0 * int64", "[]") + array("3 * int64", "[1,2,3]")) == "0 * int64 | []");
}

TEST_CASE("regular arrays align on the right, as in NumPy", "[broadcast]") {
  CHECK(show(regular + array("2 * int64", "[10, 20]")) == "2 * 2 * int64 | [[11,22],[12,23]]");
  CHECK(show(array("3 * int64", "[1,2,3]") + array("2 * 3 * int64", "[[1,2,3],[4,5,6]]")) ==
        "2 * 3 * int64 | [[2,4,6],[5,7,9]]");
  CHECK(show(array("3 * ?int64", "[1,2,null]") + array("2 * 3 * int64", "[[1,2,3],[4,5,6]]")) ==
        "2 * 3 * ?int64 | [[2,4,null],[5,7,null]]");
  CHECK(show(array("2 * int64", "[10, 20]") + jagged) == "2 * var * int64 | [[11,12],[23]]");
}

TEST_CASE("missing in any operand is missing in the result", "[broadcast]") {
  CHECK(
      show(array("3 * ?int64", "[1,null,3]") + array("3 * var * ?int64", "[[1,2],[3],[4,null]]")) ==
      "3 * option[var * ?int64] | [[2,3],null,[7,null]]");
  CHECK(show(array("2 * option[var * int64]", "[[1,2],null]") + jagged) ==
        "2 * option[var * int64] | [[2,4],null]");
  CHECK(show(array("1 * ?unknown", "[null]") + array("1 * int64", "[1]")) ==
        "1 * ?float64 | [null]");
  CHECK(show(array("0 * unknown", "[]") + array("0 * unknown", "[]")) == "0 * float64 | []");
}

TEST_CASE("unions are computed member by member", "[broadcast]") {
  CHECK(show(array("3 * union[int64, var * int64]", "[1, [1, 2], 2]") +
             array("3 * float64", "[1, 2, 3]")) ==
        "3 * union[float64, var * float64] | [2.0,[3.0,4.0],5.0]");
}

TEST_CASE("operands that do not fit are refused", "[broadcast]") {
  CHECK_THROWS_AS(array("3 * int64", "[1,2,3]") + array("2 * int64", "[1,2]"), ValueError);
  CHECK_THROWS_AS(regular + array("2 * 3 * int64", "[[1,2,3],[4,5,6]]"), ValueError);
  CHECK_THROWS_AS(array("1 * {x: int64}", R"([{"x": 1}])") + 1, ValueError);
  CHECK_THROWS_AS(array("1 * P[x: int64]", R"([{"x": 1}])") + 1, TypeError);
  const Array unequal = jagged + array("2 * var * int64", "[[1], [2]]");
  CHECK_THROWS_AS(unequal.evaluate(), ValueError);
}

TEST_CASE("strings are leaves that only compare", "[broadcast]") {
  const Array s = array("2 * string", R"(["ab", "c"])");
  CHECK(show(s == array("2 * string", R"(["ab", "d"])")) == "2 * bool | [true,false]");
  CHECK(show(s != array("1 * string", R"(["c"])")) == "2 * bool | [true,false]");
  CHECK(show(s == array("string", R"("ab")")) == "2 * bool | [true,false]");
  CHECK(show(s == array("2 * ?string", R"([null, "c"])")) == "2 * ?bool | [null,true]");
  CHECK(show(array("2 * var * string", R"([["ab", "b"], ["c"]])") == s) ==
        "2 * var * bool | [[true,false],[true]]");
  CHECK_THROWS_AS(s + s, TypeError);
  CHECK_THROWS_AS(s < s, TypeError);
  CHECK_THROWS_AS(s + 1, TypeError);
}

TEST_CASE("a long chain of operations stays shallow", "[broadcast]") {
  Array x = array("2 * int64", "[0, 1]");
  for (int i = 0; i < 2000; i++) x = x + 1;
  CHECK(show(x) == "2 * int64 | [2000,2001]");
}
