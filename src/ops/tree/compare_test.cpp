// Comparing whole arrays, and histograms.
#include "../../../tests/cpp/arrays.h"
#include "../../../tests/cpp/catch.h"
#include "serrate/ops.h"

using namespace serrate;
using testing::array;
using testing::show;

TEST_CASE("equal arrays have the same type and values", "[compare]") {
  const Array ints = array("2 * int64", "[1, 2]"), floats = array("2 * float64", "[1, 2]");
  CHECK(array_equal(ints, array("2 * int64", "[1, 2]")));
  CHECK_FALSE(array_equal(ints, array("3 * int64", "[1, 2, 3]")));
  CHECK_FALSE(array_equal(ints, floats));
  CHECK_FALSE(array_equal(ints, floats, {.dtype_exact = false}));
  CHECK(array_equal(ints, array("2 * int8", "[1, 2]"), {.dtype_exact = false}));
  const Array var = array("1 * var * int64", "[[1, 2]]"), reg = array("1 * 2 * int64", "[[1, 2]]");
  CHECK_FALSE(array_equal(var, reg));
  CHECK(array_equal(var, reg, {.check_regular = false}));
  CHECK_FALSE(array_equal(array("2 * var * int64", "[[1],[2,3]]"),
                          array("2 * var * int64", "[[1,2],[3]]")));
  CHECK(array_equal(array("2 * ?int64", "[1, null]"), array("2 * ?int64", "[1, null]")));
  CHECK_FALSE(array_equal(array("2 * ?int64", "[1, null]"), array("2 * ?int64", "[null, 1]")));
  CHECK_FALSE(array_equal(ints, mask(ints, array("2 * bool", "[true, true]"))));
  CHECK(array_equal(array("2 * string", R"(["a", "bc"])"), array("2 * string", R"(["a", "bc"])")));
  CHECK_FALSE(array_equal(array("1 * string", R"(["a"])"), array("1 * string", R"(["b"])")));
}

TEST_CASE("records and unions compare member by member", "[compare]") {
  const Array xy = array("1 * {x: int64, y: int64}", R"([{"x": 1, "y": 2}])");
  CHECK(array_equal(xy, array("1 * {y: int64, x: int64}", R"([{"x": 1, "y": 2}])")));
  CHECK_FALSE(array_equal(xy, with_name(xy, "P")));
  CHECK(array_equal(xy, with_name(xy, "P"), {.check_parameters = false}));
  const Array mixed = array("2 * union[int64, string]", R"([1, "a"])");
  CHECK(array_equal(mixed, array("2 * union[string, int64]", R"([1, "a"])")));
  CHECK_FALSE(array_equal(mixed, array("2 * union[int64, string]", R"(["a", 1])")));
  CHECK(array_equal(Array(), Array()));
  CHECK_FALSE(array_equal(Array(), array("0 * int64", "[]")));
}

TEST_CASE("almost equal within tolerances", "[compare]") {
  const Array a = array("2 * float64", "[1, 2]");
  CHECK(almost_equal(a, array("2 * float64", "[1.000000001, 2]")));
  CHECK_FALSE(almost_equal(a, array("2 * float64", "[1.1, 2]")));
  CHECK(almost_equal(a, array("2 * float64", "[1.1, 2]"), {.rtol = 0.1}));
  const Array special = array("2 * float64", R"(["nan", "inf"])");
  CHECK_FALSE(almost_equal(special, special));
  CHECK(almost_equal(special, special, {.equal_nan = true}));
  CHECK_FALSE(almost_equal(array("1 * float64", R"([1])"), array("1 * float64", R"(["inf"])")));
}

TEST_CASE("histograms count every number, weighted or not", "[histogram]") {
  const Array x =
      array("4 * option[var * ?float64]", R"([[0, 0.5, 3], null, [null, 9.5, 10], [-1, "nan"]])");
  CHECK(show(histogram(x, 2, 0, 10)) == "4 * int64 | [1,3,1,2]");
  const Array w = array("4 * float64", "[1, 2, 3, 0.5]");
  CHECK(show(histogram(x, 2, 0, 10, &w)) == "4 * float64 | [0.5,3.0,3.0,3.5]");
  CHECK_THROWS_AS(histogram(x, 0, 0, 1), ValueError);
  CHECK_THROWS_AS(histogram(x, 2, 1, 1), ValueError);
  CHECK_THROWS_AS(histogram(array("1 * string", R"(["a"])"), 2, 0, 1), TypeError);
}
